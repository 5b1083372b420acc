import {
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHAIN_BODY_LIMIT } from '../../contract/limits.js';
import { createServer } from '../../http/create-server.js';
import { Guard } from '../../http/guard.js';
import { aChainServer } from '../../testing/apps/a-chain-server.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { chainRoutes } from './chain-routes.js';
import { BATCH_MAX, type RpcMethod } from './json-rpc.js';
import { AIRDROP_MAX } from './local/local-rpc.js';

type Rpc = ReturnType<typeof createSolanaRpc>;

/** A transfer with a memo from a separate program: built, signed and sent only with the public client. */
async function signed(
  rpc: Rpc,
  from: KeyPairSigner,
  to: KeyPairSigner,
  amount: bigint,
  memo: string,
  version: 'legacy' | 0 = 0,
) {
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
  return {
    wire: getBase64EncodedWireTransaction(transaction),
    signature: getSignatureFromTransaction(transaction),
    message: Buffer.from(transaction.messageBytes as unknown as Uint8Array).toString(
      'base64',
    ) as TransactionMessageBytesBase64,
  };
}

async function aClient() {
  const local = aLocalNetwork();
  const address = await aChainServer(local.network);
  const rpc = createSolanaRpc(address);
  const [alice, bob] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  return { local, address, rpc, alice, bob };
}

interface RpcReply {
  status: number;
  body: {
    jsonrpc: string;
    id: unknown;
    result?: unknown;
    error?: { code: number; message: string; data?: { err?: unknown } };
  };
}

async function post(address: string, body: unknown): Promise<RpcReply> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });

describe('the local network, used by a separate program with the public client', () => {
  it('funds, executes, reports and lists transactions like the public networks', async () => {
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
      await rpc
        .getTransaction('1'.repeat(64) as Signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
        .send(),
    ).toBeNull();

    const rows = await rpc.getSignaturesForAddress(alice.address, { limit: 10 }).send();
    expect(rows.map(({ signature: of, memo }) => [of, memo])).toEqual([
      [signature, '[7] nonce-1'],
      [airdrop, null],
    ]);
    expect(await rpc.getSignaturesForAddress(alice.address, { until: airdrop }).send()).toHaveLength(1);
  });

  it('accepts legacy transactions, reports the fee of a message, and simulates', async () => {
    const { rpc, alice, bob } = await aClient();
    await rpc.requestAirdrop(alice.address, lamports(10_000n)).send();
    const { wire, signature, message } = await signed(rpc, alice, bob, 10n, 'x', 'legacy');
    expect((await rpc.getFeeForMessage(message).send()).value).toBe(5000n);
    expect((await rpc.simulateTransaction(wire, { encoding: 'base64' }).send()).value.err).toBeNull();
    expect((await rpc.getBalance(bob.address).send()).value).toBe(0n);
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    expect(
      (await rpc.getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 }).send())?.version,
    ).toBe('legacy');
    const account = (await rpc.getAccountInfo(bob.address, { encoding: 'base64' }).send()).value;
    expect(account).toMatchObject({ lamports: 10n, owner: '11111111111111111111111111111111', executable: false });
    expect(await rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(0n);
    expect((await rpc.getEpochInfo().send()).absoluteSlot).toBe(await rpc.getSlot().send());
    expect((await rpc.getMultipleAccounts([bob.address]).send()).value).toHaveLength(1);
    expect(await rpc.getTransactionCount().send()).toBe(2n);
    expect(await rpc.getGenesisHash().send()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  });

  it('refuses a transaction that would fail without charging it, and records it with skipPreflight', async () => {
    const { rpc, alice, bob } = await aClient();
    await rpc.requestAirdrop(alice.address, lamports(20_000n)).send();
    const { wire, signature } = await signed(rpc, alice, bob, 19_000n, 'x');
    const refusal = await rpc
      .sendTransaction(wire, { encoding: 'base64' })
      .send()
      .catch((error: unknown) => error);
    expect(isSolanaError(refusal, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)).toBe(true);
    expect((await rpc.getSignatureStatuses([signature]).send()).value).toEqual([null]);
    await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    const [status] = (await rpc.getSignatureStatuses([signature]).send()).value;
    expect(status?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect((await rpc.getBalance(alice.address).send()).value).toBe(15_000n);
  });

  it('validates its blockhashes and their expiry', async () => {
    const { local, address, rpc, alice, bob } = await aClient();
    await rpc.requestAirdrop(alice.address, lamports(20_000n)).send();
    const { value } = await rpc.getLatestBlockhash().send();
    expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(true);
    const { wire } = await signed(rpc, alice, bob, 1n, 'x');
    local.clock.advance(61_000);
    expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(false);
    expect(await rpc.getBlockHeight().send()).toBeGreaterThan(value.lastValidBlockHeight);
    const late = await post(address, call('sendTransaction', wire, { encoding: 'base64' }));
    expect(late.body.error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
  });
});

describe('JSON-RPC of the local network', () => {
  it('responds to a batch in order, to each call separately, and not to notifications', async () => {
    const { address } = await aClient();
    const batch = [
      call('getHealth'),
      { jsonrpc: '2.0', method: 'getHealth' },
      call('nope'),
      7,
      { ...call('getSlot'), id: 'x' },
    ];
    const { status, body } = await post(address, batch);
    expect([status, body]).toEqual([
      200,
      [
        { jsonrpc: '2.0', id: 1, result: 'ok' },
        { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found: nope' } },
        { jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32600 }) },
        { jsonrpc: '2.0', id: 'x', result: 0 },
      ],
    ]);
    expect(await post(address, { jsonrpc: '2.0', method: 'getHealth' })).toEqual({ status: 204, body: undefined });
    expect((await post(address, [])).body.error?.code).toBe(-32600);
    expect((await post(address, Array(BATCH_MAX + 1).fill(call('getSlot')))).body.error?.code).toBe(-32600);
  });

  it.each([
    ['{"jsonrpc": "2.0", ', 400, -32700],
    ['7', 200, -32600],
    ['null', 200, -32600],
    ['{"jsonrpc": "1.0", "id": 1, "method": "getSlot"}', 200, -32600],
    ['{"jsonrpc": "2.0", "id": {}, "method": "getSlot"}', 200, -32600],
    ['{"jsonrpc": "2.0", "id": 1, "method": "getBalance", "params": {"a": 1}}', 200, -32602],
    ['{"jsonrpc": "2.0", "id": 1, "method": "constructor"}', 200, -32601],
    ['{"jsonrpc": "2.0", "id": 1, "method": "__proto__"}', 200, -32601],
  ])('reports what is wrong with %s as a JSON-RPC error', async (text, status, code) => {
    const { address } = await aClient();
    const reply = await post(address, text);
    expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
  });

  it.each(['{', '{"jsonrpc": "2.0", ', '{"jsonrpc": "2.0", "__proto__": {}}'])(
    'says that %j is no JSON that it reads',
    async (text) => {
      const { address } = await aClient();
      expect(await post(address, text)).toEqual({
        status: 400,
        body: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error: the body is no JSON.' } },
      });
    },
  );

  it('answers in JSON, to every caller', async () => {
    const { address } = await aClient();
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call('getHealth')),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  const ADDRESS = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';
  it.each([
    call('getBalance'),
    call('getBalance', 7),
    call('getBalance', 'x'.repeat(60_000)),
    call('getTransaction', ADDRESS),
    call('getTransaction', '1'.repeat(64), { encoding: 'jsonParsed' }),
    call('getTransaction', '1'.repeat(64), 7),
    call('getSignatureStatuses', 'x'),
    call('getSignatureStatuses', Array(257).fill('1'.repeat(64))),
    call('getSignaturesForAddress', ADDRESS, { limit: 1001 }),
    call('getSignaturesForAddress', ADDRESS, { until: 'x' }),
    call('requestAirdrop', ADDRESS, AIRDROP_MAX + 1),
    call('requestAirdrop', ADDRESS, 0.5),
    call('requestAirdrop', ADDRESS, '5'),
    call('requestAirdrop', '11111111111111111111111111111111', 5),
    call('sendTransaction', ''),
    call('sendTransaction', 'AAAA', { encoding: 'base64' }),
    call('sendTransaction', 'A'.repeat(5000), { encoding: 'base64' }),
    call('sendTransaction', 'AAAA', { encoding: 'hex' }),
    call('simulateTransaction', '2g'),
    call('getMultipleAccounts', [ADDRESS, 'x']),
    call('isBlockhashValid', 7),
  ])('refuses call %# of $method', async (request) => {
    const { address } = await aClient();
    const { status, body } = await post(address, request);
    expect([status, body.error?.code]).toEqual([200, -32602]);
  });

  it('responds to arbitrary requests without an internal error', { timeout: 120_000 }, async () => {
    const { address, local } = await aClient();
    const { address: rich } = await local.aWallet(1_000_000n);
    const methods = [
      'getBalance',
      'sendTransaction',
      'simulateTransaction',
      'getTransaction',
      'getSignatureStatuses',
      'getFeeForMessage',
    ];
    const more = [
      'getSignaturesForAddress',
      'requestAirdrop',
      'getAccountInfo',
      'getMultipleAccounts',
      'isBlockhashValid',
      'getLatestBlockhash',
    ];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(rich, '1'.repeat(64), 'AQ=='),
      fc.base64String({ maxLength: 1700 }),
    );
    const request = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
        id: fc.oneof(fc.nat(), fc.jsonValue({ maxDepth: 1 })),
        method: fc.constantFrom(...methods, ...more, 'x'),
        params: fc.oneof(
          { weight: 5, arbitrary: fc.array(value, { maxLength: 3 }) },
          { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
        ),
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.array(request, { maxLength: 3 })), async (body) => {
        const reply = await post(address, body);
        // Poisoned keys are refused before they are read.
        expect([200, 204, 400]).toContain(reply.status);
        for (const one of [reply.body ?? []].flat()) expect(one.error?.code).not.toBe(-32603);
      }),
      { numRuns: 300 },
    );
    const { minted, fees, held } = local.ledger.totals();
    expect(minted).toBe(fees + held);
  });

  it('serves other users of this machine too, and logs what fails in the daemon', async () => {
    const log: string[] = [];
    const guard = new Guard();
    const app = await createServer({
      guard,
      isForeignPeer: () => true,
      log: { level: 'error', stream: { write: (line) => void log.push(line) } },
    });
    onTestFinished(() => app.close());
    const broken = () => {
      throw new TypeError('no such table');
    };
    await app.register(chainRoutes, { methods: new Map<string, RpcMethod>([['broken', broken]]) });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    guard.listeningOn(Number(new URL(address).port));
    expect(await post(`${address}/chain`, call('broken'))).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    });
    expect(log.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'a call of the local network failed', err: { type: 'TypeError', message: 'no such table' } },
    ]);
  });

  it('refuses a body for another reason than its JSON as every other route does', async () => {
    const { address } = await aClient();
    expect(await post(address, '['.repeat(33) + ']'.repeat(33))).toEqual({
      status: 400,
      body: { error: 'bad_request', message: 'The body is nested deeper than 32 levels.', path: '' },
    });
  });

  it('rejects bodies over the limit and bodies that are not JSON', async () => {
    const { address } = await aClient();
    const tooLarge = await post(address, JSON.stringify(call('getBalance', 'x'.repeat(CHAIN_BODY_LIMIT))));
    expect(tooLarge).toMatchObject({ status: 413, body: { message: expect.stringContaining('65536 bytes') } });
    const text = await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });
    expect(text.status).toBe(415);
  });
});
