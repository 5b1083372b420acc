import { describe, expect, it } from 'vitest';
import { aLocalNetwork } from '../../../testing/apps/a-local-network.js';
import type { LedgerRow, LocalLedger } from './local-ledger.js';

const aRow = (signature: string, change: Partial<LedgerRow> = {}): Omit<LedgerRow, 'seq'> => ({
  signature,
  slot: 3,
  block_time: 1_800_000_000,
  wire: Buffer.from([1, 2]),
  error: null,
  fee: 5000,
  minted: 0,
  compute_units: 150,
  pre_balances: '[10]',
  post_balances: '[5]',
  logs: '[]',
  memo: null,
  ...change,
});

/** Adds a transaction for each of `signatures`, all of which name `alice`. */
async function withRows(...signatures: string[]): Promise<LocalLedger> {
  const { ledger } = aLocalNetwork();
  await ledger.write(() => {
    for (const signature of signatures) ledger.add(aRow(signature), ['alice']);
  });
  return ledger;
}

const signaturesOf = (rows: readonly LedgerRow[]) => rows.map(({ signature }) => signature);

describe('the ledger of the local network', () => {
  it('has nothing before the first transaction', () => {
    const { ledger } = aLocalNetwork();
    expect(ledger.findGenesis()).toBeUndefined();
    expect(ledger.newest()).toEqual({ slot: 0, block_time: 0, count: 0 });
    expect(ledger.totals()).toEqual({ minted: 0, fees: 0, held: 0 });
    expect([ledger.minted(), ledger.getLamports('alice')]).toEqual([0, 0]);
    expect(ledger.find('a')).toBeUndefined();
    expect(ledger.listTransactions('alice', { limit: 10 })).toEqual([]);
  });

  it('keeps the first genesis, and returns it for any other', async () => {
    const { ledger } = aLocalNetwork();
    const genesis = (byte: number) => ({
      hash: `genesis ${byte}`,
      started_ms: byte,
      blockhash_key: Buffer.alloc(32, byte),
      faucet_seed: Buffer.alloc(32, byte + 1),
    });
    expect(await ledger.write(() => ledger.begin(genesis(1)))).toEqual(genesis(1));
    expect(await ledger.write(() => ledger.begin(genesis(5)))).toEqual(genesis(1));
    expect(ledger.findGenesis()).toEqual(genesis(1));
  });

  it('returns a transaction with everything that was recorded of it, for the addresses that it names', async () => {
    const { ledger } = aLocalNetwork();
    const failed = aRow('b', { slot: 4, block_time: 7, error: '"x"', minted: 9, memo: '[1] x' });
    const [first, second] = await ledger.write(() => [
      ledger.add(aRow('a'), ['alice', 'bob']),
      ledger.add(failed, ['alice']),
    ]);
    expect([first, second]).toEqual([
      { ...aRow('a'), seq: 1 },
      { ...failed, seq: 2 },
    ]);
    expect([ledger.find('a'), ledger.find('b')]).toEqual([first, second]);
    expect(ledger.listTransactions('alice', { limit: 10 })).toEqual([second, first]);
    expect(ledger.listTransactions('bob', { limit: 10 })).toEqual([first]);
    expect(ledger.newest()).toEqual({ slot: 4, block_time: 7, count: 2 });
  });

  it.each<[between: { until?: string; before?: string; limit?: number }, found: string[]]>([
    [{}, ['c', 'b', 'a']],
    [{ limit: 2 }, ['c', 'b']],
    [{ until: 'a' }, ['c', 'b']],
    [{ before: 'c' }, ['b', 'a']],
    [{ until: 'a', before: 'c' }, ['b']],
    [{ until: 'c' }, []],
    [{ before: 'a' }, []],
    // As on the public networks, a signature that is not known limits nothing.
    [{ until: 'unknown' }, ['c', 'b', 'a']],
    [{ before: 'unknown' }, ['c', 'b', 'a']],
  ])('lists the transactions of an address newest first, between %j', async (between, found) => {
    const ledger = await withRows('a', 'b', 'c');
    expect(signaturesOf(ledger.listTransactions('alice', { limit: 10, ...between }))).toEqual(found);
  });

  it('has what each account holds; one that holds nothing takes no place', async () => {
    const { ledger, database } = aLocalNetwork();
    await ledger.write(() => {
      ledger.setLamports('alice', 7);
      ledger.setLamports('bob', 5);
      ledger.setLamports('alice', 9);
      ledger.setLamports('bob', 0);
    });
    expect([ledger.getLamports('alice'), ledger.getLamports('bob')]).toEqual([9, 0]);
    expect(database.sql('SELECT address, lamports FROM chain_accounts').all()).toEqual([
      { address: 'alice', lamports: 9 },
    ]);
  });

  it('sums what was minted, what was paid in fees, and what is held', async () => {
    const { ledger } = aLocalNetwork();
    await ledger.write(() => {
      ledger.add(aRow('a', { minted: 20_000 }), []);
      ledger.add(aRow('b', { fee: 10_000 }), []);
      ledger.add(aRow('c', { minted: 7 }), []);
      ledger.setLamports('alice', 4000);
      ledger.setLamports('bob', 1007);
    });
    expect(ledger.totals()).toEqual({ minted: 20_007, fees: 20_000, held: 5007 });
    expect(ledger.minted()).toBe(20_007);
  });
});
