import { expectLike } from './scenario.js';

// The members of an answer are judged by the scenarios.
// biome-ignore lint/suspicious/noExplicitAny: a body as it came over the wire.
type Wire = any;

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body, or its text when it is not JSON. */
  body: Wire;
}

/** What `HttpClient.send` adds to a request. */
export interface Extras {
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. A text is sent as it is. */
  body?: unknown;
}

/** A plain HTTP client for JSON, optionally with a bearer. */
export class HttpClient {
  constructor(
    readonly url: string,
    private readonly bearer?: string,
  ) {}

  async send(method: string, path: string, { headers = {}, body }: Extras = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.bearer === undefined ? {} : { authorization: `Bearer ${this.bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const words = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && words !== '' ? JSON.parse(words) : words,
    };
  }

  /** Sends a request whose answer must have the status and a body like `body`. Returns the body. */
  async expect(status: number, method: string, path: string, extras: Extras = {}, body: unknown = {}): Promise<Wire> {
    const answer = await this.send(method, path, extras);
    expectLike(`${method} ${path}`, { status: answer.status, body: answer.body }, { status, body });
    return answer.body;
  }
}

let made = 0;

/** Returns an agent id that no other scenario uses. */
export function newId(word: string): string {
  made += 1;
  return `${word}-${process.pid.toString(36)}-${made}`;
}
