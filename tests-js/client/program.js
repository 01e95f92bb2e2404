/** A program with a client: `node program.js TASK BASE_URL [MODEL]`, or the same in a worker thread. */
import { parentPort } from 'node:worker_threads';
import { Client } from 'swingbridge';

const [task, baseURL, model = 'm'] = process.argv.slice(2);
const client = new Client({ apiKey: 'k', baseURL, maxRetries: 0 });
const request = { model, input: 'go' };

switch (task) {
  case 'whole':
    process.stdout.write((await client.responses.create(request)).id);
    break;
  case 'unread': {
    const stream = await client.responses.create({ ...request, stream: true });
    process.stdout.write((await stream.next()).value.type);
    break;
  }
  case 'exit':
    client.responses.create(request);
    process.stdout.write('exiting', () => process.exit());
    break;
  case 'worker':
    parentPort.postMessage((await client.responses.create(request)).id);
    break;
}
