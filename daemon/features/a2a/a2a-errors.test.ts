import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { openedStream } from './a2a-answer.js';
import { A2aRequestError, malformed, toA2aError, versionNotSupported } from './a2a-errors.js';
import { refusedBody } from './refused-body.js';

const faults: unknown[] = [];
const convert = (error: unknown) =>
  toA2aError(error, (fault) => {
    faults.push(fault);
    return 'log-1';
  });

describe('an error for A2A', () => {
  it.each([
    ['not_found', TaskNotFoundError],
    ['bad_request', RequestMalformedError],
    ['unknown_key', RequestMalformedError],
    ['too_large', RequestMalformedError],
    ['unsupported_media_type', ContentTypeNotSupportedError],
    ['forbidden', UnsupportedOperationError],
    ['member_gone', UnsupportedOperationError],
  ] as const)('of the code %s has the kind that A2A defines', (code, kind) => {
    const error = convert(new MeshError(code, 'Why.'));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toBe('Why.');
  });

  it.each([
    ['too_many_requests', 429, 7],
    ['payment_required', 402, undefined],
    ['store_readonly', 503, undefined],
  ] as const)('of the code %s has its status', (code, status, retry_after) => {
    const error = convert(new MeshError(code, 'Why.', { details: { retry_after: retry_after ?? 'soon' } }));
    expect(error).toBeInstanceOf(A2aRequestError);
    expect(error).toMatchObject({
      ...{ transport: 'jsonrpc', envelopeCode: -32000, status, reason: code.toUpperCase(), message: 'Why.' },
      retryAfterSeconds: retry_after,
    });
  });

  it('stays what it is', () => {
    const error = new TaskNotFoundError('x');
    expect(convert(error)).toBe(error);
  });

  it('that nobody expected is logged, and told by the id of the log alone', () => {
    const fault = new Error('secret');
    expect(convert(fault)).toMatchObject({
      ...{
        envelopeCode: -32603,
        status: 500,
        reason: 'INTERNAL',
        message: 'The call failed; the log knows it as log-1.',
      },
    });
    expect(faults.at(-1)).toBe(fault);
  });

  it('of parameters or of an unknown version says so', () => {
    expect(malformed('x')).toMatchObject({ envelopeCode: -32602, status: 400, reason: 'INVALID_PARAMS', message: 'x' });
    expect(versionNotSupported('2'.repeat(30))).toBeInstanceOf(VersionNotSupportedError);
    expect(versionNotSupported('2'.repeat(30)).message).toBe(
      `A2A ${'2'.repeat(20)} is not spoken here; 1.0 and 0.3 are.`,
    );
  });
});

describe('a body that cannot be read', () => {
  const JSON_ERROR = new SyntaxError(`Unexpected ${'x'.repeat(200)}`);
  const ofBody = new MeshError('bad_request', 'Too deep.', { details: { path: 'a' } });

  it.each([
    ['of the guard', new MeshError('bad_request', 'No host.'), 400, 400, -32600, 'No host.'],
    ['with a mistake', ofBody, 200, 400, -32600, 'Too deep.'],
    ['that is too large', new MeshError('too_large', 'Too large.'), 413, 413, -32600, 'Too large.'],
    [
      'of another type',
      { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 },
      ...([415, 415, -32005, 'Send the body as application/json or application/a2a+json.'] as const),
    ],
    ['above 1 MiB', { statusCode: 413 }, 413, 413, -32600, 'The body is larger than 1048576 bytes.'],
    [
      'that is no JSON',
      JSON_ERROR,
      ...([200, 400, -32700, `The body is no JSON: ${JSON_ERROR.message.slice(0, 120)}`] as const),
    ],
    ['without a message', { statusCode: 400 }, 200, 400, -32700, 'The body is no JSON: '],
  ] as const)('%s is refused in the form of the call', (_what, error, rpcStatus, status, code, message) => {
    expect(refusedBody(error, true)).toEqual({
      ...{ kind: 'json', status: rpcStatus, contentType: 'application/json; charset=utf-8' },
      body: { jsonrpc: '2.0', id: null, error: { code, message } },
    });
    expect(refusedBody(error, false)).toEqual({
      ...{ kind: 'json', status, contentType: 'application/a2a+json; charset=utf-8' },
      body: { error: { code: status, status: 'INVALID_ARGUMENT', message, details: [] } },
    });
  });

  it('is not every error', () => {
    for (const error of [new MeshError('not_found', 'x'), new Error('x'), { statusCode: 500 }])
      expect([refusedBody(error, true), refusedBody(error, false)]).toEqual([undefined, undefined]);
  });
});

describe('a stream', () => {
  const open = (events: AsyncIterable<number>) =>
    openedStream(
      events,
      (event) => `event ${event}`,
      () => ({ kind: 'nothing', status: 500 }),
      (error) => `last ${(error as Error).message}`,
    );
  const read = async (events: AsyncIterable<number>) => {
    const answer = await open(events);
    const texts: string[] = [];
    if (answer.kind === 'stream') for await (const text of answer.events) texts.push(text);
    return texts.join(', ');
  };

  it('gives its events in order, and an error among them as the last', async () => {
    expect(
      await read(
        (async function* () {
          yield* [1, 2, 3];
        })(),
      ),
    ).toBe('event 1, event 2, event 3');
    expect(
      await read(
        (async function* () {
          yield 1;
          throw new Error('No.');
        })(),
      ),
    ).toBe('event 1, last No.');
    expect(await read((async function* () {})())).toBe('');
  });

  it('that fails at its first event is an answer like that of another call', async () => {
    const failing = (async function* () {
      yield* await Promise.reject<number[]>(new Error('No.'));
    })();
    expect(await open(failing)).toEqual({ kind: 'nothing', status: 500 });
  });

  it('is closed when its reader leaves', async () => {
    let isClosed = false;
    const answer = await open(
      (async function* () {
        try {
          yield* [1, 2];
        } finally {
          isClosed = true;
        }
      })(),
    );
    if (answer.kind !== 'stream') throw new Error('It is no stream.');
    expect((await answer.events.next()).value).toBe('event 1');
    await answer.events.return();
    expect(isClosed).toBe(true);
  });
});
