import { type IncomingMessage, request } from 'node:http';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../client/api-error.js';
import { type CallOptions, call, callForText } from '../../client/call.js';
import type { Daemon, FetchAnswer, FetchInit } from '../../client/daemon.js';
import { OPERATOR_HEADER } from '../lib/daemon-proof.js';
import { CommandFailure, EXIT, exitOfStatus } from './exit-codes.js';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Why no answer came: nothing listens, nothing came in time, or the connection was ended. In `details.reason` of the failure. */
export type Silence = 'refused' | 'timed_out' | 'broken_off';

export interface Call {
  /** Sent as JSON. */
  body?: unknown;
  /** Member token, for the routes other programs use. */
  token?: string;
  /** Given up after this long without an answer; 30 seconds when absent. */
  timeoutMs?: number;
  headers?: Record<string, string>;
}

/**
 * Speaks to one daemon at its loopback address; follows no redirect and uses no proxy. A refusal throws CommandFailure with the daemon's own
 * code and sentence; a daemon that does not answer throws `unreachable`.
 */
export class HttpClient {
  /** `proof` is sent with every call to a daemon that has proven to be this project's own. */
  constructor(
    readonly address: string,
    private readonly proof?: string,
  ) {}

  get<T>(path: string, call: Call = {}): Promise<T> {
    return this.send<T>('GET', path, call);
  }

  send<T>(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    { timeoutMs, ...options }: Call = {},
  ): Promise<T> {
    return this.told(timeoutMs, (daemon) => call<T>(daemon, path, { ...options, method } satisfies CallOptions));
  }

  /** A document that is no JSON, as it came. */
  getDocument(path: string): Promise<string> {
    return this.told(undefined, (daemon) => callForText(daemon, path, { headers: { accept: '*/*' } }));
  }

  /** Writes a document of any size into `sink`, which is then ended. */
  async saveDocument(path: string, sink: Writable, timeoutMs: number): Promise<void> {
    await this.told(timeoutMs, (daemon) => callForText(daemon, path, { headers: { accept: '*/*' } }), sink);
  }

  private async told<T>(
    timeoutMs = DEFAULT_TIMEOUT_MS,
    run: (daemon: Daemon) => Promise<T>,
    sink?: Writable,
  ): Promise<T> {
    const { address, proof } = this;
    try {
      return await run({
        address,
        headers: { 'user-agent': 'meshd-cli', ...(proof !== undefined && { [OPERATOR_HEADER]: proof }) },
        fetch: (url, init) => exchange(address, url, init, timeoutMs, sink),
      });
    } catch (error) {
      throw error instanceof ApiError ? failureOf(error) : error;
    }
  }
}

/** One request on a connection of its own; what is not refused goes into `sink`, where there is one, and is no text then. Throws CommandFailure `unreachable` that says why no answer came. */
function exchange(
  address: string,
  url: string,
  { method, headers, body }: FetchInit,
  timeoutMs: number,
  sink?: Writable,
): Promise<FetchAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (words: string, reason: Silence) =>
      reject(new CommandFailure(EXIT.unreachable, `The daemon at ${address} ${words}.`, 'unreachable', { reason }));
    const late = `did not answer within ${Math.round(timeoutMs / 1000)} s`;
    let isLate = false;
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      const get = (name: string) => [response.headers[name]].flat()[0] ?? null;
      const ok = status >= 200 && status < 300;
      const read = ok && sink ? pipeline(response, sink).then(() => '') : readText(response);
      read.then(
        (text) => resolve({ ok, status, headers: { get }, text: async () => text }),
        // What the sink fails with is not the daemon's doing.
        (error: NodeJS.ErrnoException) =>
          error.syscall === 'write'
            ? reject(error)
            : fail(isLate ? late : 'broke off its answer', isLate ? 'timed_out' : 'broken_off'),
      );
    });
    outgoing.setTimeout(timeoutMs, () => {
      isLate = true;
      outgoing.destroy(new Error(late));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (isLate) fail(late, 'timed_out');
      else if (error.code === 'ECONNREFUSED') fail('is not listening any more: start it with `meshd up`', 'refused');
      else fail(error.code ?? error.message, 'broken_off');
    });
    outgoing.end(body ?? undefined);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function failureOf({ status, code, message, details, id, cause }: ApiError): CommandFailure {
  if (cause instanceof CommandFailure) return cause;
  if (code === `http_${status}`)
    return new CommandFailure(exitOfStatus(status), `The daemon answered ${status} with no reason.`, 'internal');
  const said = code === 'internal' ? `The daemon failed; it logged why as ${id} in .mesh/state/daemon.log.` : message;
  // A member file that carries a secret is refused for what it holds, not for how it was asked.
  const exit = code === 'secret_in_member_file' ? EXIT.refused : exitOfStatus(status);
  return new CommandFailure(exit, said, code, details);
}
