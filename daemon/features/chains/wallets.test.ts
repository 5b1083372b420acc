import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Ledger,
  LOCAL_NETWORK,
  type TransferDone,
  type Wallet,
  type WalletList,
} from '../../contract/payments.js';
import { Bus } from '../../events/bus.js';
import { systemClock } from '../../lib/time/clock.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { aChainServer } from '../../testing/apps/a-chain-server.js';
import { type ALocalNetwork, aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { testApp } from '../../testing/apps/test-app.js';
import type { Chain, SignedTransfer } from './chain.js';
import { KnownChains } from './known-chains.js';
import { RpcChain } from './rpc-chain.js';
import { RpcEndpoint } from './rpc-endpoint.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM } from './solana-programs.js';
import { WalletKeys } from './wallet-keys.js';
import { WalletTransfersStore } from './wallet-transfers-store.js';
import { Wallets } from './wallets.js';

const FILE = '.mesh/credentials/wallets.json';

interface Owner {
  wallets: Wallets;
  keys: WalletKeys;
  store: WalletTransfersStore;
  notifiedCount: number;
}

/** The operator's wallets on an embedded network, or on `chain` in its place. */
function owner(local: ALocalNetwork, chain: Chain = local.chain, mayWrite = true): Owner {
  const bus = new Bus(local.clock);
  const keys = new WalletKeys(new SecretFile(join(local.root, 'credentials', 'wallets.json')), async () => mayWrite);
  const store = new WalletTransfersStore(local.database);
  const wallets = new Wallets({
    keys,
    chains: new KnownChains(chain, []),
    local: local.network,
    store,
    bus,
    clock: local.clock,
  });
  const made: Owner = { wallets, keys, store, notifiedCount: 0 };
  bus.watch(({ type }) => {
    if (type === 'payment.balance') made.notifiedCount += 1;
  });
  return made;
}

const key = (name: string, body = 'a') => ({ scope: 'pay main', key: name, body_sha256: body });

describe('wallets', () => {
  it('are created on first use, stored in a file with mode 0600, and kept across a restart', async () => {
    const local = aLocalNetwork();
    const { keys } = owner(local);
    expect([...(await keys.all())]).toEqual([]);
    const [main, again] = await Promise.all([keys.get(), keys.get('main')]);
    expect(again.address).toBe(main.address);
    const path = join(local.root, 'credentials', 'wallets.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await owner(local).keys.get()).toEqual(main);
    await expect(keys.get('savings')).rejects.toMatchObject({ code: 'not_found' });
    expect((await keys.make('savings')).isNew).toBe(true);
    expect((await keys.make('savings')).isNew).toBe(false);
    expect((await keys.get()).address).toBe(main.address);
  });

  it('are not created while git tracks the credentials, because an unstored key would be lost', async () => {
    const { keys } = owner(aLocalNetwork(), undefined, false);
    await expect(keys.get()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('git rm') });
    expect([...(await keys.all())]).toEqual([]);
  });

  it.each(['{"main": 7}', '{"main": {"address": "x", "seed": "AAAA"}}', '[]', 'not json'])(
    'fail on a damaged file and do not overwrite it: %s',
    async (text) => {
      const local = aLocalNetwork();
      const path = join(local.root, 'credentials', 'wallets.json');
      mkdirSync(join(local.root, 'credentials'), { mode: 0o700 });
      writeFileSync(path, text);
      chmodSync(path, 0o600);
      const { keys } = owner(local);
      await expect(keys.get()).rejects.toMatchObject({ code: 'store_readonly' });
      await expect(keys.make('other')).rejects.toMatchObject({ code: 'store_readonly' });
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('report their balance on each network, and null where it cannot be reached', async () => {
    const local = aLocalNetwork();
    const far = aLocalNetwork();
    const devnet = new RpcChain(
      'solana:devnet',
      new RpcEndpoint('solana:devnet', await aChainServer(far.network), systemClock),
      systemClock,
    );
    const mainnet = new RpcChain(
      'solana:mainnet',
      new RpcEndpoint('solana:mainnet', 'http://127.0.0.1:1', systemClock, 1),
      systemClock,
    );
    const { keys, store } = owner(local);
    const chains = new KnownChains(local.chain, [devnet, mainnet]);
    const wallets = new Wallets({
      keys,
      chains,
      local: local.network,
      store,
      bus: new Bus(local.clock),
      clock: local.clock,
    });
    const { address } = await keys.get();
    await wallets.fund('main', 5);
    await far.network.fund(address, 7n);
    expect(await wallets.list()).toEqual([
      { name: 'main', address, network: 'solana:local', real: false, lamports: 5 },
      { name: 'main', address, network: 'solana:devnet', real: false, lamports: 7 },
      { name: 'main', address, network: 'solana:mainnet', real: true, lamports: null },
    ]);
  });

  it('publish an event when their balance changes, whatever the cause', async () => {
    const local = aLocalNetwork();
    const made = owner(local);
    await made.wallets.create('main');
    await made.wallets.create('main');
    expect(made.notifiedCount).toBe(1);
    const { address } = await made.keys.get();
    await made.wallets.fund('main', 1_000_000);
    expect(made.notifiedCount).toBe(2);
    const stranger = await local.aWallet(1_000_000n);
    expect(made.notifiedCount).toBe(2);
    await local.chain.send(await local.chain.sign(stranger, address, 10n));
    await made.keys.all();
    expect(made.notifiedCount).toBe(3);
  });
});

describe('a manual payment', () => {
  it('is made once for repeats with the same key, and is refused with another body', async () => {
    const local = aLocalNetwork();
    const { wallets } = owner(local);
    const bob = await local.aWallet();
    await wallets.fund('main', 1_000_000);
    const body = { to: bob.address, lamports: 1000, memo: 'x' };
    const first = await wallets.pay('main', body, key('k-1'));
    expect(first.wallet.lamports).toBe(994_000);
    expect((await wallets.pay('main', body, key('k-1'))).signature).toBe(first.signature);
    await expect(wallets.pay('main', body, key('k-1', 'b'))).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect((await wallets.pay('main', body, key('k-2'))).signature).not.toBe(first.signature);
    expect(await local.chain.getBalance(bob.address)).toBe(2000n);
  });

  it('is refused while a payment with the same key is running', async () => {
    const local = aLocalNetwork();
    const { wallets } = owner(local);
    const bob = await local.aWallet();
    await wallets.fund('main', 1_000_000);
    const body = { to: bob.address, lamports: 1000 };
    const both = await Promise.allSettled([
      wallets.pay('main', body, key('k-1')),
      wallets.pay('main', body, key('k-1')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'in_flight' } });
    expect(await local.chain.getBalance(bob.address)).toBe(1000n);
  });

  it('that was refused can be repeated with its key', async () => {
    const local = aLocalNetwork();
    const { wallets } = owner(local);
    const bob = await local.aWallet();
    const body = { to: bob.address, lamports: 1000 };
    await expect(wallets.pay('main', body, key('k-1'))).rejects.toMatchObject({
      code: 'insufficient_funds',
      details: { balance: 0, lamports: 1000 },
    });
    await wallets.fund('main', 1_000_000);
    await wallets.pay('main', body, key('k-1'));
    expect(await local.chain.getBalance(bob.address)).toBe(1000n);
  });

  /** The embedded network, with a failure before or after each transfer is sent. */
  function breaking(local: ALocalNetwork, breakAt: 'before' | 'after'): Chain & { sent: SignedTransfer[] } {
    const sent: SignedTransfer[] = [];
    return {
      network: LOCAL_NETWORK,
      caip2: '',
      real: false,
      sent,
      getBalance: (address) => local.chain.getBalance(address),
      find: (signature) => local.chain.find(signature),
      listTransactions: (address, until) => local.chain.listTransactions(address, until),
      sign: (from, to, lamports, memo) => local.chain.sign(from, to, lamports, memo),
      async send(transfer) {
        sent.push(transfer);
        if (breakAt === 'after') await local.chain.send(transfer);
        throw new Error('The daemon was killed here.');
      },
    };
  }

  it.each(['before', 'after'] as const)(
    'that was interrupted %s it executed is made once by the next daemon',
    async (breakAt) => {
      const local = aLocalNetwork();
      const chain = breaking(local, breakAt);
      const killed = owner(local, chain);
      const bob = await local.aWallet();
      await killed.wallets.fund('main', 1_000_000);
      const body = { to: bob.address, lamports: 1000 };
      await expect(killed.wallets.pay('main', body, key('k-1'))).rejects.toThrow('killed');

      const next = owner(local);
      await next.wallets.start();
      const done = await next.wallets.pay('main', body, key('k-1'));
      expect(done.signature).toBe(chain.sent[0]?.signature);
      expect(await local.chain.getBalance(bob.address)).toBe(1000n);
      expect(next.store.unsettled()).toEqual([]);
    },
  );

  it('that was interrupted and repeated too late is signed anew, and is still made once', async () => {
    const local = aLocalNetwork();
    const killed = owner(local, breaking(local, 'before'));
    const bob = await local.aWallet();
    await killed.wallets.fund('main', 1_000_000);
    const body = { to: bob.address, lamports: 1000 };
    await expect(killed.wallets.pay('main', body, key('k-1'))).rejects.toThrow('killed');
    local.clock.advance(120_000);
    const { wallets, store } = owner(local);
    const [before] = store.list({ limit: 10 });
    expect((await wallets.pay('main', body, key('k-1'))).signature).not.toBe(before?.signature);
    expect(await local.chain.getBalance(bob.address)).toBe(1000n);
    expect(store.list({ limit: 10 })).toHaveLength(1);
  });

  it.each([
    ['before', 'refused'],
    ['after', 'sent'],
  ] as const)(
    'without a key that was interrupted %s it executed is found to be %s at the next start',
    async (breakAt, state) => {
      const local = aLocalNetwork();
      const killed = owner(local, breaking(local, breakAt));
      const bob = await local.aWallet();
      await killed.wallets.fund('main', 1_000_000);
      await expect(killed.wallets.pay('main', { to: bob.address, lamports: 1000 }, undefined)).rejects.toThrow(
        'killed',
      );
      const { wallets, store } = owner(local);
      await wallets.start();
      expect(store.list({ limit: 10 })).toMatchObject([{ state }]);
    },
  );
});

describe('the routes of wallets', () => {
  it('create, fund, list and pay, and never return a secret key', async () => {
    const app = await testApp();
    const ok = async <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const reply = await app.call(method, path, body, headers);
      expect([path, reply.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
      return reply.body as T;
    };
    expect(await ok<WalletList>('GET', '/wallets')).toEqual({ wallets: [], count: 0 });
    expect((await app.call('POST', '/wallets', { name: 'main' })).status).toBe(201);
    expect((await app.call('POST', '/wallets', { name: 'main' })).status).toBe(200);
    const other = await ok<Wallet>('POST', '/wallets', { name: 'other' });
    await ok('POST', '/wallets/main/fund', { lamports: 1_000_000 });
    const pay = { to: other.address, lamports: 1500, memo: 'by hand' };
    const done = await ok<TransferDone>('POST', '/wallets/main/pay', pay, { 'idempotency-key': 'k' });
    expect(await ok('POST', '/wallets/main/pay', pay, { 'idempotency-key': 'k' })).toEqual(done);
    const { wallets } = await ok<WalletList>('GET', '/wallets');
    expect(wallets.map(({ name, lamports }) => [name, lamports])).toEqual([
      ['main', 993_500],
      ['other', 1500],
    ]);
    const seeds = Object.values(
      JSON.parse(readFileSync(join(app.root, FILE), 'utf8')) as Record<string, { seed: string }>,
    ).map(({ seed }) => seed);
    expect(seeds).toHaveLength(2);
    const said = JSON.stringify([wallets, done, app.log]);
    for (const seed of seeds) expect(said).not.toContain(seed);
  });

  it('are in the description of the API with what each does and answers, and so is the local network', async () => {
    const { paths } = (await (await testApp()).call('GET', '/openapi.json')).body as {
      paths: Record<
        string,
        Record<string, { summary?: string; description?: string; tags?: string[]; responses: object }>
      >;
    };
    const summaries: [path: string, method: string, summary: RegExp][] = [
      ['/wallets', 'get', /Every wallet/],
      ['/wallets', 'post', /Make a wallet/],
      ['/wallets/{name}/fund', 'post', /not real money/],
      ['/wallets/{name}/pay', 'post', /pays once/],
      ['/chain', 'post', /not real money/],
    ];
    for (const [path, method, summary] of summaries)
      expect(paths[path]?.[method]).toMatchObject({ tags: ['payments'], summary: expect.stringMatching(summary) });
    const answer = (name: string) => ({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    });
    const responses = (path: string, method: string) => paths[path]?.[method]?.responses;
    expect(responses('/wallets', 'get')).toMatchObject({ 200: answer('WalletList') });
    expect(responses('/wallets', 'post')).toMatchObject({ 200: answer('Wallet'), 201: answer('Wallet') });
    expect(responses('/wallets/{name}/fund', 'post')).toMatchObject({ 200: answer('Wallet') });
    expect(responses('/wallets/{name}/pay', 'post')).toMatchObject({ 200: answer('TransferDone') });
    expect(paths['/chain']?.['post']?.description).toMatch(/single calls and batches: getHealth, .*, getBalance, /);
  });

  it('pay from each wallet once for the same key', async () => {
    const app = await testApp();
    const { address: to } = (await app.call('POST', '/wallets', { name: 'shop' })).body as Wallet;
    const signatures: string[] = [];
    for (const name of ['main', 'other']) {
      await app.call('POST', '/wallets', { name });
      await app.call('POST', `/wallets/${name}/fund`, { lamports: 20_000 });
      for (const _ of ['once', 'again']) {
        const { body } = await app.call(
          'POST',
          `/wallets/${name}/pay`,
          { to, lamports: 7 },
          { 'idempotency-key': 'k' },
        );
        signatures.push((body as TransferDone).signature);
      }
    }
    expect(new Set(signatures).size).toBe(2);
    const { wallets } = (await app.call('GET', '/wallets')).body as WalletList;
    expect(wallets.map(({ name, lamports }) => [name, lamports])).toEqual([
      ['main', 14_993],
      ['other', 14_993],
      ['shop', 14],
    ]);
  });

  it('refuse invalid requests with the right status and a message', async () => {
    const app = await testApp();
    const system = '1'.repeat(32);
    await app.call('POST', '/wallets/main/fund', { lamports: 1_000_000 });
    const wrong: [path: string, body: object, status: number][] = [
      ['/wallets', { name: 'No Name' }, 400],
      ['/wallets', { name: '__proto__' }, 400],
      ['/wallets', { name: 'a', seed: 'x' }, 400],
      ['/wallets/main/fund', { lamports: 0 }, 400],
      ['/wallets/main/fund', { lamports: 1.5 }, 400],
      ['/wallets/main/fund', { lamports: 2e15 }, 400],
      ['/wallets/nobody/fund', { lamports: 1 }, 404],
      ['/wallets/No%20Name/fund', { lamports: 1 }, 400],
      ['/wallets/main/pay', { to: 'x'.repeat(40), lamports: 1 }, 400],
      ['/wallets/main/pay', { to: system, lamports: 1, network: 'solana:devnet' }, 400],
      ['/wallets/main/pay', { to: system, lamports: 1, network: 'bitcoin' }, 400],
      ['/wallets/main/pay', { to: system, lamports: 1 }, 400],
      ['/wallets/main/pay', { to: MEMO_PROGRAM, lamports: 1 }, 400],
      ['/wallets/main/pay', { to: COMPUTE_BUDGET_PROGRAM, lamports: 1 }, 400],
      [
        '/wallets/main/pay',
        { to: '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC', lamports: 1, memo: '🦀'.repeat(256) },
        400,
      ],
      ['/wallets/nobody/pay', { to: system, lamports: 1 }, 404],
    ];
    for (const [path, body, status] of wrong) {
      const reply = await app.call('POST', path, body);
      expect([path, body, reply.status, reply.body]).toEqual([
        path,
        body,
        status,
        expect.objectContaining({ message: expect.any(String) }),
      ]);
    }
  });

  it('add manual payments to the spent side of the ledger, whatever their outcome', async () => {
    const app = await testApp();
    const other = (await app.call('POST', '/wallets', { name: 'other' })).body as Wallet;
    await app.call('POST', '/wallets/main/fund', { lamports: 1_000_000 });
    const { signature } = (
      await app.call('POST', '/wallets/main/pay', { to: other.address, lamports: 1500, memo: 'tk_secret' })
    ).body as TransferDone;
    app.clock.advance(1000);
    await app.call('POST', '/wallets/main/pay', { to: other.address, lamports: 5_000_000 });
    const ledger = async (query: string) => ((await app.call('GET', `/ledger?${query}`)).body as Ledger).entries;
    const paid = {
      id: expect.stringMatching(/^pay-[\w-]{16}$/),
      side: 'spent',
      kind: 'transfer',
      state: 'settled',
      counterparty: other.address,
      amount_lamports: 1500,
      real: false,
      signature,
    };
    expect(await ledger('')).toMatchObject([
      { ...paid, state: 'refused', amount_lamports: 5_000_000, signature: expect.any(String) },
      paid,
    ]);
    expect(await ledger('state=settled&side=spent')).toMatchObject([paid]);
    expect(await ledger(`q=${signature}`)).toMatchObject([paid]);
    expect(await ledger(`agent=${other.address}&since=${Math.floor(app.clock.now() / 1000)}`)).toMatchObject([
      { state: 'refused' },
    ]);
    for (const query of ['side=earned', 'mode=x402', 'state=owed', 'q=tk_secret', 'agent=main'])
      expect(await ledger(query)).toEqual([]);
    const first = (await app.call('GET', '/ledger?limit=1')).body as Ledger;
    expect(await ledger(`limit=1&cursor=${first.next_cursor}`)).toMatchObject([paid]);
  });
});
