import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { CallRow } from './calls-store.js';
import { deliver } from './delivery.js';
import type { ExchangeAnswer, PayingParts } from './paying-ports.js';
import type { SpentRow } from './spent-store.js';

const VALID_SECONDS = 600;
const DONE = { status: 200, json: { painted: true } };

type Said = Pick<ExchangeAnswer, 'status' | 'json'>;

/** Presents a proof that is valid for ten minutes to an agent that gives the answers `say` returns, from the first. */
async function present(say: (attempt: number) => Said) {
  const clock = new FakeClock();
  const sentMs: number[] = [];
  const exchange: PayingParts['exchange'] = {
    async send() {
      sentMs.push(clock.elapsed());
      return { ...say(sentMs.length), header: () => undefined };
    },
  };
  const parts = { clock, exchange, signer: { pubkey: '', sign: () => '' } };
  const row = { signature: 'proof', nonce: 'nonce', expires_at: clock.now() / 1000 + VALID_SECONDS } as SpentRow;
  const request = { url: 'http://127.0.0.1:1/v1/paint', call: { input: {} } as CallRow, row };
  let end: { answer: unknown } | { error: unknown } | undefined;
  void deliver(parts, request, new AbortController().signal).then(
    ({ answer }) => {
      end = { answer: answer.json };
    },
    (error: unknown) => {
      end = { error };
    },
  );
  for (;;) {
    for (let tick = 0; tick < 3; tick += 1) await waitForTick();
    if (end) return { ...end, sentMs, seconds: clock.elapsed() / 1000 };
    clock.advance(50);
  }
}

describe('A proof that is presented to an agent with server errors', () => {
  it.each<[string, Said]>([
    ...[502, 503, 504, 520, 522, 530].map((status): [string, Said] => [
      `${status} without JSON of a proxy`,
      { status, json: undefined },
    ]),
    ['502 with an error in JSON of a proxy', { status: 502, json: { error: 'bad_gateway' } }],
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
