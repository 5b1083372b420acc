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
  /** Of the key that a top-up is paid for. */
  last4?: string;
  /** What happens to the transfer when it is sent at that time. */
  onSend(ms: number): void;
  /** What a lookup of the transfer finds at that time. */
  onFind(ms: number): ChainTransaction | undefined;
}

interface How {
  stepMs?: number;
  signal?: AbortSignal;
  changes?: Partial<SpentRow>;
}

/** Carries one transfer to its end: `anew` signs it, otherwise it was recorded by an earlier process. */
async function carry(
  network: Network,
  how: 'anew' | 'recorded',
  { stepMs = 1_000, signal = new AbortController().signal, changes = {} }: How = {},
) {
  const clock = new FakeClock();
  const sent: string[] = [];
  const sentMs: number[] = [];
  const signed: unknown[][] = [];
  const written: unknown[][] = [];
  const chain = {
    network: network.name ?? 'solana:devnet',
    async sign(...transfer: unknown[]) {
      const count = signed.push(transfer);
      return { signature: `sig-${count}`, wire: `wire-${count}` };
    },
    async send({ wire }: SignedTransfer) {
      sent.push(wire);
      sentMs.push(clock.elapsed());
      network.onSend(clock.elapsed());
    },
    find: async () => network.onFind(clock.elapsed()),
  } as unknown as Chain;
  const row = { network: chain.network, address: 'payee', amount_lamports: 10, signature: null, wire: null };
  const parts = {
    chains: { get: async (name: string) => (name === chain.network ? chain : undefined) },
    wallet: async () => ({ address: 'payer' }),
    journal: {
      async signed(one: SpentRow, ...facts: [SignedTransfer, string | null]) {
        written.push(facts);
        return { ...one, ...facts[0], signed_ms: clock.now() };
      },
      sent: async (one: SpentRow) => ({ ...one, state: 'paid' }),
    },
    clock,
  } as unknown as PayingParts;
  const transfers = new Transfers(parts);
  const recorded = { ...row, signature: 'sig-0', wire: 'wire-0', signed_ms: clock.now(), ...changes };
  let outcome: { paid: unknown } | { error: unknown } | undefined;
  const carried =
    how === 'anew'
      ? transfers.make(row as unknown as SpentRow, 'memo', signal, network.last4)
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
    if (outcome) return { ...outcome, sent, sentMs, signed, written, minutes: clock.elapsed() / MINUTE_MS };
    clock.advance(stepMs);
  }
}

describe('A transfer that is carried out', () => {
  const done: Network = { onSend: () => undefined, onFind: () => undefined };

  it('is signed with its amount and memo, recorded, and sent once', async () => {
    const end = await carry(done, 'anew');
    expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-1', wire: 'wire-1' }, sent: ['wire-1'] });
    expect(end.signed).toEqual([[{ address: 'payer' }, 'payee', 10n, 'memo']]);
    expect(end.written).toEqual([[{ signature: 'sig-1', wire: 'wire-1' }, null]]);
    expect((await carry({ ...done, last4: '1234' }, 'anew')).written).toMatchObject([[{}, '1234']]);
  });

  it('is not recorded, nor sent, when the daemon stops meanwhile', async () => {
    const end = await carry(done, 'anew', { signal: AbortSignal.abort() });
    expect(end).toMatchObject({ error: { name: 'StoppedError', message: 'Stopped.' }, written: [], sent: [] });
  });

  it('of an earlier process is sent again as it was recorded', async () => {
    const end = await carry(done, 'recorded');
    expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-0' }, sent: ['wire-0'], signed: [] });
  });

  it('and was final already is not sent again', async () => {
    const end = await carry(done, 'recorded', { changes: { wire: null, state: 'paid' } });
    expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-0', wire: null }, sent: [] });
  });

  it('is waited for with pauses that double up to ten seconds', async () => {
    const onSend = (ms: number) => (ms < 40_000 ? raise(new Error('hung up')) : undefined);
    const { sentMs } = await carry({ ...done, onSend }, 'recorded', { stepMs: 250 });
    expect(sentMs.map((ms, at) => ms - (sentMs[at - 1] ?? 0))).toEqual([
      ...[0, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000],
    ]);
  });

  it('is left to the next process when the daemon stops while it is waited for', async () => {
    const stopping = new AbortController();
    const onSend = () => {
      stopping.abort();
      raise(away());
    };
    const end = await carry({ ...done, onSend }, 'anew', { signal: stopping.signal });
    expect(end).toMatchObject({ error: { name: 'StoppedError', message: 'Stopped.' }, sentMs: [0] });
  });
});

describe('A transfer that the network refuses', () => {
  it('did not happen when it was just signed and nobody has seen it', async () => {
    const end = await carry({ onSend: () => raise(refused('refused')), onFind: () => undefined }, 'anew');
    expect(end).toMatchObject({ error: expect.any(NotSentError), sent: ['wire-1'] });
    expect(end).toMatchObject({ error: { message: 'The network refused it.', row: { signature: 'sig-1' } } });
  });

  it('says on which network it failed', async () => {
    const end = await carry({ onSend: () => raise(refused('failed')), onFind: () => seen(true) }, 'recorded');
    const message = 'The transfer failed on solana:devnet: nothing was moved.';
    expect(end).toMatchObject({ error: { name: 'NotSentError', message, row: { signature: 'sig-0' } } });
  });

  it('may have happened when it was sent before and that had no answer', async () => {
    const onSend = (ms: number) => (ms === 0 ? raise(away()) : raise(refused('refused')));
    const end = await carry({ onSend, onFind: (ms) => (ms < MINUTE_MS ? undefined : seen(false)) }, 'anew');
    expect(end).toMatchObject({ paid: { state: 'paid', signature: 'sig-1' } });
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

describe('A transfer of an earlier process', () => {
  const tries = async (onSend: () => void, signedBeforeMs: number) => {
    const signed_ms = new FakeClock().now() - signedBeforeMs;
    const { sent } = await carry({ onSend, onFind: () => undefined }, 'recorded', { changes: { signed_ms } });
    return sent.length > 1;
  };

  it.each([
    ['that is refused', () => raise(refused('refused')), 3],
    ['that gets no answer', () => raise(away()), 6],
  ] as const)('%s is sent again until the minutes since it was signed are over', async (_, onSend, minutes) => {
    expect(await tries(onSend, minutes * MINUTE_MS)).toBe(true);
    expect(await tries(onSend, minutes * MINUTE_MS + 1)).toBe(false);
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
    const message = 'Whether sig-1 was carried out on solana:devnet is not known: The network cannot be reached.';
    expect(end).toMatchObject({ error: { name: 'CallError', code: 'network_unavailable', message } });
    expect((end as { error: unknown }).error).not.toBeInstanceOf(NotSentError);
    expect(Math.floor(end.minutes)).toBe(6);
  });
});

function raise(error: Error): never {
  throw error;
}
