import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { deliver } from './delivery.js';
import type { ExchangeAnswer, PayingParts } from './paying-ports.js';
import type { SpentRow } from './spent-store.js';

const VALID_SECONDS = 600;
const DONE = { status: 200, json: { painted: true } };

type Said = Pick<ExchangeAnswer, 'status' | 'json'>;

/**
 * Presents a proof to an agent that gives the answers `say` returns, from the first. It is valid for ten minutes,
 * unless `changes` to its payment say otherwise.
 */
async function present(
  say: (attempt: number) => Said,
  changes: Partial<SpentRow> = {},
  signal = new AbortController().signal,
) {
  const clock = new FakeClock();
  const sentMs: number[] = [];
  const sent: OutboundRequest[] = [];
  const exchange: PayingParts['exchange'] = {
    async send(request) {
      sentMs.push(clock.elapsed());
      sent.push(request);
      return { ...say(sentMs.length), header: () => undefined };
    },
  };
  const parts = { clock, exchange, signer: { pubkey: '', sign: (method: string) => `signed ${method}` } };
  const expires_at = clock.now() / 1000 + VALID_SECONDS;
  const row = { signature: 'proof', nonce: 'nonce', expires_at, amount_lamports: 5_000, ...changes } as SpentRow;
  const request = {
    findUrl: async () => 'http://127.0.0.1:1/v1/paint',
    call: { input: { prompt: 'a lamp' } } as never,
    row,
  };
  let end: { answer: unknown; refund: unknown } | { error: unknown } | undefined;
  void deliver(parts, request, signal).then(
    ({ answer, refund }) => {
      end = { answer: answer.json, refund };
    },
    (error: unknown) => {
      end = { error };
    },
  );
  for (;;) {
    for (let tick = 0; tick < 3; tick += 1) await waitForTick();
    if (end) return { ...end, sent, sentMs, seconds: clock.elapsed() / 1000 };
    clock.advance(50);
  }
}

describe('A proof that is presented to an agent with server errors', () => {
  it.each<[string, Said]>([
    ...[502, 503, 504, 520, 522, 530].map((status): [string, Said] => [
      `${status} without JSON of a proxy`,
      { status, json: undefined },
    ]),
    ...[502, 504, 520, 530].map((status): [string, Said] => [
      `${status} with an error in JSON of a proxy`,
      { status, json: { error: 'bad_gateway' } },
    ]),
    ['503 of an agent that is overloaded', { status: 503, json: { error: 'overloaded', message: 'Busy.' } }],
    ['500 that is not JSON', { status: 500, json: undefined }],
    ['500 with JSON that names no error', { status: 500, json: { message: 'Internal' } }],
    ['500 with a list', { status: 500, json: ['error'] }],
  ])('is presented again after %s, with a bounded pause', async (_, said) => {
    const end = await present((attempt) => (attempt <= 8 ? said : DONE));
    expect(end).toMatchObject({ answer: DONE.json });
    expect(end.sentMs).toHaveLength(9);
    expect(end.seconds).toBeLessThan(40);
  });

  it('is given up a minute after its expiry when a proxy answers all the time', async () => {
    const end = await present(() => ({ status: 502, json: undefined }));
    expect(end).toMatchObject({ error: { code: 'not_delivered' } });
    expect(end.seconds).toBeGreaterThan(VALID_SECONDS + 60);
    expect(end.seconds).toBeLessThan(VALID_SECONDS + 71);
  });

  it.each([500, 501, 519, 531])('is given up after six answers %i of the agent itself', async (status) => {
    const end = await present(() => ({ status, json: { error: 'internal', message: 'It broke.' } }));
    expect(end).toMatchObject({ error: { code: 'not_delivered', message: expect.stringContaining('It broke') } });
    expect(end.sentMs).toHaveLength(6);
    expect(end.seconds).toBeLessThan(5);
  });
});

describe('A proof', () => {
  it('is presented in the headers of the signed call', async () => {
    const end = await present(() => DONE);
    expect(end).toMatchObject({ answer: DONE.json, refund: undefined });
    expect(end.sent).toMatchObject([
      {
        ...{ method: 'POST', url: 'http://127.0.0.1:1/v1/paint', body: '{"prompt":"a lamp"}' },
        headers: { 'mesh-sig': 'signed POST', 'x-payment-proof': 'proof', 'x-payment-nonce': 'nonce' },
      },
    ]);
  });

  it('is presented again after pauses that double up to ten seconds', async () => {
    const { sentMs } = await present((attempt) => (attempt <= 9 ? { status: 503, json: undefined } : DONE));
    expect(sentMs.map((ms, at) => ms - (sentMs[at - 1] ?? 0))).toEqual([
      ...[0, 150, 300, 600, 1_200, 2_400, 4_800, 9_600, 10_000, 10_000],
    ]);
  });

  it.each<[string, Said]>([
    ['a 408', { status: 408, json: { error: 'too_slow' } }],
    ['a 429', { status: 429, json: { error: 'too_many_requests' } }],
    ['a redirect', { status: 302, json: undefined }],
    ['a 404 without JSON of a proxy', { status: 404, json: undefined }],
    ['a 409 of a call that is under way', { status: 409, json: { error: 'in_flight' } }],
    ['a 425', { status: 425, json: undefined }],
    ...['not_yet_visible', 'network_unavailable', 'network_unreachable'].map((reason): [string, Said] => [
      `a 402 for ${reason}`,
      { status: 402, json: { error: 'payment_required', reason } },
    ]),
  ])('is presented again after %s', async (_, said) => {
    const end = await present((attempt) => (attempt <= 8 ? said : DONE));
    expect(end).toMatchObject({ answer: DONE.json });
    expect(end.sentMs).toHaveLength(9);
  });

  it('is presented again when there was no answer, which is what is told in the end', async () => {
    const hangUp = () => {
      throw new Error('hung up');
    };
    expect(await present((attempt) => (attempt === 1 ? hangUp() : DONE))).toMatchObject({ answer: DONE.json });
    const message =
      'The payment was made and nothing came of it: The agent at http://127.0.0.1:1/v1/paint did not answer: hung up.';
    expect(await present(hangUp, { expires_at: null })).toMatchObject({ error: { code: 'not_delivered', message } });
  });

  it.each<[string, Said, string, string]>([
    [
      'it is refused',
      { status: 402, json: { error: 'payment_required', reason: 'nonce_spent', message: 'Spent.' } },
      ...(['payment_refused', 'It does not take the proof: status 402, payment_required: Spent.'] as const),
    ],
    [
      'it is taken without a result',
      { status: 200, json: undefined },
      ...(['not_delivered', 'It took the payment and answered with no JSON.'] as const),
    ],
    ...[400, 403, 404, 409, 422, 499].map((status): [string, Said, string, string] => [
      `the call is refused with ${status}`,
      { status, json: { error: 'no' } },
      ...(['not_delivered', `It took the payment and did not deliver: status ${status}, no.`] as const),
    ]),
    [
      'a conflict is told without a reason',
      { status: 409, json: undefined },
      ...(['not_delivered', 'It took the payment and did not deliver: status 409.'] as const),
    ],
  ])('is not presented again when %s', async (_, said, code, message) => {
    expect(await present(() => said)).toMatchObject({ error: { name: 'CallError', code, message }, sentMs: [0] });
  });

  it.each([200, 204, 299])('is taken with an answer %i that has a result', async (status) => {
    expect(await present(() => ({ status, json: { status } }))).toMatchObject({ answer: { status }, sentMs: [0] });
  });

  it.each<[string, Partial<SpentRow>, number]>([
    ['its challenge', {}, VALID_SECONDS + 60],
    ['now when the challenge has expired long ago', { expires_at: 1 }, 60],
    ['now when it never expires', { expires_at: null }, 60],
  ])('is given up a minute after %s', async (_, changes, seconds) => {
    const end = await present(() => ({ status: 502, json: undefined }), changes);
    expect(end).toMatchObject({
      error: { code: 'not_delivered', message: 'The payment was made and nothing came of it: status 502.' },
    });
    const [last, before] = [end.sentMs.at(-1), end.sentMs.at(-2)] as [number, number];
    expect([last > seconds * 1000, before <= seconds * 1000]).toEqual([true, true]);
  });

  it('is not judged when the daemon stops', async () => {
    const stopping = new AbortController();
    const say = () => {
      stopping.abort();
      throw new Error('aborted');
    };
    expect(await present(say, {}, stopping.signal)).toMatchObject({ error: { name: 'StoppedError' }, sentMs: [0] });
  });
});

describe('A refund', () => {
  const KEY = `tk_${'k'.repeat(16)}`;
  const failed = (refund: unknown, status = 500): Said => ({ status, json: { error: 'internal', refund } });

  it.each<[unknown, unknown]>([
    [
      { api_key: KEY, lamports: 5_000 },
      { api_key: KEY, lamports: 5_000 },
    ],
    [
      { api_key: KEY, lamports: 0, more: 1 },
      { api_key: KEY, lamports: 0 },
    ],
    [
      { api_key: KEY, lamports: 5_001 },
      { api_key: KEY, lamports: 5_000 },
    ],
    [
      { api_key: KEY, lamports: -1 },
      { api_key: KEY, lamports: 0 },
    ],
    [
      { api_key: `tk_${'-_Z9'.repeat(32)}`, lamports: 1 },
      { api_key: `tk_${'-_Z9'.repeat(32)}`, lamports: 1 },
    ],
  ])('of at most the price is a balance with the agent: %#', async (refund, kept) => {
    expect(await present(() => failed(refund))).toMatchObject({ refund: kept, sentMs: [0] });
    expect(await present(() => failed(refund, 400))).toMatchObject({ refund: kept, sentMs: [0] });
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    [{ lamports: 5 }],
    [{ api_key: KEY }],
    [{ api_key: [KEY], lamports: 5 }],
    [{ api_key: KEY, lamports: '5' }],
    [{ api_key: KEY, lamports: 0.5 }],
    [{ api_key: KEY, lamports: 2 ** 53 }],
    [{ api_key: `tk_${'k'.repeat(15)}`, lamports: 5 }],
    [{ api_key: `tk_${'k'.repeat(129)}`, lamports: 5 }],
    [{ api_key: `x${KEY}`, lamports: 5 }],
    [{ api_key: `${KEY}!`, lamports: 5 }],
    [{ api_key: `tk_${'k!'.repeat(8)}`, lamports: 5 }],
  ])('that is none is a failure as any other: %#', async (refund) => {
    const end = await present((attempt) => (attempt === 1 ? failed(refund) : DONE));
    expect(end).toMatchObject({ answer: DONE.json, refund: undefined, sentMs: [0, 150] });
  });

  it('is none in a result, or in an answer that is no object', async () => {
    const refund = { api_key: KEY, lamports: 5 };
    expect(await present(() => failed(refund, 200))).toMatchObject({ answer: { refund }, refund: undefined });
    expect(await present(() => failed(refund, 399), { expires_at: null })).toMatchObject({
      error: { code: 'not_delivered' },
    });
    for (const json of ['text', null, 7])
      expect(await present((attempt) => (attempt === 1 ? { status: 500, json } : DONE))).toMatchObject({
        ...{ answer: DONE.json, refund: undefined },
      });
  });
});
