import { describe, expect, it } from 'vitest';
import { type ALocalNetwork, aLocalNetwork } from '../../../testing/apps/a-local-network.js';
import { aHandMadeTransaction } from '../../../testing/apps/hand-made-transaction.js';
import type { WalletKey } from '../chain.js';
import { InvalidTransactionError } from '../refused.js';
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from '../solana-programs.js';
import { LocalNetwork } from './local-network.js';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const [SYSTEM, MEMO] = [2, 3];

async function aPair(held = 20_000n) {
  const local = aLocalNetwork();
  const [alice, bob] = [await local.aWallet(held), await local.aWallet()];
  const told: (readonly string[])[] = [];
  local.network.onBalancesChanged((addresses) => told.push(addresses));
  return { local, alice, bob, told };
}

/** Lets every transaction fail to be recorded until the returned function is called. */
async function failing({ database }: ALocalNetwork, table: string): Promise<() => Promise<unknown>> {
  await database.write(() =>
    database.sql(`CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'full'); END`).run(),
  );
  return () => database.write(() => database.sql('DROP TRIGGER full').run());
}

async function sign(local: ALocalNetwork, from: WalletKey, to: string, lamports: bigint, memo?: string) {
  const { wire, signature } = await local.chain.sign(from, to, lamports, memo);
  return { signature, bytes: Buffer.from(wire, 'base64') };
}

describe('the beginning of the local network', () => {
  it('is one, also for two networks over one store', async () => {
    const { ledger, clock, network } = aLocalNetwork();
    const other = new LocalNetwork(ledger, clock);
    expect(network.slot).toBe(0);
    const [one, two] = await Promise.all([network.begun(), other.begun()]);
    expect(one).toEqual(two);
    expect(await new LocalNetwork(ledger, clock).begun()).toEqual(one);
    expect(one.started_ms).toBe(clock.now());
    expect([one.blockhash_key.length, one.faucet_seed.length]).toEqual([32, 32]);
    expect(one.blockhash_key).not.toEqual(one.faucet_seed);
  });

  it('that could not be stored is tried again by the next call', async () => {
    const local = aLocalNetwork();
    const mend = await failing(local, 'chain_genesis');
    await expect(local.network.begun()).rejects.toThrow('full');
    await mend();
    expect((await local.network.begun()).hash).toBe(local.ledger.findGenesis()?.hash);
  });

  it('that is stored is only read by the next daemon', async () => {
    const local = aLocalNetwork();
    const genesis = await local.network.begun();
    await failing(local, 'chain_genesis');
    expect(await new LocalNetwork(local.ledger, local.clock).begun()).toEqual(genesis);
  });
});

describe('who watches the balances of the local network', () => {
  it('is told the accounts that a transaction changed, once', async () => {
    const { local, alice, bob, told } = await aPair();
    const { bytes } = await sign(local, alice, bob.address, 10n);
    await local.network.send(bytes);
    expect(told).toEqual([[alice.address, bob.address]]);
    await local.network.send(bytes);
    await local.network.simulate((await sign(local, alice, bob.address, 10n)).bytes);
    expect(told).toHaveLength(1);
    await local.network.fund(bob.address, 5n);
    expect(told).toHaveLength(2);
    expect(told[1]).toContain(bob.address);
    expect(told[1]).not.toContain(SYSTEM_PROGRAM);
  });

  it('is told only who paid the fee when a transaction failed, and nothing when it was not recorded', async () => {
    const { local, alice, bob, told } = await aPair();
    const { bytes } = await sign(local, alice, bob.address, 19_000n);
    await expect(local.network.send(bytes)).rejects.toThrow('It would fail');
    const mend = await failing(local, 'chain_transactions');
    await expect(local.network.send(bytes, { mayFail: true })).rejects.toThrow('full');
    await mend();
    expect(told).toEqual([]);
    await local.network.send(bytes, { mayFail: true });
    expect(told).toEqual([[alice.address]]);
  });
});

describe('a transaction on the local network', () => {
  it('is recorded with its fee, the balances of its accounts and its memos', async () => {
    const { local, alice, bob } = await aPair();
    const { blockhash } = await local.network.lifetime();
    const transfer = Buffer.from('020000000a00000000000000', 'hex');
    const wire = aHandMadeTransaction(alice, bob.address, blockhash, [
      { program: MEMO, accounts: [], data: Buffer.from('ä') },
      { program: SYSTEM, accounts: [0, 1], data: transfer },
      { program: MEMO, accounts: [], data: Buffer.from('two') },
    ]);
    const row = await local.network.send(wire);
    expect(row).toMatchObject({ error: null, fee: 5000, minted: 0, memo: '[2] ä; [3] two', wire, slot: 0 });
    expect((JSON.parse(row.pre_balances) as number[]).slice(0, 2)).toEqual([20_000, 0]);
    expect((JSON.parse(row.post_balances) as number[]).slice(0, 2)).toEqual([14_990, 10]);
    expect(row.compute_units).toBeGreaterThan(0);
    expect(local.network.find(row.signature)).toEqual(row);
    expect(local.network.transactionCount).toBe(row.seq);
  });

  it('is listed for the accounts that it names, and not for its programs', async () => {
    const { local, alice, bob } = await aPair();
    await local.network.send((await sign(local, alice, bob.address, 10n, 'two programs')).bytes);
    const count = (address: string) => local.network.listTransactions(address, { limit: 10 }).length;
    expect([alice.address, bob.address, SYSTEM_PROGRAM, MEMO_PROGRAM].map(count)).toEqual([2, 1, 0, 0]);
  });

  it('that empties a wallet leaves it like one that never held anything', async () => {
    const { local, alice, bob } = await aPair(5010n);
    await local.network.send((await sign(local, alice, bob.address, 10n)).bytes);
    expect(local.network.getLamports(alice.address)).toBe(0n);
    expect(local.ledger.totals()).toEqual({ minted: 10_010, fees: 10_000, held: 10 });
  });

  it('is not recorded when it cannot pay its fee, although it may fail', async () => {
    const { local, alice, bob } = await aPair();
    const { bytes, signature } = await sign(local, bob, alice.address, 1n);
    await expect(local.network.send(bytes, { mayFail: true })).rejects.toMatchObject({
      name: 'TransactionRefusedError',
      error: 'AccountNotFound',
      message: 'It was refused: "AccountNotFound".',
    });
    expect(local.network.find(signature)).toBeUndefined();
  });

  it('is refused without a known blockhash, also when it may fail', async () => {
    const { local, alice, bob } = await aPair();
    const { bytes } = await sign(local, alice, bob.address, 1n);
    local.clock.advance(60_001);
    for (const mayFail of [false, true])
      await expect(local.network.send(bytes, { mayFail })).rejects.toMatchObject({
        name: 'TransactionRefusedError',
        error: 'BlockhashNotFound',
        message: 'Its blockhash is unknown or older than a minute: take a new one and sign again.',
      });
  });

  it('is refused when an instruction is not taken, also when it may fail and when it is simulated', async () => {
    const { local, alice, bob } = await aPair();
    const { blockhash } = await local.network.lifetime();
    const wire = aHandMadeTransaction(alice, bob.address, blockhash, [
      { program: SYSTEM, accounts: [0, 1], data: Buffer.from([8, 0, 0, 0]) },
    ]);
    const refusal = {
      name: 'TransactionRefusedError',
      error: 'InvalidProgramForExecution',
      message: 'The local network carries System transfers, memos and compute budgets, and no other instruction.',
    };
    await expect(local.network.send(wire)).rejects.toMatchObject(refusal);
    await expect(local.network.send(wire, { mayFail: true })).rejects.toMatchObject(refusal);
    await expect(local.network.simulate(wire)).rejects.toMatchObject(refusal);
    await expect(local.network.simulate(wire.subarray(1))).rejects.toThrow(InvalidTransactionError);
  });
});

describe('the faucet of the local network', () => {
  it('gives all that it has, and then says that it is empty', async () => {
    const { network, aWallet } = aLocalNetwork();
    const alice = await aWallet();
    const all = BigInt(Number.MAX_SAFE_INTEGER) - 5000n;
    const refusal = {
      code: 'bad_request',
      message: 'The faucet has not so many lamports left: ask for fewer.',
      details: { path: 'lamports' },
    };
    await expect(network.fund(alice.address, all + 1n)).rejects.toMatchObject(refusal);
    const row = await network.fund(alice.address, all);
    expect(row).toMatchObject({ minted: Number.MAX_SAFE_INTEGER, fee: 5000, error: null, memo: null });
    expect(network.getLamports(alice.address)).toBe(all);
    await expect(network.fund(alice.address, 0n)).rejects.toMatchObject(refusal);
  });

  it('gives nothing to an account of the machine', async () => {
    const { network, ledger } = aLocalNetwork();
    await expect(network.fund(CLOCK, 5n)).rejects.toMatchObject({ name: 'TransactionRefusedError' });
    expect(ledger.totals()).toEqual({ minted: 0, fees: 0, held: 0 });
  });
});

describe('the local network as a chain', () => {
  it('says why a transfer was not carried out', async () => {
    const { local, alice, bob } = await aPair();
    const expired = await local.chain.sign(alice, bob.address, 1n);
    local.clock.advance(60_001);
    const [poor, failed] = [
      await local.chain.sign(alice, bob.address, 19_000n),
      await local.chain.sign(alice, bob.address, 19_001n),
    ];
    await local.network.send(Buffer.from(failed.wire, 'base64'), { mayFail: true });
    const cases = [
      [expired, 'expired', 'The network refused the transfer. Its blockhash is unknown or older than a minute'],
      [poor, 'refused', 'The network refused the transfer. It would fail: {"InstructionError":[0,{"Custom":1}]}.'],
      [failed, 'failed', 'The transaction failed: {"InstructionError":[0,{"Custom":1}]}.'],
      [{ signature: 'x', wire: 'AAAA' }, 'refused', 'The network refused the transfer. Its bytes are no transaction.'],
    ] as const;
    for (const [transfer, reason, message] of cases)
      await expect(local.chain.send(transfer)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(message),
        details: { reason },
      });
  });

  it('fails for a reason of the daemon as that reason', async () => {
    const { local, alice, bob } = await aPair();
    const signed = await local.chain.sign(alice, bob.address, 1n);
    await failing(local, 'chain_transactions');
    await expect(local.chain.send(signed)).rejects.toThrow('full');
  });

  it('lists at most 1,000 transactions, between two of them', async () => {
    const { local, alice } = await aPair();
    const [bob, carol] = [await local.aWallet(3n), await local.aWallet()];
    await local.chain.send(await local.chain.sign(alice, bob.address, 1n));
    const [second, first] = await local.chain.listTransactions(bob.address);
    expect(await local.chain.listTransactions(bob.address, undefined, second?.signature)).toEqual([first]);
    expect(await local.chain.listTransactions(bob.address, first?.signature, second?.signature)).toEqual([]);
    expect(await local.chain.listTransactions(carol.address)).toEqual([]);
    expect([local.chain.network, local.chain.caip2, local.chain.real]).toEqual(['solana:local', 'solana:local', false]);
  });
});
