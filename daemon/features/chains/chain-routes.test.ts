import {
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../testing/test-app.js';

type Rpc = ReturnType<typeof createSolanaRpc>;

/** A transfer with a memo as a separate program makes it: built, signed and sent with the public client alone. */
async function signed(rpc: Rpc, from: KeyPairSigner, to: KeyPairSigner, amount: bigint, memo: string, version: 'legacy' | 0 = 0) {
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayerSigner(from, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) =>
      appendTransactionMessageInstructions(
        [getTransferSolInstruction({ source: from, destination: to.address, amount }), getAddMemoInstruction({ memo })],
        timed,
      ),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction) };
}

async function aClient() {
  const app = await testApp();
  const rpc = createSolanaRpc(`${app.address}/chain`);
  const [alice, bob] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  return { app, rpc, alice, bob };
}

describe('the local network to a separate program with the public client', () => {
  it('gives, takes, tells of and keeps transactions as the public networks do', async () => {
    const { rpc, alice, bob } = await aClient();
    expect(await rpc.getHealth().send()).toBe('ok');
    expect((await rpc.getVersion().send())['solana-core']).toMatch(/local/);
    const airdrop = await rpc.requestAirdrop(alice.address, lamports(2_000_000n)).send();
    expect((await rpc.getBalance(alice.address).send()).value).toBe(2_000_000n);
    const { wire, signature } = await signed(rpc, alice, bob, 1000n, 'nonce-1');
    expect(await rpc.sendTransaction(wire, { encoding: 'base64' }).send()).toBe(signature);
    expect((await rpc.getBalance(alice.address).send()).value).toBe(1_994_000n);
    expect((await rpc.getBalance(bob.address).send()).value).toBe(1000n);

    const { value: statuses } = await rpc.getSignatureStatuses([signature, airdrop]).send();
    expect(statuses.map((status) => status?.confirmationStatus)).toEqual(['finalized', 'finalized']);
    const told = await rpc.getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 }).send();
    expect(told?.meta).toMatchObject({ err: null, fee: 5000n, preBalances: expect.arrayContaining([2_000_000n]) });
    expect(told?.transaction.message.accountKeys.slice(0, 2)).toEqual([alice.address, bob.address]);
    const whole = await rpc.getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }).send();
    expect(whole?.transaction).toEqual([wire, 'base64']);
    expect(
      await rpc.getTransaction('1'.repeat(64) as Signature, { encoding: 'json', maxSupportedTransactionVersion: 0 }).send(),
    ).toBeNull();

    const rows = await rpc.getSignaturesForAddress(alice.address, { limit: 10 }).send();
    expect(rows.map(({ signature: of, memo }) => [of, memo])).toEqual([
      [signature, '[7] nonce-1'],
      [airdrop, null],
    ]);
    expect(await rpc.getSignaturesForAddress(alice.address, { until: airdrop }).send()).toHaveLength(1);
  });
});
