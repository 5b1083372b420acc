import { setImmediate as waitForTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { REPORT_BODY_LIMIT } from '../../contract/network/reputation.js';
import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type FindBureau, fileReportAt } from './file-report.js';
import type { ExchangeAnswer } from './paying-ports.js';

const REPORT = { outcome: 'success' };
const FILED = { ok: true, score: 0.5, dims: { speed: 1 } };

type Said = Pick<ExchangeAnswer, 'status' | 'json'>;

function reports(say: (attempt: number) => Said, findBureau?: FindBureau) {
  const clock = new FakeClock();
  const sent: OutboundRequest[] = [];
  const triedMs: number[] = [];
  const exchange = {
    async send(request: OutboundRequest) {
      sent.push(request);
      return { ...say(sent.length), header: () => undefined };
    },
  };
  const signer = { pubkey: 'key', sign: (method: string, path: string, body?: string) => `${method} ${path} ${body}` };
  const find: FindBureau | undefined =
    findBureau &&
    (async (id) => {
      triedMs.push(clock.elapsed());
      return findBureau(id);
    });
  const file = fileReportAt(() => 'http://127.0.0.1:7', { exchange, signer, clock }, find);
  const end = async (signal = new AbortController().signal) => {
    let done: { result: unknown } | undefined;
    void file('an agent', REPORT, 'once', signal)
      .catch((error: unknown) => error)
      .then((result) => {
        done = { result };
      });
    for (;;) {
      for (let tick = 0; tick < 3; tick += 1) await waitForTick();
      if (done) return done.result;
      clock.advance(50);
    }
  };
  return { clock, sent, triedMs, end };
}

it('files with the bureau of this daemon, signed and under a key that makes a repeat one report', async () => {
  const { sent, end } = reports(() => ({ status: 200, json: { ...FILED, more: 'left out' } }));
  expect(await end()).toEqual(FILED);
  const body = JSON.stringify(REPORT);
  const path = '/v1/agents/an%20agent/feedback';
  expect(sent).toEqual([
    {
      ...{ method: 'POST', url: `http://127.0.0.1:7${path}`, body, totalMs: 5_000, maxBytes: REPORT_BODY_LIMIT },
      headers: { 'mesh-sig': `POST ${path} ${body}`, 'idempotency-key': 'once' },
    },
  ]);
});

it.each<[string, Said, string]>([
  ['another status', { status: 403, json: { error: 'forbidden', message: 'No.' } }, 'status 403, forbidden: No'],
  ['another status with ok', { status: 202, json: { ok: true } }, 'status 202'],
  ['a body without ok', { status: 200, json: { score: 1 } }, 'status 200'],
  ['an ok that is no boolean', { status: 200, json: { ok: 'yes' } }, 'status 200'],
  ['no JSON', { status: 502, json: undefined }, 'status 502'],
])('reports %s as not filed', async (_what, said, error) => {
  expect(await reports(() => said).end()).toEqual({ ok: false, error });
});

it('does not try the bureau of this daemon again, and says why nothing was filed', async () => {
  const { sent, end } = reports(() => {
    throw new Error('connection refused');
  });
  expect(await end()).toEqual({ ok: false, error: 'connection refused' });
  expect(sent).toHaveLength(1);
});

it('files with the bureau of an agent elsewhere, under its id there, and tries that again when it gives no answer', async () => {
  const other = { address: 'http://127.0.0.1:9', agentId: 'there/7' };
  const { sent, clock, end } = reports(
    (attempt) => {
      if (attempt < 4) throw new Error('hung up');
      return { status: 200, json: FILED };
    },
    async () => other,
  );
  expect(await end()).toEqual(FILED);
  expect(sent.map(({ url }) => url)).toEqual(Array(4).fill('http://127.0.0.1:9/v1/agents/there%2F7/feedback'));
  expect(clock.elapsed()).toBe(250 + 500 + 1_000);
});

it('gives an agent elsewhere up after half a minute, with pauses of at most four seconds', async () => {
  const { triedMs, end } = reports(
    () => ({ status: 200, json: FILED }),
    async () => {
      throw new Error('its daemon does not run');
    },
  );
  expect(await end()).toEqual({ ok: false, error: 'its daemon does not run' });
  expect(triedMs.map((ms, at) => ms - (triedMs[at - 1] ?? 0))).toEqual([
    ...[0, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000],
  ]);
});

it('ends the wait for a bureau when the daemon stops', async () => {
  const controller = new AbortController();
  const { triedMs, end } = reports(
    () => ({ status: 200, json: FILED }),
    async () => {
      queueMicrotask(() => controller.abort());
      throw new Error('its daemon does not run');
    },
  );
  expect(await end(controller.signal)).toMatchObject({ name: 'StoppedError' });
  expect(triedMs).toEqual([0]);
});
