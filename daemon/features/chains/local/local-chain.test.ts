import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aLocalNetwork } from '../../../testing/apps/a-local-network.js';
import { aHandMadeTransaction } from '../../../testing/apps/hand-made-transaction.js';
import type { WalletKey } from '../chain.js';
import { TransactionRefusedError } from '../refused.js';
import { signTransfer } from '../solana-wire.js';

const FEE = 5000n;

describe('the local network', () => {
  it('transfers lamports, charges the sender, and reports transfer, memo and balance changes', async () => {
    const { chain, ledger, clock, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const signed = await chain.sign(alice, bob.address, 1000n, 'nonce-1');
    expect(await chain.find(signed.signature)).toBeUndefined();
    await chain.send(signed);
    expect(await chain.find(signed.signature)).toEqual({
      signature: signed.signature,
      failed: false,
      blockTime: Math.floor(clock.now() / 1000),
      transfers: [{ from: alice.address, to: bob.address, lamports: 1000n }],
      memos: ['nonce-1'],
      balanceChanges: new Map([
        [alice.address, -1000n - FEE],
        [bob.address, 1000n],
      ]),
    });
    expect(ledger.totals()).toEqual({ minted: 1_005_000, fees: 10_000, held: 995_000 });
  });

  it('executes a transfer once, however often and concurrently it is sent', async () => {
    const { chain, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const signed = await chain.sign(alice, bob.address, 1000n);
    await Promise.all(Array.from({ length: 20 }, () => chain.send(signed)));
    expect(await chain.getBalance(bob.address)).toBe(1000n);
    await chain.send(await chain.sign(alice, bob.address, 1000n));
    expect(await chain.getBalance(bob.address)).toBe(2000n);
  });

  it('refuses a transfer that the sender cannot pay, and records nothing of it', async () => {
    const { chain, ledger, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(10_000n), await aWallet()];
    const signed = await chain.sign(alice, bob.address, 5001n);
    await expect(chain.send(signed)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'refused' } });
    expect(await chain.find(signed.signature)).toBeUndefined();
    expect(ledger.totals().held).toBe(10_000);
    const penniless = await chain.sign(bob, alice.address, 1n);
    await expect(chain.send(penniless)).rejects.toMatchObject({ details: { reason: 'refused' } });
  });

  it('records an accepted transaction that fails as failed; it pays its fee and transfers nothing', async () => {
    const { chain, network, ledger, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(10_000n), await aWallet(1n)];
    const signed = await chain.sign(alice, bob.address, 5001n, 'nonce-1');
    const row = await network.send(Buffer.from(signed.wire, 'base64'), { mayFail: true });
    expect(JSON.parse(row.error ?? '')).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(await chain.find(signed.signature)).toMatchObject({
      failed: true,
      balanceChanges: new Map([[alice.address, -FEE]]),
    });
    expect(await chain.listTransactions(bob.address)).toMatchObject([
      { signature: signed.signature, failed: true, memo: 'nonce-1' },
      {},
    ]);
    expect(ledger.totals()).toEqual({ minted: 20_001, fees: 15_000, held: 5001 });
    await expect(chain.send(signed)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'failed' } });
  });

  it('lists the transactions of an address, newest first, after a known one', async () => {
    const { chain, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const sent: string[] = [];
    for (const memo of ['one', 'two', undefined]) {
      const signed = await chain.sign(alice, bob.address, 10n, memo);
      await chain.send(signed);
      sent.unshift(signed.signature);
    }
    expect((await chain.listTransactions(bob.address)).map(({ memo }) => memo)).toEqual([null, 'two', 'one']);
    expect((await chain.listTransactions(bob.address, sent[2])).map(({ signature }) => signature)).toEqual(
      sent.slice(0, 2),
    );
    expect(await chain.listTransactions(bob.address, sent[0])).toEqual([]);
  });

  it('accepts a transfer for a minute after it was signed, and requires a new signature after that', async () => {
    const { chain, clock, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const [intime, late] = [await chain.sign(alice, bob.address, 1n), await chain.sign(alice, bob.address, 2n)];
    clock.advance(60_000);
    await chain.send(intime);
    clock.advance(1);
    await expect(chain.send(late)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'expired' } });
    await chain.send(intime);
    expect(await chain.getBalance(bob.address)).toBe(1n);
  });

  it('rejects a blockhash that it did not issue', async () => {
    const { network, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const other = aLocalNetwork();
    const { blockhash, lastValidBlockHeight } = await other.network.lifetime();
    const signed = signTransfer(alice, bob.address, 1n, undefined, { blockhash, lastValidBlockHeight });
    await expect(network.send(Buffer.from(signed.wire, 'base64'))).rejects.toMatchObject({
      error: 'BlockhashNotFound',
    });
  });

  it('keeps balances, transactions, pending signatures and the faucet across a restart', async () => {
    const first = aLocalNetwork();
    const [alice, bob] = [await first.aWallet(1_000_000n), await first.aWallet()];
    const sent = await first.chain.sign(alice, bob.address, 1000n, 'before');
    await first.chain.send(sent);
    const told = await first.chain.find(sent.signature);
    const pending = await first.chain.sign(alice, bob.address, 500n, 'after');
    const slot = first.network.slot;
    first.close();

    const second = aLocalNetwork({ root: first.root, clock: first.clock });
    expect(await second.chain.find(sent.signature)).toEqual(told);
    expect(await second.chain.getBalance(alice.address)).toBe(994_000n);
    await second.chain.send(sent);
    await second.chain.send(pending);
    expect(await second.chain.getBalance(bob.address)).toBe(1500n);
    expect(second.network.slot).toBeGreaterThanOrEqual(slot);
    await second.network.fund(bob.address, 1n);
    const { minted, fees, held } = second.ledger.totals();
    expect(minted).toBe(fees + held);
  });

  it('never decreases slots and block times when the machine’s clock is set back', async () => {
    const { chain, network, clock, aWallet } = aLocalNetwork();
    clock.step(60_000);
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const [slot, seconds] = [network.slot, Math.floor(clock.now() / 1000)];
    clock.step(-30_000);
    const signed = await chain.sign(alice, bob.address, 1n);
    await chain.send(signed);
    expect(await chain.find(signed.signature)).toMatchObject({ blockTime: seconds });
    expect(network.slot).toBeGreaterThanOrEqual(slot);
  });

  it('limits the faucet to what numbers can represent exactly', async () => {
    const { network, aWallet } = aLocalNetwork();
    const alice = await aWallet(BigInt(Number.MAX_SAFE_INTEGER) - 10_000n);
    await expect(network.fund(alice.address, 1n)).rejects.toMatchObject({ code: 'bad_request' });
    expect(Number(network.getLamports(alice.address))).toBe(Number.MAX_SAFE_INTEGER - 10_000);
  });

  it('changes nothing when a transaction cannot be recorded, and continues from the recorded state', async () => {
    const { chain, database, ledger, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000n), await aWallet()];
    const signed = await chain.sign(alice, bob.address, 1000n);
    const full = database.write(() => {
      database
        .sql("CREATE TRIGGER full BEFORE INSERT ON chain_transactions BEGIN SELECT raise(ABORT, 'full'); END")
        .run();
    });
    await full;
    await expect(chain.send(signed)).rejects.toThrow('full');
    await database.write(() => database.sql('DROP TRIGGER full').run());
    expect(ledger.totals().held).toBe(1_000_000);
    await chain.send(await chain.sign(alice, bob.address, 7n));
    expect(await chain.getBalance(bob.address)).toBe(7n);
    expect(await chain.getBalance(alice.address)).toBe(1_000_000n - 7n - FEE);
  });

  it('neither loses nor creates lamports with arbitrary transfers', { timeout: 120_000 }, async () => {
    const transfer = fc.record({
      from: fc.nat(3),
      to: fc.nat(3),
      lamports: fc.oneof(fc.bigInt(0n, 30_000n), fc.bigInt(0n, 2n ** 64n - 1n)),
      memo: fc.option(fc.string({ maxLength: 20, unit: 'grapheme' }), { nil: undefined }),
      mayFail: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(transfer, { maxLength: 15 }), async (transfers) => {
        const { network, ledger, aWallet, close } = aLocalNetwork();
        const wallets = await Promise.all([aWallet(100_000n), aWallet(20_000n), aWallet(5000n), aWallet()]);
        for (const { from, to, lamports, memo, mayFail } of transfers) {
          const [sender, recipient] = [wallets[from] as WalletKey, wallets[to] as WalletKey];
          const signed = signTransfer(sender, recipient.address, lamports, memo, await network.lifetime());
          const before = ledger.totals();
          const ended = await network
            .send(Buffer.from(signed.wire, 'base64'), { mayFail })
            .catch((error: unknown) => error);
          if (ended instanceof TransactionRefusedError) expect(ledger.totals()).toEqual(before);
          else expect(ended).toMatchObject({ fee: 5000, minted: 0 });
          const { minted, fees, held } = ledger.totals();
          expect(minted).toBe(fees + held);
        }
        close();
      }),
      { numRuns: 25 },
    );
  });

  it('survives arbitrary bytes', { timeout: 120_000 }, async () => {
    const { network, ledger, aWallet } = aLocalNetwork();
    const [alice, bob] = [await aWallet(1_000_000_000n), await aWallet()];
    const instruction = fc.record({
      program: fc.nat(5),
      accounts: fc.array(fc.nat(6), { maxLength: 4 }),
      data: fc.oneof(
        fc.uint8Array({ maxLength: 16 }).map((data) => Buffer.from(data)),
        fc.bigInt(0n, 2n ** 64n - 1n).map((lamports) => {
          const data = Buffer.alloc(12);
          data.writeUInt32LE(2);
          data.writeBigUInt64LE(lamports, 4);
          return data;
        }),
        fc.constantFrom(
          Buffer.from('03ffffffffffffffff', 'hex'),
          Buffer.from('02ffffffff', 'hex'),
          Buffer.from('0400000000', 'hex'),
        ),
      ),
    });
    const damage = fc.option(fc.record({ at: fc.nat(), with: fc.nat(255), cut: fc.boolean() }), { freq: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(instruction, { maxLength: 4 }),
        damage,
        fc.boolean(),
        async (instructions, harm, mayFail) => {
          const { blockhash } = await network.lifetime();
          let wire = aHandMadeTransaction(alice, bob.address, blockhash, instructions);
          if (harm?.cut) wire = wire.subarray(0, harm.at % wire.length);
          else if (harm) wire[harm.at % wire.length] = harm.with;
          const ended = await network.send(wire, { mayFail }).then(
            () => 'carried out',
            (error: Error) => error.name,
          );
          expect(['carried out', 'TransactionRefusedError', 'InvalidTransactionError']).toContain(ended);
          await network.simulate(wire).catch(() => undefined);
        },
      ),
      { numRuns: 400 },
    );
    const { minted, fees, held } = ledger.totals();
    expect(minted).toBe(fees + held);
  });
});
