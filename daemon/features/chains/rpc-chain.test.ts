import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NetworkName } from '../../contract/payments.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { RpcChain } from './rpc-chain.js';
import { RpcEndpoint, RpcEndpointError } from './rpc-endpoint.js';
import { readWire, signTransfer } from './solana-wire.js';
import { walletKey } from './wallet-key.js';

const SECOND_MS = 1000;
const ADDRESS = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';
const SIGNATURE = '1'.repeat(64);
const BLOCKHASH = encodeBase58(Buffer.alloc(32, 7));
const ALICE = walletKey(Buffer.alloc(32, 3));
const TRANSFER = signTransfer(ALICE, ADDRESS, 10n, undefined, { blockhash: BLOCKHASH, lastValidBlockHeight: 150n });
/** When a blockhash that has been reported invalid for as long as it was looked at counts as expired. */
const EXPIRED_SECOND = 140;

/** A server that says in each second after the transfer was sent whether it knows the blockhash and the transfer. */
interface Server {
  /** Whether the blockhash is reported valid at that second. */
  knowsBlockhash(second: number): boolean;
  /** Whether the transfer is reported as confirmed at that second. */
  hasConfirmed(second: number): boolean;
}

class ScriptedEndpoint extends RpcEndpoint {
  readonly sent: unknown[] = [];
  /** The second of each submission. */
  readonly sentAt: number[] = [];

  constructor(
    private readonly server: Server,
    private readonly time: FakeClock,
  ) {
    super('solana:devnet', 'http://127.0.0.1:1', time);
  }

  override async read(method: string): Promise<unknown> {
    const second = this.time.elapsed() / SECOND_MS;
    if (method === 'isBlockhashValid') return { value: this.server.knowsBlockhash(second) };
    return { value: [this.server.hasConfirmed(second) ? { err: null, confirmationStatus: 'confirmed' } : null] };
  }

  override async send(_method: string, [wire]: readonly unknown[]): Promise<unknown> {
    this.sent.push(wire);
    this.sentAt.push(this.time.elapsed() / SECOND_MS);
    return null;
  }
}

/** Sends a transfer through the server; returns the second in which it ended, and the reason when it failed. */
async function sendThrough(server: Server): Promise<{ second: number; failure: unknown; sentAt: number[] }> {
  const clock = new FakeClock();
  const endpoint = new ScriptedEndpoint(server, clock);
  let ended: { second: number; failure: unknown } | undefined;
  const end = (failure: unknown) => {
    ended = { second: clock.elapsed() / SECOND_MS, failure };
  };
  const sending = new RpcChain('solana:devnet', endpoint, clock)
    .send(TRANSFER)
    .then(() => end(undefined), end)
    .finally(() => expect(new Set(endpoint.sent)).toEqual(new Set([TRANSFER.wire])));
  // The first second begins when the transfer is submitted. A transfer that never ends is one that failed.
  for (let ticks = 0; ticks < 100 && endpoint.sent.length === 0; ticks += 1) await waitForTick();
  for (let second = 0; second < 200 && !ended; second += 1) {
    await waitForTick();
    clock.advance(SECOND_MS);
  }
  expect(ended).toBeDefined();
  await sending;
  return { ...(ended as { second: number; failure: unknown }), sentAt: endpoint.sentAt };
}

describe('A transfer on a public network', () => {
  it.each([
    ['once', (second: number) => second !== 1],
    ['for almost as long as an expired one', () => false],
    ['again and again, with a good response between', (second: number) => second % 19 === 0],
  ])('is not given up because a server that lags behind does not know its blockhash %s', async (_when, knows) => {
    const { second, failure, sentAt } = await sendThrough({
      knowsBlockhash: knows,
      hasConfirmed: (now) => now >= EXPIRED_SECOND - 1,
    });
    expect(failure).toBeUndefined();
    expect(second).toBeGreaterThanOrEqual(EXPIRED_SECOND - 1);
    expect(sentAt).toEqual(Array.from({ length: 28 }, (_, index) => index * 5));
  });

  it('is expired, so that another one may be signed, once its blockhash has stayed invalid', async () => {
    const { second, failure } = await sendThrough({ knowsBlockhash: () => false, hasConfirmed: () => false });
    expect(failure).toMatchObject({
      code: 'bad_request',
      message: 'The transfer was not confirmed while its blockhash stood: sign it anew.',
      details: { reason: 'expired' },
    });
    expect(second).toBe(EXPIRED_SECOND);
  });

  it('is confirmed when the server tells so last, although its blockhash has stayed invalid', async () => {
    let looks = 0;
    const { failure } = await sendThrough({
      knowsBlockhash: () => false,
      // The first look in the second in which it would count as expired finds nothing, the next one does.
      hasConfirmed: (second) => second >= EXPIRED_SECOND && ++looks > 1,
    });
    expect(failure).toBeUndefined();
  });

  it('is neither confirmed nor expired when its blockhash stays valid: the same transfer is to be sent again', async () => {
    const { second, failure } = await sendThrough({ knowsBlockhash: () => true, hasConfirmed: () => false });
    expect(failure).toMatchObject({
      code: 'deadline',
      message: expect.stringMatching(
        /^solana:devnet has not confirmed the transfer \w{80,90} yet; it may still do so\. Send the same one again\.$/,
      ),
    });
    expect(second).toBe(150);
  });
});

const CONFIRMED = { commitment: 'confirmed' };
const UNREADABLE = {
  code: 'network_unavailable',
  message: 'solana:devnet answers something that cannot be read.',
};

type Answer = (params: readonly unknown[], asked: number) => unknown;

/** A server that answers each method with what its function returns or throws, and keeps what it was asked. */
class AnsweringEndpoint extends RpcEndpoint {
  readonly asked: [method: string, params: readonly unknown[]][] = [];

  constructor(private readonly answers: Record<string, Answer>) {
    super('solana:devnet', 'http://127.0.0.1:1', new FakeClock());
  }

  override async read(method: string, params: readonly unknown[]): Promise<unknown> {
    this.asked.push([method, params]);
    return this.answers[method]?.(params, this.asked.filter(([one]) => one === method).length);
  }

  override send(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.read(method, params);
  }
}

/** A chain behind a server with `answers`. Its waits end at once. */
function aChain(answers: Record<string, Answer>, network: NetworkName = 'solana:devnet') {
  const endpoint = new AnsweringEndpoint(answers);
  const clock = new FakeClock();
  const soon = Object.assign(Object.create(clock) as FakeClock, {
    after: (ms: number, run: () => void) => {
      clock.after(ms, run);
      clock.advance(ms);
      return () => undefined;
    },
    elapsed: () => clock.elapsed(),
  });
  return { chain: new RpcChain(network, endpoint, soon), asked: endpoint.asked };
}

const refusing = (code: number, message: string, data?: unknown) => () => {
  throw new RpcEndpointError(code, message, data);
};

describe('A public network', () => {
  it.each([
    ['solana:devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', false],
    ['solana:mainnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', true],
    ['solana:local-0123abcd', 'solana:local-0123abcd', false],
  ])('%s has the CAIP-2 id %s, and its lamports have value: %s', (network, caip2, real) => {
    const { chain } = aChain({}, network as NetworkName);
    expect([chain.network, chain.caip2, chain.real]).toEqual([network, caip2, real]);
  });

  it.each([[0], [7], [9007199254740993n]])('tells a confirmed balance exactly: %s', async (value) => {
    const { chain, asked } = aChain({ getBalance: () => ({ value }) });
    expect(await chain.getBalance(ADDRESS)).toBe(BigInt(value));
    expect(asked).toEqual([['getBalance', [ADDRESS, CONFIRMED]]]);
  });

  it.each([null, undefined, {}, { value: 1.5 }, { value: '7' }, { value: null }, { value: 2 ** 53 }])(
    'has no balance in the answer %j',
    async (answer) => {
      await expect(aChain({ getBalance: () => answer }).chain.getBalance(ADDRESS)).rejects.toMatchObject(UNREADABLE);
    },
  );

  it('is asked for a confirmed transaction of a version that is read; null is none yet', async () => {
    const { chain, asked } = aChain({ getTransaction: () => null });
    expect(await chain.find(SIGNATURE)).toBeUndefined();
    const options = { ...CONFIRMED, encoding: 'json', maxSupportedTransactionVersion: 0 };
    expect(asked).toEqual([['getTransaction', [SIGNATURE, options]]]);
  });

  it.each([
    [
      'a version that is not read',
      refusing(-32015, 'Transaction version (1) is not supported'),
      {
        code: 'proof_format',
        message: 'The transaction is of a version that is not read: pay with one of version 0 or a legacy one.',
      },
    ],
    [
      'a refusal',
      refusing(-32602, 'Invalid param'),
      {
        code: 'network_unavailable',
        message: 'solana:devnet does not answer what it was asked: Invalid param',
        cause: expect.any(RpcEndpointError),
      },
    ],
    [
      'no answer',
      () => {
        throw new MeshError('network_unavailable', 'It is away.');
      },
      { code: 'network_unavailable', message: 'It is away.' },
    ],
  ])('that tells %s of a transaction has none', async (_name, answer, error) => {
    await expect(aChain({ getTransaction: answer }).chain.find(SIGNATURE)).rejects.toMatchObject(error);
  });

  it('tells a transaction with its transfers, and nothing in another form', async () => {
    const answer = {
      blockTime: 7,
      meta: { err: null, preBalances: [9, 0], postBalances: [8, 1] },
      transaction: { message: { accountKeys: [ADDRESS, ALICE.address], instructions: [] } },
    };
    expect(await aChain({ getTransaction: () => answer }).chain.find(SIGNATURE)).toMatchObject({
      signature: SIGNATURE,
      failed: false,
      blockTime: 7,
    });
    for (const other of [7, {}, undefined])
      await expect(aChain({ getTransaction: () => other }).chain.find(SIGNATURE)).rejects.toMatchObject(UNREADABLE);
  });

  it('that refuses another question is unavailable', async () => {
    const { chain } = aChain({ getBalance: refusing(-32015, 'No') });
    await expect(chain.getBalance(ADDRESS)).rejects.toMatchObject({
      code: 'network_unavailable',
      message: 'solana:devnet does not answer what it was asked: No',
      cause: expect.any(RpcEndpointError),
    });
  });

  it.each<[between: [until?: string, before?: string, minSlot?: number], options: object]>([
    [[], {}],
    [['a'], { until: 'a' }],
    [[undefined, 'b'], { before: 'b' }],
    [['a', 'b'], { until: 'a', before: 'b' }],
    [['a', undefined, 7], { until: 'a', minContextSlot: 7 }],
  ])('lists at most 1,000 confirmed transactions, between %j', async (between, options) => {
    const { chain, asked } = aChain({ getSignaturesForAddress: () => [] });
    expect(await chain.listTransactions(ADDRESS, ...between)).toEqual([]);
    expect(asked).toEqual([['getSignaturesForAddress', [ADDRESS, { ...CONFIRMED, limit: 1000, ...options }]]]);
  });

  it('lists each transaction with its slot, its outcome and its only memo', async () => {
    const rows = [
      { signature: 'a', slot: 4, err: null, memo: '[1] x' },
      { signature: 'b', slot: 3, memo: null },
      { signature: 'c', slot: 2, err: { InstructionError: [0, 'x'] }, memo: '[1] x; [1] y' },
      { signature: 'd', slot: 1, err: null, memo: 7 },
    ];
    expect(await aChain({ getSignaturesForAddress: () => rows }).chain.listTransactions(ADDRESS)).toEqual([
      { signature: 'a', slot: 4, failed: false, memo: 'x' },
      { signature: 'b', slot: 3, failed: false, memo: null },
      { signature: 'c', slot: 2, failed: true, memo: null },
      { signature: 'd', slot: 1, failed: false, memo: null },
    ]);
  });

  it.each([
    null,
    {},
    { value: [] },
    [null],
    [{}],
    [{ signature: 7, slot: 1 }],
    [{ signature: 'a' }],
    [{ signature: 'a', slot: '1' }],
  ])('lists nothing with the answer %j', async (rows) => {
    const { chain } = aChain({ getSignaturesForAddress: () => rows });
    await expect(chain.listTransactions(ADDRESS)).rejects.toMatchObject(UNREADABLE);
  });

  it('gives the blockhash to sign with', async () => {
    const { chain, asked } = aChain({
      getLatestBlockhash: () => ({ value: { blockhash: BLOCKHASH, lastValidBlockHeight: 9 } }),
    });
    const { wire } = await chain.sign(ALICE, ADDRESS, 1n);
    expect(readWire(Buffer.from(wire, 'base64')).recentBlockhash).toBe(BLOCKHASH);
    expect(asked).toEqual([['getLatestBlockhash', [CONFIRMED]]]);
  });

  it.each([
    null,
    { value: null },
    { value: {} },
    { value: { blockhash: BLOCKHASH } },
    { value: { blockhash: BLOCKHASH, lastValidBlockHeight: 1.5 } },
    { value: { blockhash: 'x', lastValidBlockHeight: 9 } },
    { value: { lastValidBlockHeight: 9 } },
  ])('gives no blockhash with the answer %j', async (answer) => {
    const { chain } = aChain({ getLatestBlockhash: () => answer });
    await expect(chain.sign(ALICE, ADDRESS, 1n)).rejects.toMatchObject(UNREADABLE);
  });
});

describe('A transfer that is sent to a public network', () => {
  const done = { err: null, confirmationStatus: 'confirmed' };
  /** The statuses in the answers to successive questions; the last one stays. */
  const statuses =
    (...all: unknown[]): Answer =>
    (_params, asked) => ({ value: [all[Math.min(asked, all.length) - 1]] });

  it.each([done, { err: null, confirmationStatus: 'finalized' }, { confirmationStatus: 'finalized' }])(
    'is not submitted again when its status is %j',
    async (status) => {
      const { chain, asked } = aChain({ getSignatureStatuses: statuses(status) });
      await chain.send(TRANSFER);
      expect(asked).toEqual([['getSignatureStatuses', [[TRANSFER.signature], { searchTransactionHistory: true }]]]);
    },
  );

  it.each([null, { err: null, confirmationStatus: 'processed' }, { err: 'x', confirmationStatus: 'processed' }, {}])(
    'is submitted when its status is %j, and its blockhash is looked at until it is confirmed',
    async (status) => {
      const { chain, asked } = aChain({
        getSignatureStatuses: statuses(status, status, done),
        isBlockhashValid: () => ({ value: true }),
      });
      await chain.send(TRANSFER);
      const look = ['getSignatureStatuses', [[TRANSFER.signature], { searchTransactionHistory: true }]];
      expect(asked).toEqual([
        look,
        ['sendTransaction', [TRANSFER.wire, { encoding: 'base64', preflightCommitment: 'confirmed' }]],
        look,
        ['isBlockhashValid', [BLOCKHASH, CONFIRMED]],
        look,
      ]);
    },
  );

  it('that failed on the chain is told so, with the reason', async () => {
    const { chain } = aChain({
      getSignatureStatuses: statuses({
        err: { InstructionError: [0n, { Custom: 1 }] },
        confirmationStatus: 'confirmed',
      }),
    });
    await expect(chain.send(TRANSFER)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The transaction failed: {"InstructionError":["0",{"Custom":1}]}.',
      details: { reason: 'failed' },
    });
  });

  it.each([null, {}, { value: 7 }, { value: [] }])('has no status in the answer %j', async (answer) => {
    const { chain } = aChain({ getSignatureStatuses: () => answer });
    await expect(chain.send(TRANSFER)).rejects.toMatchObject(UNREADABLE);
  });

  it.each(['AlreadyProcessed', 'BlockhashNotFound'])(
    'is awaited although the preflight says %s: the status decides',
    async (err) => {
      const { chain } = aChain({
        getSignatureStatuses: statuses(null, done),
        sendTransaction: refusing(-32002, 'Transaction simulation failed', { err }),
      });
      await expect(chain.send(TRANSFER)).resolves.toBeUndefined();
    },
  );

  it.each([
    [-32002, { err: 'InsufficientFundsForFee' }],
    [-32002, { err: 'AccountNotFound' }],
    [-32700, undefined],
    [-32600, undefined],
    [-32601, undefined],
    [-32602, undefined],
    [-32003, { err: 'AlreadyProcessed' }],
    [-32003, { err: 'BlockhashNotFound' }],
  ])('is refused with the code %i and %j', async (code, data) => {
    const { chain } = aChain({
      getSignatureStatuses: statuses(null, done),
      sendTransaction: refusing(code, 'Not this one', data),
    });
    await expect(chain.send(TRANSFER)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'solana:devnet refused the transfer: Not this one',
      details: { reason: 'refused' },
      cause: expect.any(RpcEndpointError),
    });
  });

  it.each([
    [
      1,
      { reason: 'refused', isRecipientBelowRent: true },
      /^solana:devnet refused the transfer: its recipient would hold/,
    ],
    [0, { reason: 'refused' }, /^solana:devnet refused the transfer: Account \(0\) is short$/],
  ])('is refused because account %i would hold too little for an account', async (account_index, details, message) => {
    const { chain } = aChain({
      getSignatureStatuses: statuses(null),
      sendTransaction: refusing(-32002, `Account (${account_index}) is short`, {
        err: { InsufficientFundsForRent: { account_index } },
      }),
    });
    const refusal = await chain.send(TRANSFER).catch((error: MeshError) => error);
    expect(refusal).toMatchObject({ code: 'bad_request', message: expect.stringMatching(message) });
    expect((refusal as MeshError).details).toEqual(details);
  });

  it.each([
    [-32002, null],
    [-32002, undefined],
    [-32002, { err: null }],
    [-32603, undefined],
    [-32000, undefined],
    [30, undefined],
  ])('is awaited although its first submission ends with the code %i and %j', async (code, data) => {
    const { chain } = aChain({
      getSignatureStatuses: statuses(null, done),
      sendTransaction: refusing(code, 'Request timed out', data),
    });
    await expect(chain.send(TRANSFER)).resolves.toBeUndefined();
  });

  it('is awaited when a server refuses what an earlier submission passed on', async () => {
    let submitted = 0;
    const { chain } = aChain({
      getSignatureStatuses: statuses(...Array.from({ length: 9 }, () => null), done),
      isBlockhashValid: () => ({ value: true }),
      sendTransaction: () => {
        submitted += 1;
        return submitted === 1 ? TRANSFER.signature : refusing(-32002, 'No', { err: 'AccountNotFound' })();
      },
    });
    await expect(chain.send(TRANSFER)).resolves.toBeUndefined();
    expect(submitted).toBeGreaterThan(1);
  });

  it('is of unknown outcome when the server is not reached', async () => {
    const { chain } = aChain({
      getSignatureStatuses: statuses(null),
      sendTransaction: () => {
        throw new MeshError('network_unavailable', 'It is away.');
      },
    });
    await expect(chain.send(TRANSFER)).rejects.toMatchObject({ code: 'network_unavailable' });
  });

  it.each([{ value: false }, { value: 'true' }, {}, null])(
    'has expired when the answer about its blockhash stays %j',
    async (answer) => {
      const { chain } = aChain({ getSignatureStatuses: statuses(null), isBlockhashValid: () => answer });
      await expect(chain.send(TRANSFER)).rejects.toMatchObject({ details: { reason: 'expired' } });
    },
  );
});
