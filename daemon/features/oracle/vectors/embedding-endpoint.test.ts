import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StandInEmbeddings } from '../../../testing/stand-ins/embedding-endpoint.js';
import { EmbeddingEndpoint, parseVectors, TextsLate, TextsRefused } from './embedding-endpoint.js';

const MEGABYTES = 1_024 * 1_024;

const never = new AbortController().signal;
const at = (baseUrl: string, apiKey?: string) => new EmbeddingEndpoint({ baseUrl, model: 'small', apiKey });

/** An address whose requests are handled by `answer`. */
async function listening(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer as NonNullable<typeof answer>);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a request to an endpoint', () => {
  it('asks for numbers of the texts from the named model', async () => {
    const standIn = await StandInEmbeddings.start((text) => [text.length, 1]);
    const vectors = await at(standIn.baseUrl, 'key').embed(['one', 'three'], 60_000, never);
    expect(vectors.map((vector) => [...(vector ?? [])])).toEqual([
      [3, 1],
      [5, 1],
    ]);
    expect(standIn.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/embeddings', { model: 'small', input: ['one', 'three'], encoding_format: 'float' }],
    ]);
    expect(standIn.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer key',
    });
  });

  it('is made without a format of the numbers once the endpoint has refused that parameter', async () => {
    const bodies: string[] = [];
    const url = await listening(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      if (!body.includes('encoding_format')) return response.end(JSON.stringify({ data: [{ embedding: [1, 2] }] }));
      return response.writeHead(400).end('{"error":{"message":"Unsupported parameters: encoding_format"}}');
    });
    const endpoint = at(url);
    for (const text of ['one', 'two']) expect(await endpoint.embed([text], 60_000, never)).toHaveLength(1);
    expect(bodies.map((body) => body.includes('encoding_format'))).toEqual([true, false, false]);
  });

  it('names no key where there is none, and is a POST', async () => {
    const asked: unknown[] = [];
    const url = await listening((request, response) => {
      asked.push([request.method, request.headers.authorization]);
      response.end(JSON.stringify({ data: [{ embedding: [1, 2] }] }));
    });
    await at(url).embed(['one'], 60_000, never);
    expect(asked).toEqual([['POST', undefined]]);
  });

  it('ends when the answer does not come in time', async () => {
    const url = await listening(() => undefined);
    const late = at(url).embed(['one'], 1, never);
    await expect(late).rejects.toThrow(/^The embedding endpoint could not be used: .+\.$/);
    await expect(late).rejects.toBeInstanceOf(TextsLate);
  });

  it('ends when it is called off', async () => {
    const url = await listening(() => undefined);
    await expect(at(url).embed(['one'], 60_000, AbortSignal.abort())).rejects.toThrow('could not be used');
  });

  it('says the status of a refusal, and neither the key nor a text', async () => {
    const url = await listening((_, response) => void response.writeHead(418).end('{"data":[]}'));
    await expect(at(url, 'key-of-the-operator').embed(['a secret'], 60_000, never)).rejects.toThrow(
      /^The embedding endpoint could not be used: it answered with status 418\.$/,
    );
  });

  it.each([
    ['{"error":{"message":"batch size is invalid."}}', ': batch size is invalid'],
    [
      '{"error":"input length exceeds the context of key-of-the-operator"}',
      ': input length exceeds the context of [redacted]',
    ],
    ['{"detail":"Too long"}', ': Too long'],
    ['{"detail":[{"msg":"no text"}]}', ''],
    ['null', ''],
    ['<html>', ''],
  ])('says what the endpoint says about a refusal: %s', async (body, words) => {
    const url = await listening((_, response) => void response.writeHead(400).end(body));
    const refusal = at(url, 'key-of-the-operator').embed(['one'], 60_000, never);
    await expect(refusal).rejects.toThrow(
      new TextsRefused(`The embedding endpoint could not be used: it answered with status 400${words}.`),
    );
    await expect(refusal).rejects.toBeInstanceOf(TextsRefused);
  });

  it('sends no half of a character', async () => {
    const standIn = await StandInEmbeddings.start((text) => [text.length, 1]);
    await at(standIn.baseUrl).embed([`one ${'😀'.slice(0, 1)}`], 60_000, never);
    expect(standIn.texts).toEqual(['one \u{FFFD}']);
  });

  it.each([
    [12 * MEGABYTES, true],
    [12 * MEGABYTES + 1, false],
  ])('takes an answer of 20 megabytes and %i bytes: %s', async (bytes, isTaken) => {
    const answer = JSON.stringify({ data: [{ embedding: [1, 2] }] });
    const parts = [Buffer.from(answer.padEnd(20 * MEGABYTES)), Buffer.alloc(bytes, ' ')];
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(new Blob(parts)));
    onTestFinished(() => void vi.restoreAllMocks());
    const vectors = at('http://127.0.0.1').embed(['one'], 60_000, never);
    if (isTaken) expect((await vectors).length).toBe(1);
    else await expect(vectors).rejects.toThrow('could not be used: its answer is too large.');
  });
});

describe('vectors of an answer', () => {
  const entry = (index: unknown, ...embedding: readonly unknown[]) => ({ index, embedding });
  const long = (length: number) => entry(0, ...Array(length).fill(1));
  const COUNT = 'it must hold 2 vectors in "data"';
  const SIZE = 'vectors must have 2 to 4096 numbers';
  const FINITE = 'vectors must be finite numbers';
  const PLACE = 'every "index" must come once';

  it.each([
    ['nothing', null, COUNT],
    ['no list', { data: { length: 2 } }, COUNT],
    ['one', { data: [entry(0, 1, 2)] }, COUNT],
    ['three', { data: [entry(0, 1, 2), entry(1, 1, 2), entry(2, 1, 2)] }, COUNT],
    ['no entry', { data: [null, entry(1, 1, 2)] }, SIZE],
    ['no numbers', { data: [{ index: 0 }, entry(1, 1, 2)] }, SIZE],
    ['a text', { data: [{ index: 0, embedding: 'text' }, entry(1, 1, 2)] }, SIZE],
    ['one number', { data: [entry(0, 1), entry(1, 1)] }, SIZE],
    ['4,097 numbers', { data: [long(4_097), entry(1, 1, 2)] }, SIZE],
    ['a text among numbers', { data: [entry(0, 1, '2'), entry(1, 1, 2)] }, FINITE],
    ['a place twice', { data: [entry(1, 1, 2), entry(1, 1, 2)] }, PLACE],
    ['a place before the first', { data: [entry(-1, 1, 2), entry(1, 1, 2)] }, PLACE],
    ['a place after the last', { data: [entry(0, 1, 2), entry(2, 1, 2)] }, PLACE],
    ['a place between two', { data: [entry(0.5, 1, 2), entry(1, 1, 2)] }, PLACE],
    ['two lengths', { data: [entry(0, 1, 2), entry(1, 1, 2, 3)] }, 'all vectors must be of one length'],
  ])('with %s are refused', (_name, answer, reason) => {
    expect(() => parseVectors(answer, 2)).toThrow(
      new Error(`The embedding endpoint's answer is not usable: ${reason}.`),
    );
  });

  it('have 2 to 4,096 numbers', () => {
    expect(parseVectors({ data: [long(2)] }, 1)[0]).toHaveLength(2);
    expect(parseVectors({ data: [long(4_096)] }, 1)[0]).toHaveLength(4_096);
  });

  it('without a place are taken in their order', () => {
    const data = [entry(undefined, 1, 2), entry('0', 3, 4)];
    expect(parseVectors({ data }, 2).map((vector) => [...(vector ?? [])])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});
