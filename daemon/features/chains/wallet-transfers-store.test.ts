import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../contract/payments.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { PaidByHand } from './paid-by-hand.js';
import { type WalletTransfer, WalletTransfersStore } from './wallet-transfers-store.js';

type Added = Parameters<WalletTransfersStore['add']>[0];

const transfer = (id: string, change: Partial<Added> = {}): Added => ({
  id,
  scope: 'pay main',
  key: `key of ${id}`,
  body_sha256: 'b',
  wallet: 'main',
  network: 'solana:local',
  recipient: 'bob',
  lamports: 5,
  is_real: 0,
  signature: `signature of ${id}`,
  wire: 'AAAA',
  created_ms: 1_800_000_000_500,
  ...change,
});

async function aStore(...transfers: Added[]) {
  const store = new WalletTransfersStore(aLocalNetwork().database);
  const added: WalletTransfer[] = [];
  for (const one of transfers) added.push(await store.add(one));
  return { store, added, hand: new PaidByHand(store) };
}

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('the manual payments in the store', () => {
  it('are in progress from when they are signed to when they are settled', async () => {
    const { store, added } = await aStore(transfer('a'), transfer('b'), transfer('c'));
    expect(added[0]).toEqual({ ...transfer('a'), seq: 1, state: 'signed', updated_ms: 1_800_000_000_500 });
    expect(store.unsettled()).toEqual(added);
    await store.settle(2, 'sent', 1_800_000_009_000);
    await store.settle(3, 'refused', 1_800_000_009_000);
    expect(ids(store.unsettled())).toEqual(['a']);
    expect(store.findByKey('pay main', 'key of b')).toEqual({
      ...added[1],
      state: 'sent',
      updated_ms: 1_800_000_009_000,
    });
    expect(store.findByKey('pay other', 'key of b')).toBeUndefined();
    expect(store.findByKey('pay main', 'key of d')).toBeUndefined();
  });

  it('have one for each idempotency key: only a refused one is replaced', async () => {
    const { store, added } = await aStore(transfer('a'), transfer('other', { scope: 'pay other', key: 'key of a' }));
    await store.settle(Number(added[1]?.seq), 'refused', 1);
    await expect(store.add(transfer('again', { key: 'key of a' }))).rejects.toThrow('UNIQUE');
    await store.settle(Number(added[0]?.seq), 'refused', 1);
    await store.add(transfer('again', { key: 'key of a' }));
    expect(ids(store.list({ limit: 10 })).sort()).toEqual(['again', 'other']);
  });

  const rows = () =>
    aStore(
      transfer('a', { created_ms: 1_800_000_000_000, recipient: 'alice' }),
      transfer('b', { created_ms: 1_800_000_001_000 }),
      transfer('c', { created_ms: 1_800_000_001_000 }),
    );

  it.each<[pick: Partial<Parameters<WalletTransfersStore['list']>[0]>, found: string[]]>([
    [{}, ['c', 'b', 'a']],
    [{ limit: 2 }, ['c', 'b']],
    [{ state: 'sent' }, ['b']],
    [{ recipient: 'alice' }, ['a']],
    [{ since: 1_800_000_001 }, ['c', 'b']],
    [{ since: 1_800_000_002 }, []],
    [{ q: 'signature of a' }, ['a']],
    [{ q: 'lic' }, ['a']],
    [{ q: 'main' }, []],
    [{ before: { createdMs: 1_800_000_001_000, id: 'c' } }, ['b', 'a']],
    [{ before: { createdMs: 1_800_000_001_000, id: 'a' } }, ['a']],
  ])('are listed newest first, by time and then by id, picked by %j', async (pick, found) => {
    const { store, added } = await rows();
    await store.settle(Number(added[1]?.seq), 'sent', 1);
    expect(ids(store.list({ limit: 10, ...pick }))).toEqual(found);
  });
});

describe('the manual payments in the ledger', () => {
  it('are entries of the spent side with all that is known of them', async () => {
    const { store, hand } = await aStore(transfer('a'), transfer('b', { is_real: 1, network: 'solana:mainnet' }));
    await store.settle(1, 'sent', 1_800_000_009_900);
    const entry: LedgerEntry = {
      id: 'a',
      side: 'spent',
      kind: 'transfer',
      state: 'settled',
      mode: null,
      agent: 'bob',
      skill: null,
      counterparty: 'bob',
      amount_lamports: 5,
      network: 'solana:local',
      real: false,
      nonce: null,
      signature: 'signature of a',
      api_key_last4: null,
      reason: 'by_hand',
      latency_ms: null,
      created_at: 1_800_000_000,
      updated_at: 1_800_000_009,
    };
    expect(hand.side).toBe('spent');
    expect(hand.list({ limit: 10 })).toEqual([
      {
        createdMs: 1_800_000_000_500,
        entry: {
          ...entry,
          id: 'b',
          state: 'paid',
          network: 'solana:mainnet',
          real: true,
          signature: 'signature of b',
          updated_at: 1_800_000_000,
        },
      },
      { createdMs: 1_800_000_000_500, entry },
    ]);
  });

  it.each<[pick: Partial<Parameters<PaidByHand['list']>[0]>, found: string[]]>([
    [{ state: 'paid' }, ['c']],
    [{ state: 'settled' }, ['b']],
    [{ state: 'refused' }, ['a']],
    [{ state: 'owed' }, []],
    [{ mode: 'x402' }, []],
    [{ agent: 'alice' }, ['c']],
    [{ q: 'of b' }, ['b']],
    [{ since: 1_800_000_001 }, ['c']],
    [{ before: { createdMs: 1_800_000_000_500, id: 'b' } }, ['a']],
    [{ limit: 1 }, ['c']],
  ])('are picked by %j', async (pick, found) => {
    const { store, hand } = await aStore(
      transfer('a'),
      transfer('b'),
      transfer('c', { recipient: 'alice', created_ms: 1_800_000_001_500 }),
    );
    await store.settle(1, 'refused', 1);
    await store.settle(2, 'sent', 1);
    expect(ids(hand.list({ limit: 10, ...pick }).map(({ entry }) => entry))).toEqual(found);
  });
});
