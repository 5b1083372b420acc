import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { TurnError } from './turn-failure.js';

const REFUSAL_MAX_BYTES = 64 * 1024;
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;

/**
 * The connections of one run to its endpoint. `fetch` calls only that origin. It does not follow redirects, which would
 * send the conversation and possibly the key to another server, ignores proxy settings of the environment, and limits
 * the response size. The platform's `fetch` keeps sockets open after a run; `close` ends all of them.
 */
export class EndpointConnection {
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly origin: string;

  constructor(baseUrl: string) {
    const { protocol, origin } = new URL(baseUrl);
    this.origin = origin;
    this.agent = protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /**
   * Same contract as the platform's `fetch`, for string bodies only. Throws `TurnError` for another origin, a
   * redirect or a too large response, and system errors with their codes.
   */
  readonly fetch: typeof fetch = async (input, init) => {
    if (input instanceof Request) throw new TypeError('An address is needed, not a Request.');
    const url = new URL(input);
    if (url.origin !== this.origin)
      throw new TurnError(`Only ${this.origin} is called, and this was for ${url.origin}.`);
    const response = await this.send(url, init ?? {});
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new TurnError(
        `The endpoint at ${this.origin} answered with a redirect (${status}), which is not followed: set ` +
          'MESHD_API_BASE_URL to its final address.',
      );
    }
    const isOk = status < 300;
    const body = Readable.toWeb(
      Readable.from(this.bounded(response, isOk ? ANSWER_MAX_BYTES : REFUSAL_MAX_BYTES)),
    ) as ReadableStream<Uint8Array>;
    return new Response(status === 204 ? null : body, { status, headers: createHeaders(response) });
  };

  /** Destroys every connection, including those in use. Idempotent. */
  close(): void {
    this.agent.destroy();
  }

  private send(url: URL, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> {
    if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('A body must be a text.');
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const fields = { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers)) };
      const request = send(url, { agent: this.agent, method, headers: fields, ...(signal ? { signal } : {}) });
      request.on('response', resolve);
      request.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
      request.end(body ?? undefined);
    });
  }

  private async *bounded(response: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new TurnError(`The endpoint at ${this.origin} sent more than ${maxBytes / 1024} KiB in one answer.`);
      yield chunk;
    }
  }
}

function createHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}
