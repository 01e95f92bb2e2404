/**
 * The rehearsal server (D-8): a scripted Responses endpoint on 127.0.0.1, to try drivers, runners and whole
 * programs with no key and no network.
 */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as native from '../native/native.js';
import { ConfigurationError, named, SwingbridgeError } from './errors.js';

/** How a {@link RehearsalServer} is set up. */
export interface RehearsalOptions {
  /** Where to listen; any port that is free if it is left out or 0. */
  port?: number | null | undefined;
  /** Accept only this key; any will do, and none, if it is left out. */
  apiKey?: string | null | undefined;
  /**
   * The file in which each request and its answer is recorded as a line of JSON. One that has
   * something in it is not written over (`EEXIST`).
   */
  transcript?: string | URL | null | undefined;
  /** Whether {@link RehearsedRequest.body} is kept, which it is if this is left out. */
  keepBodies?: boolean | null | undefined;
}

type Handle = native.ExternalObject<native.Rehearsal>;

/** A server is there until it is stopped, also when nobody holds it any more. */
const OPEN = new Set<RehearsalServer>();

/**
 * Answers requests with the turns of a script, plain and as a stream, and refuses what the service would
 * refuse (D-8). The format of scripts is in `docs/rehearsal.md`.
 *
 * It runs on threads of its own, keeps no process alive and ends with its process or worker.
 */
export class RehearsalServer {
  /** The base address for clients, such as `new Client({ baseURL: server.url, apiKey: 'any' })`. */
  readonly url: string;
  readonly #handle: Handle;
  readonly #requests: RehearsedRequest[] = [];
  #stopped: Promise<void> | undefined;

  private constructor(handle: Handle) {
    this.#handle = handle;
    this.url = native.rehearsalUrl(handle) as string;
    OPEN.add(this);
  }

  /**
   * Starts a server with a script: the text of one, YAML or JSON, or what such a text says.
   *
   * Rejects with a {@link ScriptError} for a script that is none, with a ConfigurationError (a TypeError)
   * for options that cannot be used, and with an error with the `code` of the system, such as `EADDRINUSE`,
   * if it cannot listen or record.
   */
  static async start(
    script: string | object,
    options?: RehearsalOptions | null,
  ): Promise<RehearsalServer> {
    return RehearsalServer.#start(scriptText(script), false, options);
  }

  /** As {@link RehearsalServer.start}, with the script in a file. Rejects also if that cannot be read. */
  static async fromFile(
    path: string | URL,
    options?: RehearsalOptions | null,
  ): Promise<RehearsalServer> {
    return RehearsalServer.#start(await readFile(path, 'utf8'), false, options);
  }

  /** As {@link RehearsalServer.fromFile}, with a transcript: the same answers come again, whatever is asked. */
  static async replay(
    path: string | URL,
    options?: RehearsalOptions | null,
  ): Promise<RehearsalServer> {
    return RehearsalServer.#start(await readFile(path, 'utf8'), true, options);
  }

  static async #start(
    script: string,
    isTranscript: boolean,
    options: RehearsalOptions | null | undefined,
  ): Promise<RehearsalServer> {
    const settings = { isTranscript, ...settingsOf(options ?? {}) };
    const started = await native.startRehearsal(script, settings);
    if (typeof started === 'string') throw errorOf(started);
    return new RehearsalServer(started);
  }

  /** How many turns of the script, or of its latest pass, were not taken yet. */
  get turnsLeft(): number {
    return native.rehearsalTurnsLeft(this.#handle);
  }

  /** All requests so far, the refused ones included; those that came before a stop stay. */
  requests(): RehearsedRequest[] {
    const news = native.rehearsalRequests(this.#handle, this.#requests.length);
    this.#requests.push(...news.map((seen) => new RehearsedRequest(seen)));
    return [...this.#requests];
  }

  /**
   * Ends all connections and gives the port back; a second call waits for the first. Rejects with an error
   * with the `code` of the system if a line of the transcript could not be written.
   */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    OPEN.delete(this);
    const failure = await native.stopRehearsal(this.#handle);
    if (failure !== null) throw errorOf(failure);
  }
}

/** A request that came to a {@link RehearsalServer} (D-8). Its fields stay as they are. */
export class RehearsedRequest {
  readonly path: string;
  /** The key under which a client asks again for the same. */
  readonly idempotencyKey: string | null;
  /** As it came; empty if bodies are not kept. */
  readonly body: Uint8Array;
  /** The status of the answer. */
  readonly status: number;
  /** The turn that answered, from 0; null if the request was refused. */
  readonly turn: number | null;
  /** Why it was refused; null if it was not. */
  readonly refusal: string | null;

  /** Made by a {@link RehearsalServer}. */
  constructor(seen: native.SeenRequest) {
    this.path = seen.path;
    this.idempotencyKey = seen.idempotencyKey ?? null;
    this.body = seen.body;
    this.status = seen.status;
    this.turn = seen.turn ?? null;
    this.refusal = seen.refusal ?? null;
    Object.freeze(this);
  }

  /** What the body says; a new value each time. Throws a SyntaxError if it is no JSON or was not kept. */
  json(): any {
    return JSON.parse(new TextDecoder().decode(this.body));
  }
}

/**
 * A script or a transcript cannot be played (D-8). `code` is `syntax`, `documents`, `bounds`, `missing`,
 * `unknown`, `form`, `conflict` or `member`.
 */
export class ScriptError extends SwingbridgeError {
  /** For example `turns[2].expect`, or a line of the text. */
  readonly place: string;

  constructor(message: string, code: string, place: string) {
    super(message, code);
    this.place = place;
  }

  static {
    named(this, 'ScriptError');
  }
}

/** JSON is YAML as well. */
function scriptText(script: unknown): string {
  const text = typeof script === 'object' && script !== null ? written(script) : script;
  if (typeof text === 'string') return text;
  throw new ConfigurationError('the script must be a text or an object', 'option_invalid');
}

function written(script: object): string | undefined {
  try {
    return JSON.stringify(script);
  } catch {
    return undefined;
  }
}

function settingsOf(given: RehearsalOptions): Omit<native.RehearsalSettings, 'isTranscript'> {
  const port = given.port ?? 0;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigurationError('port must be an integer from 0 to 65535', 'option_invalid');
  }
  const keepsBodies = given.keepBodies ?? true;
  if (typeof keepsBodies !== 'boolean') {
    throw new ConfigurationError('keepBodies must be a boolean', 'option_invalid');
  }
  const settings: Omit<native.RehearsalSettings, 'isTranscript'> = { port, keepsBodies };
  const { apiKey, transcript } = given;
  if (apiKey !== undefined && apiKey !== null) settings.apiKey = textOf('apiKey', apiKey);
  if (transcript !== undefined && transcript !== null) {
    const path = transcript instanceof URL ? fileURLToPath(transcript) : transcript;
    settings.transcript = textOf('transcript', path);
  }
  return settings;
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value;
  throw new ConfigurationError(`${name} must be a text`, 'option_invalid');
}

/** What the addon tells of a failure. */
interface Fault {
  code: string;
  message: string;
  place?: string;
  syscall?: string;
}

function errorOf(text: string): Error {
  const { code, message, place, ...rest } = JSON.parse(text) as Fault;
  if (place !== undefined) return new ScriptError(message, code, place);
  return Object.assign(new Error(`${code}: ${message}`), { code, ...rest });
}
