import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.js';
import { ownState } from '../user-folders.js';
import { beFound } from './command-line.js';

const SECRET = 'hush';

/** What a command sent: method, path with query, and the body where there is one. */
type Sent = [call: string, body?: unknown];
type Answers = Readonly<Record<string, object | ((query: URLSearchParams) => object)>>;

/**
 * Starts a server that the command line takes for the daemon of `root`. It answers `METHOD /path` with the object of
 * that name, and anything else with 404. It ends with the test.
 */
export async function scriptedDaemon(answers: Answers): Promise<{ root: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://daemon');
    const nonce = searchParams.get('nonce');
    if (nonce) return response.end(JSON.stringify({ proof: createHmac('sha256', SECRET).update(nonce).digest('hex') }));
    let text = '';
    for await (const part of request) text += String(part);
    const call = `${request.method} ${pathname}`;
    sent.push(text === '' ? [call + search] : [call + search, JSON.parse(text)]);
    const answer = answers[call];
    if (!answer) return response.writeHead(404).end('{"error":"not_found","message":"There is none."}');
    return response.end(JSON.stringify(typeof answer === 'function' ? answer(searchParams) : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const root = ownState(temporaryFolder());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  beFound({ root, address, daemon: { secret: SECRET } });
  return { root, sent };
}

/** The cells of a printed table: columns are two or more spaces apart, and an empty cell is not seen. */
export const cellsOf = (out: string): string[][] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
