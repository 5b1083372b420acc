import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NetworkName } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Chain, ChainTransaction, SignedTransfer } from '../chains/chain.js';
import type { PayingParts } from './paying-ports.js';
import type { SpentRow } from './spent-store.js';
import { NotSentError, Transfers } from './transfers.js';

const MINUTE_MS = 60_000;

const refused = (reason: string) => new MeshError('bad_request', 'The network refused it.', { details: { reason } });
const away = () => new MeshError('network_unavailable', 'The network cannot be reached.');
const seen = (failed: boolean) => ({ failed }) as ChainTransaction;

interface Network {
  name?: NetworkName;
  /** What happens to the transfer when it is sent at that time. */
  onSend(ms: number): void;
  /** What a lookup of the transfer finds at that time. */
  onFind(ms: number): ChainTransaction | undefined;
}

/** Carries one transfer to its end: `anew` signs it, otherwise it was recorded by an earlier process. */
async function carry(network: Network, how: 'anew' | 'recorded') {
  const clock = new FakeClock();
  const sent: string[] = [];
  let signed = 0;
  const chain = {
    network: network.name ?? 'solana:devnet',
    sign: async () => ({ signature: `sig-${++signed}`, wire: `wire-${signed}` }),
    async send({ wire }: SignedTransfer) {
      sent.push(wire);
      network.onSend(clock.elapsed());
    },
    find: async () => network.onFind(clock.elapsed()),
  } as unknown as Chain;
  const row = { network: chain.network, address: 'payee', amount_lamports: 10, signature: null, wire: null };
  const parts = {
    chains: { get: async () => chain },
    wallet: async () => ({}),
    journal: {
      signed: async (one: SpentRow, transfer: SignedTransfer) => ({ ...one, ...transfer, signed_ms: clock.now() }),
      sent: async (one: SpentRow) => ({ ...one, state: 'paid' }),
    },
    clock,
  } as unknown as PayingParts;
  const transfers = new Transfers(parts);
  const { signal } = new AbortController();
  const recorded = { ...row, signature: 'sig-0', wire: 'wire-0', signed_ms: clock.now() };
  let outcome: { paid: unknown } | { error: unknown } | undefined;
  const carried =
    how === 'anew'
      ? transfers.make(row as unknown as SpentRow, 'memo', signal)
      : transfers.finish(recorded as unknown as SpentRow, signal);
  void carried.then(
    (paid) => {
      outcome = { paid };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  for (;;) {
    for (let tick = 0; tick < 5; tick += 1) await waitForTick();
    if (outcome) return { ...outcome, sent, minutes: clock.elapsed() / MINUTE_MS };
    clock.advance(1_000);
  }
}

describe('A transfer that the network refuses', () => {
  it('did not happen when it was just signed and nobody has seen it', async () => {
    const end = await carry({ onSend: () => raise(refused('refused')), onFind: () => undefined }, 'anew');
    expect(end).toMatchObject({ error: expect.any(NotSentError), sent: ['wire-1'] });
  });

  it.each(['refused', 'expired'])(
    'as %s is not given up while it cannot be looked up: it may have happened',
    async (why) => {
      const end = await carry(
        {
          onSend: () => raise(refused(why)),
          onFind: (ms) => (ms < MINUTE_MS ? raise(away()) : seen(false)),
        },
        'anew',
      );
      expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-1' } });
      expect(new Set(end.sent)).toEqual(new Set(['wire-1']));
    },
  );

  it('is not given up when an earlier process may have sent it, before its blockhash has expired for certain', async () => {
    const end = await carry(
      { onSend: () => raise(refused('refused')), onFind: (ms) => (ms < 2 * MINUTE_MS ? undefined : seen(false)) },
      'recorded',
    );
    expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-0' } });
    expect(new Set(end.sent)).toEqual(new Set(['wire-0']));
  });

  it.each<[string, Network, number]>([
    ['its blockhash has expired', { onSend: () => raise(refused('expired')), onFind: () => undefined }, 0],
    ['three minutes have passed', { onSend: () => raise(refused('refused')), onFind: () => undefined }, 3],
    [
      'the network decides at once',
      { name: 'solana:local', onSend: () => raise(refused('refused')), onFind: () => undefined },
      0,
    ],
    ['it was carried out and failed', { onSend: () => raise(refused('failed')), onFind: () => seen(true) }, 0],
  ])('did not happen, although an earlier process sent it, when %s', async (_when, network, minutes) => {
    const end = await carry(network, 'recorded');
    expect(end).toMatchObject({ error: expect.any(NotSentError) });
    expect(Math.floor(end.minutes)).toBe(minutes);
  });
});

describe('A transfer on a network that gives no answer', () => {
  it('is sent again, always the same one, until it is confirmed', async () => {
    const end = await carry(
      { onSend: (ms) => (ms < MINUTE_MS ? raise(away()) : undefined), onFind: () => undefined },
      'anew',
    );
    expect(end).toMatchObject({ paid: { signature: 'sig-1' } });
    expect(end.sent.length).toBeGreaterThan(3);
    expect(new Set(end.sent)).toEqual(new Set(['wire-1']));
  });

  it('has an unknown outcome after six minutes, which is no licence to sign another one', async () => {
    const end = await carry({ onSend: () => raise(away()), onFind: () => undefined }, 'anew');
    expect(end).toMatchObject({ error: { code: 'network_unavailable' } });
    expect((end as { error: unknown }).error).not.toBeInstanceOf(NotSentError);
    expect(Math.floor(end.minutes)).toBe(6);
  });
});

function raise(error: Error): never {
  throw error;
}
