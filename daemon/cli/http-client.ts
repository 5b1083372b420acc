import { type IncomingMessage, request } from 'node:http';
import type { ErrorBody } from '../contract/errors.js';
import { CommandFailure, EXIT, exitOfStatus } from './exit-codes.js';

const DEFAULT_TIMEOUT_MS = 30_000;

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
  constructor(readonly address: string) {}

  get<T>(path: string, call: Call = {}): Promise<T> {
    return this.send<T>('GET', path, call);
  }

  async send<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, call: Call = {}): Promise<T> {
    const { status, text } = await this.exchange(method, path, call);
    const body = parse(text);
    if (status >= 200 && status < 300) return body as T;
    throw refusalOf(status, body as ErrorBody | undefined);
  }

  /** A document that is no JSON, as it came. */
  async getDocument(path: string): Promise<string> {
    const { status, text } = await this.exchange('GET', path, { headers: { accept: '*/*' } });
    if (status >= 200 && status < 300) return text;
    throw refusalOf(status, parse(text) as ErrorBody | undefined);
  }

  private exchange(method: string, path: string, call: Call): Promise<{ status: number; text: string }> {
    const payload = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers = {
      accept: 'application/json',
      'user-agent': 'meshd-cli',
      ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...call.headers,
    };
    const timeoutMs = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new CommandFailure(EXIT.unreachable, `The daemon at ${this.address} ${reason}.`, 'unreachable'));
      const outgoing = request(`${this.address}${path}`, { method, headers, agent: false }, (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, text }),
          () => fail('broke off its answer'),
        );
      });
      outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`did not answer within ${Math.round(timeoutMs / 1000)} s`)));
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        fail(error.code === 'ECONNREFUSED' ? 'is not listening any more: start it with `meshd up`' : (error.code ?? error.message)),
      );
      outgoing.end(payload);
    });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(status: number, body: ErrorBody | undefined): CommandFailure {
  if (!body?.error) return new CommandFailure(exitOfStatus(status), `The daemon answered ${status} with no reason.`, 'internal');
  const { error, message, ...details } = body;
  const said =
    message ?? (error === 'internal' ? `The daemon failed; it logged why as ${String(body['id'])} in .mesh/state/daemon.log.` : error);
  // A member file that carries a secret is refused for what it holds, not for how it was asked.
  const exit = error === 'secret_in_member_file' ? EXIT.refused : exitOfStatus(status);
  return new CommandFailure(exit, said, error, details);
}
