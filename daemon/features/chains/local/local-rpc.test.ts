import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../../lib/crypto/base58.js';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import { type ALocalNetwork, aLocalNetwork } from '../../../testing/apps/a-local-network.js';
import { SYSTEM_PROGRAM } from '../solana-programs.js';
import { readWire } from '../solana-wire.js';
import { localRpcMethods } from './local-rpc.js';

const UNKNOWN = '1'.repeat(64);
const DAY_MS = 86_400_000;

function aServer(local: ALocalNetwork = aLocalNetwork()) {
  const methods = localRpcMethods(local.network);
  return { local, ask: async (method: string, ...params: unknown[]) => methods.get(method)?.(params) };
}

/** A server with a transfer of `lamports` from alice, who holds `held`, to bob. The transfer is not sent. */
async function aTransfer({ held = 20_000n, lamports = 10n, memo = 'x' as string | undefined } = {}) {
  const { local, ask } = aServer();
  const [alice, bob] = [await local.aWallet(held), await local.aWallet()];
  const signed = await local.chain.sign(alice, bob.address, lamports, memo);
  const bytes = Buffer.from(signed.wire, 'base64');
  return { local, ask, alice, bob, ...signed, bytes };
}

const inContext = (value: unknown, slot = 0) => ({ context: { slot, apiVersion: '3.0.0-local' }, value });
const invalid = (message: string) => ({ name: 'RpcError', code: -32602, message: `Invalid params: ${message}` });

describe('the state of the local network', () => {
  it('is told in the form of the public networks before and after its first transaction', async () => {
    const { local, ask } = aServer();
    expect(await ask('getHealth')).toBe('ok');
    expect(await ask('getVersion')).toEqual({ 'solana-core': '3.0.0-local', 'feature-set': 0 });
    expect(await ask('getSlot')).toBe(0);
    expect(await ask('getTransactionCount')).toBe(0);
    expect(await ask('getMinimumBalanceForRentExemption')).toBe(0);
    expect(await ask('getRecentPrioritizationFees')).toEqual([]);
    expect(decodeBase58(String(await ask('getGenesisHash')))).toHaveLength(32);
    await local.aWallet(5n);
    local.clock.advance(3 * DAY_MS + 799);
    const slot = (3 * DAY_MS) / 400 + 1;
    expect(await ask('getSlot')).toBe(slot);
    expect(await ask('getBlockHeight')).toBe(slot);
    expect(await ask('getEpochInfo')).toEqual({
      absoluteSlot: slot,
      blockHeight: slot,
      epoch: 1,
      slotIndex: slot - 432_000,
      slotsInEpoch: 432_000,
      transactionCount: 1,
    });
  });

  it('has a blockhash that is valid for 150 slots', async () => {
    const { ask, local } = aServer();
    await ask('getGenesisHash');
    local.clock.advance(800);
    const answer = (await ask('getLatestBlockhash')) as ReturnType<typeof inContext>;
    expect(answer).toEqual(inContext({ blockhash: expect.any(String), lastValidBlockHeight: 152 }, 2));
    const { blockhash } = answer.value as { blockhash: string };
    expect(await ask('isBlockhashValid', blockhash)).toEqual(inContext(true, 2));
    expect(await ask('isBlockhashValid', 'x')).toEqual(inContext(false, 2));
    await expect(ask('isBlockhashValid', 7)).rejects.toMatchObject(invalid('blockhash must be a string.'));
  });

  it('has the balances, and an account for each that is not empty', async () => {
    const { ask, local } = aServer();
    const [alice, bob] = [await local.aWallet(7n), await local.aWallet()];
    const account = {
      lamports: 7,
      owner: SYSTEM_PROGRAM,
      data: ['', 'base64'],
      executable: false,
      rentEpoch: 0,
      space: 0,
    };
    expect(await ask('getBalance', alice.address)).toEqual(inContext(7));
    expect(await ask('getBalance', bob.address)).toEqual(inContext(0));
    expect(await ask('getAccountInfo', alice.address)).toEqual(inContext(account));
    expect(await ask('getAccountInfo', bob.address)).toEqual(inContext(null));
    expect(await ask('getMultipleAccounts', [alice.address, bob.address])).toEqual(inContext([account, null]));
    const many = Array(101).fill(bob.address);
    expect(await ask('getMultipleAccounts', many.slice(1))).toMatchObject({ value: { length: 100 } });
    await expect(ask('getMultipleAccounts', many)).rejects.toMatchObject(
      invalid('addresses must be a list of at most 100.'),
    );
  });
});

describe('sending a transaction to the local network', () => {
  it.each([
    ['legacy, one signature', [1, 0, 1], 5000],
    ['legacy, three signatures', [3, 0, 1], 15_000],
    ['version 0, two signatures', [0x80, 2, 0, 1], 10_000],
    ['cut after its version', [0x80], 0],
    ['empty', [], 0],
  ])('costs a fee for each signature of its message: %s', async (_name, message, fee) => {
    const text = Buffer.from(message).toString('base64');
    expect(await aServer().ask('getFeeForMessage', text)).toEqual(inContext(fee));
  });

  it('needs a message to tell the fee', async () => {
    await expect(aServer().ask('getFeeForMessage')).rejects.toMatchObject(invalid('message must be a string.'));
  });

  it.each([
    ['base58 without an encoding', undefined],
    ['base58', { encoding: 'base58' }],
    ['base64', { encoding: 'base64' }],
  ])('takes its bytes in %s', async (_name, options) => {
    const { ask, local, bob, wire, bytes, signature } = await aTransfer();
    const text = options?.encoding === 'base64' ? wire : encodeBase58(bytes);
    expect(await ask('simulateTransaction', text, options)).toMatchObject({ value: { err: null } });
    expect(await local.chain.getBalance(bob.address)).toBe(0n);
    expect(await ask('sendTransaction', text, options)).toBe(signature);
    expect(await local.chain.getBalance(bob.address)).toBe(10n);
  });

  const size = (encoding: string) => invalid(`a transaction is 1 to 1232 bytes in ${encoding}.`);
  it.each<[text: unknown, encoding: string | undefined, error: object]>([
    ['', 'base64', size('base64')],
    ['', undefined, size('base58')],
    ['0OIl', undefined, size('base58')],
    [Buffer.alloc(1233).toString('base64'), 'base64', size('base64')],
    // What is not base64 is skipped when it is decoded: its length is still that of the text.
    [`${'!'.repeat(2461)}AAAA`, 'base64', size('base64')],
    [7, 'base64', invalid('transaction must be a string.')],
    ['AA==', 'hex', invalid('encoding must be one of base58, base64 on the local network.')],
    [
      `${'!'.repeat(2460)}AAAA`,
      'base64',
      invalid('failed to deserialize the transaction. Its bytes are no transaction.'),
    ],
    [
      Buffer.alloc(1232).toString('base64'),
      'base64',
      invalid('failed to deserialize the transaction. Its bytes are no transaction.'),
    ],
  ])('refuses the text %j in %s', async (text, encoding, error) => {
    const { ask } = aServer();
    for (const method of ['sendTransaction', 'simulateTransaction'])
      await expect(ask(method, text, { encoding })).rejects.toMatchObject(error);
  });

  it('is refused by the preflight with the reason and the logs, and recorded without it', async () => {
    const { ask, local, alice, wire, signature } = await aTransfer({ lamports: 15_001n });
    const base64 = { encoding: 'base64' };
    const err = { InstructionError: [0, { Custom: 1 }] };
    const logs = expect.arrayContaining([expect.stringContaining('insufficient lamports')]);
    expect(await ask('simulateTransaction', wire, base64)).toEqual(
      inContext({ err, logs, accounts: null, returnData: null, unitsConsumed: 0 }),
    );
    for (const skipPreflight of [undefined, false, 'true'])
      await expect(ask('sendTransaction', wire, { ...base64, skipPreflight })).rejects.toMatchObject({
        code: -32002,
        message: `Transaction simulation failed. It would fail: ${JSON.stringify(err)}.`,
        data: { err, logs, accounts: null, unitsConsumed: 0, returnData: null, innerInstructions: null },
      });
    expect(await ask('getSignatureStatuses', [signature])).toEqual(inContext([null]));
    expect(await ask('sendTransaction', wire, { ...base64, skipPreflight: true })).toBe(signature);
    expect(await ask('getSignatureStatuses', [signature])).toEqual(
      inContext([{ slot: 0, confirmations: null, err, status: { Err: err }, confirmationStatus: 'finalized' }]),
    );
    expect(await local.chain.getBalance(alice.address)).toBe(15_000n);
  });

  it('is simulated with its logs and its cost in compute units', async () => {
    const { ask, wire } = await aTransfer();
    const answer = (await ask('simulateTransaction', wire, { encoding: 'base64' })) as ReturnType<typeof inContext>;
    expect(answer).toEqual(
      inContext({
        err: null,
        logs: expect.arrayContaining([expect.stringContaining('success')]),
        unitsConsumed: expect.any(Number),
        accounts: null,
        returnData: null,
      }),
    );
    expect((answer.value as { unitsConsumed: number }).unitsConsumed).toBeGreaterThan(0);
  });

  it('is refused without logs when it did not run', async () => {
    const { ask, local, wire } = await aTransfer();
    local.clock.advance(60_001);
    await expect(ask('sendTransaction', wire, { encoding: 'base64' })).rejects.toMatchObject({
      code: -32002,
      data: { err: 'BlockhashNotFound', logs: [] },
    });
  });

  it('is refused with a wrong signature', async () => {
    const { ask, bytes } = await aTransfer();
    bytes[1] = (bytes[1] as number) ^ 1;
    for (const skipPreflight of [false, true])
      await expect(
        ask('sendTransaction', bytes.toString('base64'), { encoding: 'base64', skipPreflight }),
      ).rejects.toMatchObject({ code: -32003, message: 'Transaction signature verification failure', data: undefined });
  });

  it('fails for a reason of the daemon as that reason, and so does its simulation', async () => {
    const { ask, local, wire } = await aTransfer();
    local.close();
    for (const method of ['sendTransaction', 'simulateTransaction'])
      await expect(ask(method, wire, { encoding: 'base64' })).rejects.not.toMatchObject({ name: 'RpcError' });
  });

  it('of the faucet gives from 1 to 10,000,000,000 lamports', async () => {
    const { ask, local } = aServer();
    const { address } = await local.aWallet();
    for (const lamports of [1, 10_000_000_000]) {
      const signature = await ask('requestAirdrop', address, lamports);
      expect(local.ledger.find(String(signature))?.minted).toBe(lamports + 5000);
    }
    for (const lamports of [0, 10_000_000_001, undefined])
      await expect(ask('requestAirdrop', address, lamports)).rejects.toMatchObject(
        invalid('lamports must be a whole number from 1 to 10000000000.'),
      );
    await expect(ask('requestAirdrop', 'x', 1)).rejects.toMatchObject(
      invalid('an address must be the base58 of 32 bytes.'),
    );
    expect(await local.chain.getBalance(address)).toBe(10_000_000_001n);
  });
});

describe('the transactions of the local network', () => {
  it('are told as JSON with their outcome, balances and logs', async () => {
    const { ask, local, alice, bob, wire, signature } = await aTransfer();
    await ask('sendTransaction', wire, { encoding: 'base64' });
    const told = (await ask('getTransaction', signature)) as { transaction: { message: { accountKeys: string[] } } };
    const { accountKeys } = told.transaction.message;
    const at = (address: string) => accountKeys.indexOf(address);
    expect(told).toEqual({
      slot: 0,
      blockTime: Math.floor(local.clock.now() / 1000),
      meta: {
        err: null,
        status: { Ok: null },
        fee: 5000,
        preBalances: expect.any(Array),
        postBalances: expect.any(Array),
        innerInstructions: [],
        logMessages: expect.arrayContaining([expect.stringContaining('success')]),
        preTokenBalances: [],
        postTokenBalances: [],
        rewards: [],
        loadedAddresses: { readonly: [], writable: [] },
        computeUnitsConsumed: expect.any(Number),
      },
      transaction: {
        signatures: [signature],
        message: {
          header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 2 },
          accountKeys: expect.arrayContaining([alice.address, bob.address, SYSTEM_PROGRAM]),
          recentBlockhash: expect.any(String),
          instructions: [
            {
              programIdIndex: at(SYSTEM_PROGRAM),
              accounts: [at(alice.address), at(bob.address)],
              data: encodeBase58(Buffer.from('020000000a00000000000000', 'hex')),
              stackHeight: 1,
            },
            { programIdIndex: expect.any(Number), accounts: [], data: encodeBase58(Buffer.from('x')), stackHeight: 1 },
          ],
        },
      },
    });
    const { meta } = told as unknown as { meta: { preBalances: number[]; postBalances: number[] } };
    expect([meta.preBalances[at(alice.address)], meta.postBalances[at(alice.address)]]).toEqual([20_000, 14_990]);
    expect([meta.preBalances[at(bob.address)], meta.postBalances[at(bob.address)]]).toEqual([0, 10]);
  });

  it('are told in the encoding that is asked for, and with their version when the client names one', async () => {
    const { ask, wire, bytes, signature } = await aTransfer();
    await ask('sendTransaction', wire, { encoding: 'base64' });
    for (const given of ['base64', { encoding: 'base64' }])
      expect(await ask('getTransaction', signature, given)).toMatchObject({ transaction: [wire, 'base64'] });
    expect(await ask('getTransaction', signature, 'base58')).toMatchObject({
      transaction: [encodeBase58(bytes), 'base58'],
    });
    const json = (await ask('getTransaction', signature, {
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    })) as object;
    expect(json).toMatchObject({ version: 'legacy', transaction: { signatures: [signature] } });
    expect(await ask('getTransaction', signature, 'json')).not.toHaveProperty('version');
    await expect(ask('getTransaction', signature, 'jsonParsed')).rejects.toMatchObject(
      invalid('encoding must be one of json, base64, base58 on the local network.'),
    );
    expect(await ask('getTransaction', UNKNOWN)).toBeNull();
    await expect(ask('getTransaction', 'x')).rejects.toMatchObject(
      invalid('a signature must be the base58 of 64 bytes.'),
    );
  });

  it('of version 0 are told only to a client that names this version', async () => {
    const { ask, local, alice, bob, bytes: legacy } = await aTransfer();
    const { accountKeys, recentBlockhash } = readWire(legacy);
    // A version 0 message has its version before the legacy one, and an empty list of lookup tables after it.
    const message = Buffer.concat([Buffer.from([0x80]), legacy.subarray(65), Buffer.from([0])]);
    const bytes = Buffer.concat([Buffer.from([1]), new SigningKey(alice.seed).signBytes(message), message]);
    const signature = await ask('sendTransaction', encodeBase58(bytes));
    expect(await local.chain.getBalance(bob.address)).toBe(10n);
    const told = await ask('getTransaction', signature, { maxSupportedTransactionVersion: 0 });
    expect(told).toMatchObject({ version: 0, meta: { err: null } });
    expect(told).toHaveProperty('transaction.message', {
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 2 },
      accountKeys,
      recentBlockhash,
      instructions: expect.any(Array),
      addressTableLookups: [],
    });
    for (const options of [undefined, {}, { maxSupportedTransactionVersion: 'legacy' }, { encoding: 'base64' }])
      await expect(ask('getTransaction', signature, options)).rejects.toMatchObject({
        name: 'RpcError',
        code: -32015,
        message:
          'Transaction version (0) is not supported by the requesting client. Please try the request again with the ' +
          'following configuration parameter: "maxSupportedTransactionVersion": 0',
      });
  });

  it('are told by signature, at most 256 at once', async () => {
    const { ask } = aServer();
    const many = Array(257).fill(UNKNOWN);
    expect(await ask('getSignatureStatuses', many.slice(1))).toEqual(inContext(Array(256).fill(null)));
    await expect(ask('getSignatureStatuses', many)).rejects.toMatchObject(
      invalid('signatures must be a list of at most 256.'),
    );
  });

  it('are listed for an address, newest first, between two signatures', async () => {
    const { ask, local, bob, alice, wire, signature } = await aTransfer({ lamports: 15_001n });
    local.clock.advance(2000);
    await ask('sendTransaction', wire, { encoding: 'base64', skipPreflight: true });
    const list = (options?: object) => ask('getSignaturesForAddress', alice.address, options);
    const blockTime = Math.floor(local.clock.now() / 1000);
    const newest = {
      signature,
      slot: 5,
      err: { InstructionError: [0, { Custom: 1 }] },
      memo: '[1] x',
      blockTime,
      confirmationStatus: 'finalized',
    };
    const oldest = {
      signature: expect.any(String),
      slot: 0,
      err: null,
      memo: null,
      blockTime: blockTime - 2,
      confirmationStatus: 'finalized',
    };
    expect(await list()).toEqual([newest, oldest]);
    expect(await list({ limit: 1 })).toEqual([newest]);
    expect(await list({ limit: 1000, before: signature })).toEqual([oldest]);
    expect(await list({ until: ((await list()) as { signature: string }[])[1]?.signature })).toEqual([newest]);
    expect(await ask('getSignaturesForAddress', bob.address)).toEqual([newest]);
    expect(await list({ minContextSlot: 5 })).toEqual([newest, oldest]);
    await expect(list({ minContextSlot: 6 })).rejects.toMatchObject({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: 5 },
    });
    await expect(list({ minContextSlot: -1 })).rejects.toMatchObject(
      invalid(`minContextSlot must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`),
    );
    for (const limit of [0, 1001])
      await expect(list({ limit })).rejects.toMatchObject(invalid('limit must be a whole number from 1 to 1000.'));
    for (const name of ['until', 'before'])
      await expect(list({ [name]: 'x' })).rejects.toMatchObject(invalid('a signature must be the base58 of 64 bytes.'));
  });
});
