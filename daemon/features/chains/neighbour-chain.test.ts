import { expect, it } from 'vitest';
import type { NetworkName } from '../../contract/payments.js';
import { systemClock } from '../../lib/time/clock.js';
import { aChainServer } from '../../testing/apps/a-chain-server.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { NeighbourChain, type NetworkPlace } from './neighbour-chain.js';

const NETWORK = 'solana:local-0123abcd' as NetworkName;

/** The local network of the running project `tower`, which another address or nothing can replace. */
async function aNeighbour() {
  const local = aLocalNetwork();
  const made = {
    local,
    place: { project: 'tower', url: await aChainServer(local.network) } as NetworkPlace | undefined,
    located: [] as NetworkName[],
  };
  const locate = async (network: NetworkName) => {
    made.located.push(network);
    return made.place;
  };
  return Object.assign(made, { chain: new NeighbourChain(NETWORK, { locate, clock: systemClock }) });
}

it('the network of another project pays, and tells balances and transactions, wherever its daemon is', async () => {
  const { local, chain, located } = await aNeighbour();
  expect([chain.network, chain.caip2, chain.real]).toEqual([NETWORK, NETWORK, false]);
  const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
  const signed = await chain.sign(alice, bob.address, 1000n, 'nonce-1');
  expect(await chain.find(signed.signature)).toBeUndefined();
  await chain.send(signed);
  expect(await chain.find(signed.signature)).toMatchObject({ memos: ['nonce-1'], failed: false });
  expect(await chain.getBalance(bob.address)).toBe(1000n);
  const row = { signature: signed.signature, slot: local.network.slot, failed: false, memo: 'nonce-1' };
  expect(await chain.listTransactions(bob.address)).toEqual([row]);
  expect(await chain.listTransactions(bob.address, signed.signature)).toEqual([]);
  await expect(chain.listTransactions(bob.address, undefined, undefined, -1)).rejects.toMatchObject({
    code: 'network_unavailable',
    message: expect.stringContaining('minContextSlot must be a whole number'),
  });
  const [, funded] = await chain.listTransactions(alice.address);
  expect(await chain.listTransactions(alice.address, undefined, signed.signature)).toEqual([funded]);
  expect(new Set(located)).toEqual(new Set([NETWORK]));
  expect(located).toHaveLength(10);
});

it('tells which project’s faucet fills a wallet that holds less than a payment and its fee', async () => {
  const { local, chain } = await aNeighbour();
  const alice = await local.aWallet(6000n);
  await expect(chain.requireFunds(alice, 1000n)).resolves.toBeUndefined();
  await expect(chain.requireFunds(alice, 1001n)).rejects.toMatchObject({
    code: 'insufficient_funds',
    message:
      'the wallet holds 6000 lamports on solana:local-0123abcd, the local network of tower, and the payment with its ' +
      'fee takes 6001. `meshd wallet fund --project tower` fills it (not real money).',
    details: { balance: 6000, lamports: 6001 },
  });
});

it('is unavailable while no running project has it', async () => {
  const made = await aNeighbour();
  const alice = await made.local.aWallet();
  made.place = undefined;
  const { chain } = made;
  for (const use of [
    () => chain.getBalance(alice.address),
    () => chain.requireFunds(alice, 1n),
    () => chain.sign(alice, alice.address, 1n),
  ])
    await expect(use()).rejects.toMatchObject({
      code: 'network_unavailable',
      message:
        'No running project of yours has the network solana:local-0123abcd: start it with `meshd up` in its folder.',
    });
});
