import { describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/time/clock.js';
import { aChainServer } from '../../testing/apps/a-chain-server.js';
import { type ALocalNetwork, aLocalNetwork } from '../../testing/apps/a-local-network.js';
import type { Chain, SignedTransfer } from './chain.js';
import { RpcChain } from './rpc-chain.js';
import { RpcEndpoint } from './rpc-endpoint.js';

interface Case {
  local: ALocalNetwork;
  chain: Chain;
  /** Sends a transaction that is allowed to fail. */
  force(transfer: SignedTransfer): Promise<unknown>;
}

/** Short intervals: the server is on this machine and confirms immediately. */
const CONFIRMING = { totalMs: 5000, lookMs: 1, resendMs: 1000, youngMs: 0, goneMs: 20 };

const NETWORKS: Record<string, () => Promise<Case>> = {
  'the embedded network': async () => {
    const local = aLocalNetwork();
    const force = ({ wire }: SignedTransfer) => local.network.send(Buffer.from(wire, 'base64'), { mayFail: true });
    return { local, chain: local.chain, force };
  },
  'a network behind JSON-RPC': async () => {
    const local = aLocalNetwork();
    const endpoint = new RpcEndpoint('solana:devnet', await aChainServer(local.network), systemClock, 1);
    const chain = new RpcChain('solana:devnet', endpoint, systemClock, CONFIRMING);
    const force = ({ wire }: SignedTransfer) =>
      endpoint.send('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
    return { local, chain, force };
  },
};

describe.each(Object.entries(NETWORKS))('%s', (_name, open) => {
  it('reports a confirmed transfer with sender, recipient, memo and the change of every balance', async () => {
    const { local, chain } = await open();
    const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
    expect(await chain.getBalance(alice.address)).toBe(1_000_000n);
    expect(await chain.getBalance(bob.address)).toBe(0n);
    const signed = await chain.sign(alice, bob.address, 12_345n, 'nonce-ä-1');
    expect(await chain.find(signed.signature)).toBeUndefined();
    await chain.send(signed);
    expect(await chain.find(signed.signature)).toEqual({
      signature: signed.signature,
      failed: false,
      blockTime: Math.floor(local.clock.now() / 1000),
      transfers: [{ from: alice.address, to: bob.address, lamports: 12_345n }],
      memos: ['nonce-ä-1'],
      balanceChanges: new Map([
        [alice.address, -17_345n],
        [bob.address, 12_345n],
      ]),
    });
    expect(await chain.getBalance(bob.address)).toBe(12_345n);
  });

  it('executes a transfer once, however often it is sent', async () => {
    const { local, chain } = await open();
    const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
    const signed = await chain.sign(alice, bob.address, 10n);
    await Promise.all([chain.send(signed), chain.send(signed), chain.send(signed)]);
    await chain.send(signed);
    expect(await chain.getBalance(bob.address)).toBe(10n);
  });

  it('refuses a transfer that the sender cannot pay', async () => {
    const { local, chain } = await open();
    const [alice, bob] = [await local.aWallet(10_000n), await local.aWallet()];
    const signed = await chain.sign(alice, bob.address, 9_000n);
    await expect(chain.send(signed)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'refused' } });
    expect(await chain.find(signed.signature)).toBeUndefined();
    expect(await chain.getBalance(alice.address)).toBe(10_000n);
  });

  it('reports a failed transaction as failed', async () => {
    const { local, chain, force } = await open();
    const [alice, bob] = [await local.aWallet(10_000n), await local.aWallet()];
    const signed = await chain.sign(alice, bob.address, 9_000n, 'nonce-1');
    await force(signed);
    expect(await chain.find(signed.signature)).toMatchObject({
      failed: true,
      memos: ['nonce-1'],
      balanceChanges: new Map([[alice.address, -5000n]]),
    });
    expect(await chain.listTransactions(bob.address)).toEqual([
      { signature: signed.signature, slot: local.network.slot, failed: true, memo: 'nonce-1' },
    ]);
    await expect(chain.send(signed)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'failed' } });
  });

  it('reports that a transfer must be signed anew once its blockhash has expired', async () => {
    const { local, chain } = await open();
    const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
    const signed = await chain.sign(alice, bob.address, 10n);
    local.clock.advance(61_000);
    await expect(chain.send(signed)).rejects.toMatchObject({ code: 'bad_request', details: { reason: 'expired' } });
    expect(await chain.getBalance(bob.address)).toBe(0n);
  });

  it('lists the transactions of an address, newest first, and only new ones', async () => {
    const { local, chain } = await open();
    const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
    const sent: string[] = [];
    for (const memo of ['one', undefined, '[3] two']) {
      const signed = await chain.sign(alice, bob.address, 10n, memo);
      await chain.send(signed);
      sent.unshift(signed.signature);
    }
    const { slot } = local.network;
    expect(await chain.listTransactions(bob.address)).toEqual([
      { signature: sent[0], slot, failed: false, memo: '[3] two' },
      { signature: sent[1], slot, failed: false, memo: null },
      { signature: sent[2], slot, failed: false, memo: 'one' },
    ]);
    expect((await chain.listTransactions(bob.address, sent[1])).map(({ signature }) => signature)).toEqual([sent[0]]);
    expect(await chain.listTransactions((await local.aWallet()).address)).toEqual([]);
    expect(await chain.listTransactions(bob.address, sent[0], undefined, slot)).toEqual([]);
    await expect(chain.listTransactions(bob.address, undefined, undefined, slot + 1)).rejects.toMatchObject({
      code: 'network_unavailable',
    });
  });

  it('rejects proofs of other dialects and addresses of other networks', async () => {
    const { local, chain } = await open();
    const alice = await local.aWallet(1_000_000n);
    for (const proof of ['', '0xabc', 'eyJ4NDAyVmVyc2lvbiI6Mn0=', alice.address, '1'.repeat(65), '1'.repeat(10_000)])
      await expect(chain.find(proof)).rejects.toMatchObject({ code: 'proof_format' });
    for (const address of ['', '0x52908400098527886E0F7030069857D2E4169EE7', '1'.repeat(64)]) {
      await expect(chain.getBalance(address)).rejects.toMatchObject({ code: 'bad_request' });
      await expect(chain.sign(alice, address, 1n)).rejects.toMatchObject({ code: 'bad_request' });
    }
  });
});
