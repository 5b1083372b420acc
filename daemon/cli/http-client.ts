import { type IncomingMessage, request } from 'node:http';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../client/api-error.js';
import { type CallOptions, call, callForText } from '../client/call.js';
import type { Daemon, FetchAnswer, FetchInit } from '../client/daemon.js';
import { OPERATOR_HEADER } from '../lib/crypto/daemon-proof.js';
import { CommandError, EXIT, exitOfStatus } from './exit-codes.js';
import { systemFailure } from './system-failure.js';

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Why there was no response: the connection was refused, timed out or broken off. Found in `details.reason` of the
 * failure.
 */
type ConnectionFailure = 'refused' | 'timed_out' | 'broken_off';

export interface Call {
  /** Sent as JSON. */
  body?: unknown;
  /** Member token, for the routes that other programs use. */
  token?: string;
  /** The idle timeout; 30 seconds when absent. */
  timeoutMs?: number;
  headers?: Record<string, string>;
}

/**
 * HTTP client for one daemon at its loopback address, without redirects or a proxy. Throws CommandError with the
 * daemon's own code and message when the daemon rejects a request, and `unreachable` when it does not respond.
 */
export class HttpClient {
  /** `proof` is sent with every request, and is given only for a daemon that has proven to be that of this project. */
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
    return this.withErrors(timeoutMs, (daemon) => call<T>(daemon, path, { ...options, method } satisfies CallOptions));
  }

  /** Returns a document that is not JSON, unchanged. */
  getDocument(path: string): Promise<string> {
    return this.withErrors(undefined, (daemon) => callForText(daemon, path, { headers: { accept: '*/*' } }));
  }

  /** Writes a document of any size to `sink` and ends it. */
  async saveDocument(path: string, sink: Writable, timeoutMs: number): Promise<void> {
    await this.withErrors(timeoutMs, (daemon) => callForText(daemon, path, { headers: { accept: '*/*' } }), sink);
  }

  private async withErrors<T>(
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
      throw error instanceof ApiError ? toCommandError(error) : error;
    }
  }
}

/**
 * Sends one request on a new connection. A successful response is piped into `sink` if one is given, and its text is
 * empty then. Throws CommandError `unreachable` with the reason when there is no response.
 */
function exchange(
  address: string,
  url: string,
  { method, headers, body }: FetchInit,
  timeoutMs: number,
  sink?: Writable,
): Promise<FetchAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (words: string, reason: ConnectionFailure) =>
      reject(new CommandError(EXIT.unreachable, `The daemon at ${address} ${words}.`, 'unreachable', { reason }));
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
        // An error of the sink is not the daemon's.
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

function toCommandError({ status, code, message, details, id, cause }: ApiError): CommandError {
  // A cause with a system call is that the answer could not be written here.
  const own = cause instanceof CommandError ? cause : systemFailure(cause);
  if (own) return own;
  if (code === `http_${status}`)
    return new CommandError(exitOfStatus(status), `The daemon answered ${status} with no reason.`, 'internal');
  const isLogged = code === 'internal' && id !== undefined;
  const said = isLogged ? `The daemon failed; it logged why as ${id} in .mesh/state/daemon.log.` : message;
  // A member file with a secret is rejected for its content, not for the form of the request.
  const exit = code === 'secret_in_member_file' ? EXIT.refused : exitOfStatus(status);
  return new CommandError(exit, said, code, details);
}
