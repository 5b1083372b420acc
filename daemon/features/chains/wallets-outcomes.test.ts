import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { LOCAL_NETWORK, type NetworkName } from '../../contract/payments.js';
import { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import type { Chain } from './chain.js';
import { KnownChains } from './known-chains.js';
import { TransactionRefusedError } from './refused.js';
import { WalletKeys } from './wallet-keys.js';
import { WalletTransfersStore } from './wallet-transfers-store.js';
import { type NeighbourNetwork, Wallets } from './wallets.js';

const BOB = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';
const BODY = { to: BOB, lamports: 1000 };
const DEVNET = { ...BODY, network: 'solana:devnet' as NetworkName };
const KEY = { scope: 'pay main', key: 'k-1', body_sha256: 'a' };
const refused = (reason: string) => new MeshError('bad_request', `It is ${reason}.`, { details: { reason } });
const UNKNOWN_OUTCOME = new MeshError('deadline', 'It is not confirmed yet.');

interface Script {
  network?: string;
  real?: boolean;
  /** What successive transfers end with; undefined is success. The last one stays. */
  ends?: (Error | undefined)[];
  balance?: () => Promise<bigint>;
}

/** A network that ends each transfer as its script says. */
function aScriptedChain({
  network = 'solana:devnet',
  real = false,
  ends = [],
  balance = async () => 50n,
}: Script = {}) {
  const sent: string[] = [];
  const signed: unknown[][] = [];
  const chain: Chain = {
    network: network as NetworkName,
    caip2: network,
    real,
    getBalance: () => balance(),
    find: async () => undefined,
    listTransactions: async () => [],
    async sign(...given) {
      signed.push(given);
      return { signature: `s-${network}-${signed.length}`, wire: `w-${signed.length}` };
    },
    async send({ signature }) {
      sent.push(signature);
      const end = ends[Math.min(sent.length, ends.length) - 1];
      if (end) throw end;
    },
  };
  return { chain, sent, signed };
}

interface Options {
  chains?: Chain[];
  listNeighbours?: () => Promise<readonly NeighbourNetwork[]>;
  fund?: () => Promise<never>;
}

function anOwner({ chains = [], listNeighbours, fund }: Options = {}) {
  const local = aLocalNetwork();
  const bus = new Bus(local.clock);
  const told: { type: string }[] = [];
  bus.watch(({ seq: _, ts: __, ...event }) => told.push(event));
  const folder = join(local.root, 'credentials');
  const keys = new WalletKeys(new SecretFile(join(folder, 'wallets.json')), async () => true);
  const store = new WalletTransfersStore(local.database);
  const { network } = local;
  const known = new KnownChains(local.chain, chains, (name) => aScriptedChain({ network: name }).chain);
  const wallets = new Wallets({
    keys,
    chains: known,
    ...(listNeighbours && { listNeighbours }),
    local: {
      fund: fund ?? ((...given) => network.fund(...given)),
      onBalancesChanged: (run) => network.onBalancesChanged(run),
    },
    store,
    bus,
    clock: local.clock,
  });
  return { local, wallets, keys, store, told, folder, known };
}

const BALANCE = { type: 'payment.balance', agent: null };

describe('the list of wallets', () => {
  it('is sorted by name, and has the networks of other projects only when asked', async () => {
    const far = 'solana:local-0123abcd' as NetworkName;
    const { wallets } = anOwner({
      chains: [aScriptedChain({ real: true }).chain],
      listNeighbours: async () => [{ network: far, project: 'tower' }],
    });
    for (const name of ['b', 'main', 'a', 'c']) await wallets.create(name);
    const rows = (await wallets.list()).map(({ name, network, real, lamports }) => [name, network, real, lamports]);
    expect(rows).toEqual(
      ['a', 'b', 'c', 'main'].flatMap((name) => [
        [name, 'solana:local', false, 0],
        [name, 'solana:devnet', true, 50],
      ]),
    );
    const all = await wallets.list(true);
    expect(all.filter(({ name }) => name === 'a').map(({ network, project }) => [network, project])).toEqual([
      ['solana:local', undefined],
      ['solana:devnet', undefined],
      [far, 'tower'],
    ]);
    expect(all[0]).not.toHaveProperty('project');
    expect(await anOwner().wallets.list(true)).toEqual([]);
  });

  it.each<[what: string, balance: () => Promise<bigint>, lamports: number | null]>([
    ['the largest exact number', async () => BigInt(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    ['more than an exact number', async () => BigInt(Number.MAX_SAFE_INTEGER) + 1n, null],
    ['nothing', async () => 0n, 0],
    ['no answer', () => Promise.reject(new MeshError('network_unavailable', 'It is away.')), null],
  ])('has the balance of a network that tells %s', async (_what, balance, lamports) => {
    const { wallets } = anOwner({ chains: [aScriptedChain({ balance }).chain] });
    await wallets.create('main');
    expect((await wallets.list())[1]).toMatchObject({ network: 'solana:devnet', lamports });
  });

  it('waits three seconds for a balance, and fails for a reason of the daemon as that reason', async () => {
    const { wallets, local } = anOwner({
      chains: [aScriptedChain({ balance: () => new Promise(() => undefined) }).chain],
    });
    await wallets.create('main');
    let listed: unknown;
    const listing = wallets.list().then((rows) => {
      listed = rows;
    });
    for (let tick = 0; tick < 20; tick += 1) await waitForTick();
    local.clock.advance(2999);
    for (let tick = 0; tick < 20; tick += 1) await waitForTick();
    expect(listed).toBeUndefined();
    local.clock.advance(1);
    await listing;
    expect(listed).toMatchObject([{ lamports: 0 }, { lamports: null }]);
    const broken = anOwner({
      chains: [aScriptedChain({ balance: () => Promise.reject(new TypeError('broken')) }).chain],
    });
    await broken.wallets.create('main');
    await expect(broken.wallets.list()).rejects.toThrow('broken');
  });
});

describe('the faucet', () => {
  it('that is refused says so as a bad request', async () => {
    const fund = () => Promise.reject(new TransactionRefusedError('It would fail.', 'SanitizeFailure'));
    const { wallets } = anOwner({ fund });
    await wallets.create('main');
    await expect(wallets.fund('main', 5)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The faucet was refused. It would fail.',
    });
  });

  it('that fails otherwise fails as that', async () => {
    const { wallets } = anOwner({ fund: () => Promise.reject(new MeshError('network_unavailable', 'No library.')) });
    await wallets.create('main');
    await expect(wallets.fund('main', 5)).rejects.toMatchObject({
      code: 'network_unavailable',
      message: 'No library.',
    });
  });

  it('publishes an event when one of several wallets changes', async () => {
    const { wallets, keys, told } = anOwner();
    for (const name of ['main', 'other']) await wallets.create(name);
    await wallets.fund('other', 5);
    await keys.all();
    expect(told).toEqual([BALANCE, BALANCE, BALANCE]);
  });

  it('publishes no event for other wallets, nor while the file of the keys cannot be read', async () => {
    const { wallets, keys, local, told } = anOwner();
    await wallets.create('main');
    await wallets.fund('main', 5);
    await keys.all();
    expect(told).toEqual([BALANCE, BALANCE]);
    const { address } = await local.aWallet(5n);
    const damaged = anOwner();
    mkdirSync(damaged.folder, { mode: 0o700 });
    writeFileSync(join(damaged.folder, 'wallets.json'), '[]', { mode: 0o600 });
    await damaged.local.network.fund(address, 5n);
    await expect(damaged.keys.all()).rejects.toMatchObject({ code: 'store_readonly' });
    for (let tick = 0; tick < 20; tick += 1) await waitForTick();
    expect([told.length, damaged.told]).toEqual([2, []]);
  });
});

describe('a manual payment', () => {
  it('is signed for its recipient, recorded, sent, and told on the network that it names', async () => {
    const { chain, sent, signed } = aScriptedChain({ network: 'solana:mainnet', real: true });
    const { wallets, keys, store, told, local } = anOwner({ chains: [chain] });
    const { address, ...seed } = await keys.get();
    const body = { ...BODY, network: 'solana:mainnet' as NetworkName, memo: 'x' };
    const done = await wallets.pay('main', body, KEY);
    const signature = 's-solana:mainnet-1';
    expect(done).toEqual({
      signature,
      wallet: { name: 'main', address, network: 'solana:mainnet', real: true, lamports: 50 },
    });
    expect(signed).toEqual([[{ address, ...seed }, BOB, 1000n, 'x']]);
    expect(sent).toEqual([signature]);
    expect(store.list({ limit: 9 })).toEqual([
      {
        seq: 1,
        id: expect.stringMatching(/^pay-/),
        ...KEY,
        wallet: 'main',
        network: 'solana:mainnet',
        recipient: BOB,
        lamports: 1000,
        is_real: 1,
        signature,
        wire: 'w-1',
        state: 'sent',
        created_ms: local.clock.now(),
        updated_ms: local.clock.now(),
      },
    ]);
    const id = store.list({ limit: 1 })[0]?.id;
    expect(told).toEqual([{ type: 'payment.changed', id, side: 'spent', state: 'settled', agent: BOB }, BALANCE]);
    await wallets.pay('main', body, undefined);
    expect(store.list({ limit: 9 })).toMatchObject([{}, {}]);
    expect(store.list({ limit: 9 }).find(({ key }) => key === null)).toMatchObject({ scope: null, body_sha256: null });
  });

  it('on the local network tells the new balance once', async () => {
    const { wallets, keys, told } = anOwner();
    await wallets.fund('main', 20_000);
    expect((await wallets.pay('main', BODY, KEY)).wallet.lamports).toBe(14_000);
    await keys.all();
    expect(told.map(({ type }) => type)).toEqual(['payment.balance', 'payment.balance', 'payment.changed']);
    expect(await wallets.create('main')).toMatchObject({ isNew: false, wallet: { name: 'main', lamports: 14_000 } });
    expect(told).toHaveLength(3);
  });

  it('that the network refuses is recorded and told as refused', async () => {
    const { wallets, store, told } = anOwner({
      chains: [aScriptedChain({ ends: [refused('refused')], balance: async () => 6000n }).chain],
    });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is refused.');
    expect(store.list({ limit: 9 })).toMatchObject([{ state: 'refused', is_real: 0 }]);
    expect(told).toMatchObject([{ type: 'payment.changed', state: 'refused' }]);
  });

  it.each([999, 1000, 5999])('that the wallet cannot cover with its fee says that it holds %i', async (balance) => {
    const { wallets } = anOwner({
      chains: [aScriptedChain({ ends: [refused('refused')], balance: async () => BigInt(balance) }).chain],
    });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toMatchObject({
      code: 'insufficient_funds',
      message:
        `main holds ${balance} lamports on solana:devnet, and the payment is 1000 with a fee of 5000: ` +
        'fund it first, or pay less.',
      details: { balance, lamports: 1000 },
    });
  });

  it('that is refused while the balance is unknown stays refused', async () => {
    const balance = () => Promise.reject(new MeshError('network_unavailable', 'It is away.'));
    const { wallets } = anOwner({ chains: [aScriptedChain({ ends: [refused('refused')], balance }).chain] });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is refused.');
  });

  it('of unknown outcome is the same transfer when it is repeated, until its end is known', async () => {
    const { chain, sent } = aScriptedChain({
      ends: [UNKNOWN_OUTCOME, UNKNOWN_OUTCOME, undefined],
      balance: async () => 0n,
    });
    const { wallets, store, told } = anOwner({ chains: [chain] });
    for (let attempt = 1; attempt <= 2; attempt += 1)
      await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is not confirmed yet.');
    expect(store.list({ limit: 9 })).toMatchObject([{ state: 'signed' }]);
    expect(told).toEqual([]);
    const { signature } = await wallets.pay('main', DEVNET, KEY);
    expect(await wallets.pay('main', DEVNET, KEY)).toMatchObject({ signature });
    expect(sent).toEqual([signature, signature, signature]);
  });

  it('stays one transfer when a repeat is refused after an unknown outcome', async () => {
    const { chain, signed } = aScriptedChain({ ends: [UNKNOWN_OUTCOME, refused('refused'), undefined] });
    const { wallets, store } = anOwner({ chains: [chain] });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('not confirmed');
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is refused.');
    expect(store.list({ limit: 9 })).toMatchObject([{ state: 'signed' }]);
    await wallets.pay('main', DEVNET, KEY);
    expect(signed).toHaveLength(1);
  });

  it('that expired is signed anew; one that failed is not while it is being determined', async () => {
    const expired = aScriptedChain({ ends: [UNKNOWN_OUTCOME, refused('expired'), undefined] });
    const { wallets, store } = anOwner({ chains: [expired.chain] });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('not confirmed');
    expect((await wallets.pay('main', DEVNET, KEY)).signature).toBe('s-solana:devnet-2');
    expect(expired.sent).toEqual(['s-solana:devnet-1', 's-solana:devnet-1', 's-solana:devnet-2']);
    expect(store.list({ limit: 9 })).toMatchObject([{ signature: 's-solana:devnet-2', state: 'sent' }]);

    const failed = aScriptedChain({ ends: [UNKNOWN_OUTCOME, refused('failed')] });
    const other = anOwner({ chains: [failed.chain] });
    await expect(other.wallets.pay('main', DEVNET, KEY)).rejects.toThrow('not confirmed');
    await expect(other.wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is failed.');
    expect(failed.signed).toHaveLength(1);
    expect(other.store.list({ limit: 9 })).toMatchObject([{ state: 'refused' }]);
  });

  it('whose network becomes unavailable with an expired reason is not signed anew', async () => {
    const away = new MeshError('network_unavailable', 'It is away.', { details: { reason: 'expired' } });
    const { chain, signed } = aScriptedChain({ ends: [UNKNOWN_OUTCOME, away] });
    const { wallets, store } = anOwner({ chains: [chain] });
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('not confirmed');
    await expect(wallets.pay('main', DEVNET, KEY)).rejects.toThrow('It is away.');
    expect([signed.length, store.unsettled().length]).toEqual([1, 1]);
  });

  it('refuses its key for another body, and while it is running, and only then', async () => {
    const { chain } = aScriptedChain();
    const { wallets } = anOwner({ chains: [chain] });
    const running = wallets.pay('main', DEVNET, KEY);
    const both = wallets.pay('main', DEVNET, KEY);
    const others = [undefined, undefined, { ...KEY, key: 'k-2' }, { ...KEY, scope: 'pay b' }].map((key) =>
      wallets.pay('main', DEVNET, key),
    );
    await expect(both).rejects.toMatchObject({
      code: 'in_flight',
      message: 'The payment with this Idempotency-Key is under way: wait for its answer.',
    });
    const { signature } = await running;
    await Promise.all(others);
    expect((await wallets.pay('main', DEVNET, KEY)).signature).toBe(signature);
    await expect(wallets.pay('main', DEVNET, { ...KEY, body_sha256: 'b' })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
      message: 'This Idempotency-Key was used with another body: take a fresh key.',
    });
    expect((await wallets.pay('main', DEVNET, { ...KEY, scope: 'pay other' })).signature).not.toBe(signature);
  });
});

describe('the start of the daemon', () => {
  it('does not load the local network when no payment on it is open', async () => {
    const { wallets, store, local, known } = anOwner();
    const asked = vi.spyOn(known, 'get');
    const transfer = {
      id: 'a',
      scope: null,
      key: null,
      body_sha256: null,
      wallet: 'main',
      recipient: BOB,
      lamports: 1,
      is_real: 0 as const,
      wire: 'AAAA',
      created_ms: 1,
    };
    const settled = await store.add({ ...transfer, network: LOCAL_NETWORK, signature: 's-1' });
    await store.settle(settled.seq, 'sent', local.clock.now());
    await store.add({ ...transfer, id: 'b', network: 'solana:devnet', signature: 's-2' });
    await wallets.start();
    expect(asked).not.toHaveBeenCalled();
  });

  it('determines the payments on the local network and leaves those of others and of keys', async () => {
    const { chain } = aScriptedChain({ ends: [UNKNOWN_OUTCOME] });
    const { wallets, store, local } = anOwner({ chains: [chain] });
    const [alice, carol] = [await local.aWallet(20_000n), await local.aWallet()];
    const record = async (id: string, key: string | null, lamports: bigint, network = 'solana:local') => {
      const signed = await local.chain.sign(alice, carol.address, lamports);
      await store.add({
        id,
        scope: key === null ? null : 'pay main',
        key,
        body_sha256: null,
        wallet: 'main',
        network: network as NetworkName,
        recipient: carol.address,
        lamports: Number(lamports),
        is_real: 0,
        ...signed,
        created_ms: 1,
      });
      return Buffer.from(signed.wire, 'base64');
    };
    await local.network.send(await record('a-sent', null, 1n));
    await local.network.send(await record('b-sent-with-key', 'k-b', 1n));
    await local.network.send(await record('c-failed', null, 19_000n), { mayFail: true });
    await record('d-lost', null, 1n);
    await record('e-lost-with-key', 'k-e', 1n);
    await record('f-elsewhere', null, 1n, 'solana:devnet');
    await wallets.start();
    expect(store.list({ limit: 9 }).map(({ id, state, updated_ms }) => [id, state, updated_ms])).toEqual([
      ['f-elsewhere', 'signed', 1],
      ['e-lost-with-key', 'signed', 1],
      ['d-lost', 'refused', local.clock.now()],
      ['c-failed', 'refused', local.clock.now()],
      ['b-sent-with-key', 'sent', local.clock.now()],
      ['a-sent', 'sent', local.clock.now()],
    ]);
  });
});
