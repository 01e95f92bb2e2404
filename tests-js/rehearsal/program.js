/** `node program.js TASK`, or the same in a worker thread. */
import { parentPort } from 'node:worker_threads';
import { Client } from 'swingbridge';
import { RehearsalServer } from 'swingbridge/rehearsal';
import { ask, saying } from './support.js';

const tell = (message) => (parentPort ? parentPort.postMessage(message) : console.log(message));

switch (process.argv[2]) {
  case 'leave': // ends without a stop
    tell(await ask(await RehearsalServer.start(saying('left open'))));
    break;
  case 'exit':
    tell(await ask(await RehearsalServer.start(saying('exiting'))));
    process.exit();
    break;
  case 'serve': // until it is ended from outside
    tell((await RehearsalServer.start(saying('served'))).url);
    setInterval(() => undefined, 60_000);
    break;
  case 'ask': {
    const response = await new Client().responses.create({ model: 'm', input: 'go' });
    tell(response.output_text);
    process.exitCode = Number(process.argv[3] ?? 0);
    break;
  }
}
