import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';
import { ownState } from '../user-folders.js';
import { beFound } from './command-line.js';

const SECRET = 'f'.repeat(64);

/** A request that the command line sent. */
export interface Asked {
  /** The method and the path with its query. */
  line: string;
  /** Undefined without one. */
  body: unknown;
}

/** An answer other than 200. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly body: object,
  ) {}
}

/** What a route answers: an object, a document as a string, a refusal, or a function that returns one of these. */
type Answer = object | string | ((asked: Asked) => object | string);

/**
 * Starts a server that the command line takes for the daemon of the project whose root is returned. It answers what
 * `answerTo` returns for a request; it proves itself, and says `health`, when it is looked for. It ends with the test.
 */
export async function standIn(
  answerTo: (asked: Asked, headers: IncomingHttpHeaders) => object | string | Promise<object | string>,
  health: object = {},
): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/health') {
      const proof = createHmac('sha256', SECRET)
        .update(searchParams.get('nonce') ?? '')
        .digest('hex');
      return response.end(JSON.stringify({ ...health, proof }));
    }
    const sent = Buffer.concat(parts).toString();
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    const answer = await answerTo({ line: `${request.method} ${request.url}`, body }, request.headers);
    if (typeof answer === 'string') return response.end(answer);
    if (answer instanceof Refusal) response.statusCode = answer.status;
    return response.end(JSON.stringify(answer instanceof Refusal ? answer.body : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const root = ownState(temporaryFolder());
  beFound({ root, address: `http://127.0.0.1:${port}`, daemon: { secret: SECRET } });
  return root;
}

/**
 * A stand-in whose `routes` hold the answers by method and path without the query. Returns the project and the requests
 * so far, without those that look for the daemon.
 */
export async function standInDaemon(
  routes: Readonly<Record<string, Answer>>,
): Promise<{ root: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const root = await standIn((one) => {
    asked.push(one);
    const found = routes[one.line.replace(/\?.*/s, '')];
    const missing = new Refusal(404, { error: 'not_found', message: `There is no ${one.line}.` });
    return typeof found === 'function' ? found(one) : (found ?? missing);
  });
  return { root, asked };
}
