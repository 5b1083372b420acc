import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { OtlpCollector } from '../../testing/stand-ins/otlp-collector.js';
import { Collector } from './collector.js';

const never = new AbortController().signal;
const KEY = 'collector-key-8Hq3xW';

async function staged(headers: { name: string; value: string }[] = []) {
  const standIn = await OtlpCollector.start();
  const collector = new Collector({ address: `${standIn.address}`, headers }, new FakeClock());
  const send = (path: '/v1/traces' | '/v1/metrics' = '/v1/traces') => collector.send(path, '{"a":1}', never);
  return { standIn, send };
}

describe('a request to a collector', () => {
  it('is the body at the path of its signal, with the headers of the operator', async () => {
    const { standIn, send } = await staged([{ name: 'X-Key', value: KEY }]);
    expect(await send('/v1/metrics')).toEqual({
      ...{ state: 'taken', status: 200, message: 'The collector answered 200.', rejected: 0 },
    });
    expect(standIn.requests.map(({ path, body }) => [path, body])).toEqual([['/v1/metrics', '{"a":1}']]);
    expect(standIn.requests[0]?.headers['x-key']).toBe(KEY);
  });

  it.each([
    [200, 'taken'],
    [202, 'taken'],
    [299, 'taken'],
    [400, 'refused'],
    [401, 'refused'],
    [429, 'away'],
    [500, 'refused'],
    [502, 'away'],
    [503, 'away'],
    [504, 'away'],
  ])('that is answered with %i is %s', async (status, state) => {
    const { standIn, send } = await staged();
    standIn.reply = { status, body: {} };
    expect(await send()).toEqual({ state, status, message: `The collector answered ${status}.`, rejected: 0 });
  });

  it('to a collector that is away is told with its address', async () => {
    const { standIn, send } = await staged();
    const { address } = standIn;
    await standIn.stop();
    expect(await send()).toEqual({
      ...{ state: 'away', status: null, rejected: 0 },
      message: `${address}: No connection to it could be made, or it broke.`,
    });
  });
});

describe('the words of a collector', () => {
  const said = async (status: number, body: object) => {
    const { standIn, send } = await staged([
      { name: 'x-key', value: KEY },
      { name: 'x-other', value: 'other-value' },
    ]);
    standIn.reply = { status, body };
    return (await send()).message;
  };

  it('about a refusal are told, without their full stop', async () => {
    expect(await said(400, { message: 'Bad span. ' })).toBe('The collector answered 400: Bad span.');
    expect(await said(400, { message: 'a. b' })).toBe('The collector answered 400: a. b.');
    expect(await said(400, { message: 7 })).toBe('The collector answered 400.');
    expect(await said(415, { detail: 'Unsupported' })).toBe('The collector answered 415: it takes no OTLP as JSON.');
    expect(await said(400, { message: null, partialSuccess: { errorMessage: 'Too old' } })).toBe(
      'The collector answered 400: Too old.',
    );
    expect(await said(400, { partialSuccess: 'no object' })).toBe('The collector answered 400.');
  });

  it('have no value of a header, and are cut', async () => {
    expect(await said(401, { message: `${KEY} and ${KEY}, other-value` })).toBe(
      'The collector answered 401: [redacted] and [redacted], [redacted].',
    );
    expect(await said(400, { message: 'k '.repeat(300) })).toBe(
      `The collector answered 400: ${'k '.repeat(100).trim()}.`,
    );
  });

  it.each([
    ['2', 2],
    [3, 3],
    ['-1', 0],
    ['1.5', 0],
    ['many', 0],
    [null, 0],
  ])('about %j rejected spans count as %i', async (rejectedSpans, rejected) => {
    const { standIn, send } = await staged();
    standIn.reply = { status: 200, body: { partialSuccess: { rejectedSpans, errorMessage: 'too old' } } };
    const some = rejected === 0 ? '' : ` It refused ${rejected} of the spans: too old.`;
    expect(await send()).toMatchObject({ state: 'taken', rejected, message: `The collector answered 200.${some}` });
  });

  it('about rejected spans may be missing', async () => {
    expect(await said(200, { partialSuccess: { rejectedSpans: 1 } })).toBe(
      'The collector answered 200. It refused 1 of the spans.',
    );
  });
});
