import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReportLog } from '../../contract/network/reputation.js';
import type { Call, CallBody, Ledger, Wallet, WalletList } from '../../contract/payments.js';
import { toLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { beFound, meshdIn } from '../../testing/processes/command-line.js';
import { RealClock } from '../../testing/real-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

const PRICE = 4_000;
const FUNDS = 1_000_000;
/** Undoes that a call was answered. */
const UNANSWERED = 'is_committed = 0, answered_ms = NULL, finished_ms = NULL, result = NULL, reputation_filed = NULL';
const INPUT = { text: 'Which port does it listen on?' };

interface Scene {
  payer: TestApp;
  seller: TestApp;
  /** The name of the seller's project. */
  name: string;
  call(body?: Partial<CallBody>): Promise<Call>;
  /** Ends the seller, and starts a third project on its port and the seller on another one. Returns the seller. */
  move(): Promise<TestApp>;
  /** Starts the daemon of a project that was stopped. */
  again(app: Pick<TestApp, 'root'>): Promise<TestApp>;
  meshd(...args: string[]): ReturnType<typeof meshdIn>;
}

/** Two projects of one user, each with its daemon. The payer may spend without approval. */
async function twoProjects(): Promise<Scene> {
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const payer = await testApp({ clock: new RealClock(), env });
  const seller = await testApp({ clock: new RealClock(), env });
  for (const app of [payer, seller]) beFound(app);
  const name = basename(seller.root);
  await payer.call('PATCH', '/ledger/caps', { per_call_lamports: 10 * PRICE, per_day_lamports: 100 * PRICE });
  await expect
    .poll(async () => ((await payer.call('GET', '/projects')).body as { count: number }).count, { timeout: 10_000 })
    .toBe(2);
  const again = async ({ root }: Pick<TestApp, 'root'>) => {
    const app = await testApp({ root, clock: new RealClock(), env });
    beFound(app);
    // Whoever lists the projects is listed from then on.
    await app.call('GET', '/projects');
    return app;
  };
  return {
    payer,
    seller,
    name,
    async move() {
      await seller.stop();
      const port = Number(new URL(seller.address).port);
      beFound(await testApp({ clock: new RealClock(), env, port, files: { 'README.md': '# Mill\n\nIt grinds.\n' } }));
      return again(seller);
    },
    again,
    call: async (body = {}) =>
      (await payer.call('POST', '/calls', { agent: `${name}/consultant`, skill: 'ask', input: INPUT, ...body })).body,
    meshd: (...args) => meshdIn(payer.root, { variables: env }, ...args),
  };
}

const sell = (app: TestApp, payment: object = { modes: ['x402'] }, network = 'solana:local') =>
  app.call('PATCH', '/team/consultant', {
    pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network },
    payment,
  });

/** Lists the settled entries of one side, without those that cost nothing. */
async function settled(app: TestApp, side: 'earned' | 'spent') {
  const { entries } = (await app.call('GET', `/ledger?side=${side}&state=settled&limit=200`)).body as Ledger;
  return entries.filter(({ amount_lamports }) => amount_lamports > 0);
}

async function airdrop({ payer, seller }: Scene): Promise<string> {
  await payer.call('POST', '/wallets', { name: 'main' });
  const address = ((await payer.call('GET', '/wallets')).body as WalletList).wallets[0]?.address ?? '';
  const params = [address, FUNDS];
  await seller.call('POST', '/chain', { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params });
  return address;
}

describe('A member of this project', () => {
  it('that is paid into the wallet that pays is not called, and one of its own counts with the next call', async () => {
    const app = await testApp({ clock: new RealClock(), env: { XDG_STATE_HOME: temporaryFolder() } });
    await app.call('PATCH', '/ledger/caps', { per_call_lamports: 10 * PRICE, per_day_lamports: 100 * PRICE });
    await app.call('POST', '/wallets', { name: 'main' });
    await app.call('POST', '/wallets/main/fund', { lamports: FUNDS });
    await sell(app);
    const agent = `${app.address}/team/consultant`;
    const call = async () => (await app.call('POST', '/calls', { agent, skill: 'ask', input: INPUT })).body as Call;
    const refused = await call();
    expect(refused).toMatchObject({ state: 'failed', error: { code: 'wrong_wallet' } });
    expect(refused.error?.message).toContain('meshd wallet new earnings');
    const made = (await app.call('POST', '/wallets', { name: 'earnings' })).body as Wallet;
    // Its file may name the network by its genesis.
    const genesis = await app.call('POST', '/chain', { jsonrpc: '2.0', id: 1, method: 'getGenesisHash' });
    const network = toLocalNetworkName((genesis.body as { result: string }).result);
    expect((await sell(app, { modes: ['x402'], wallet: made.address }, network)).status).toBe(200);
    expect(await call()).toMatchObject({ state: 'done', mode: 'x402' });
  });
});

describe('A member of another project of this user', () => {
  it('answers without a price as it answers its operator, with no token given', async () => {
    const { call, payer } = await twoProjects();
    expect(await call()).toMatchObject({ state: 'done', mode: null, result: { confidence: expect.any(String) } });
    expect(await settled(payer, 'spent')).toEqual([]);
  });

  it('is not paid on a network where the payer holds nothing, and the refusal says what to set', async () => {
    const scene = await twoProjects();
    await sell(scene.seller);
    // Lamports of the payer's own network pay nothing there.
    await scene.payer.call('POST', '/wallets/main/fund', { lamports: FUNDS });
    // Nor when the own hub knows it under a plain id.
    await scene.payer.call('POST', '/agents/register', {
      agent_id: 'lamp',
      capabilities: [],
      agent_card: { endpoint: `${scene.seller.address}/team/consultant` },
    });
    for (const agent of [`${scene.name}/consultant`, 'lamp']) {
      const call = await scene.call({ agent });
      expect(call).toMatchObject({ state: 'failed', signature: null, error: { code: 'insufficient_funds' } });
      expect(call.error?.message).toContain(`meshd wallet fund --project ${scene.name}`);
    }
    const { wallets } = (await scene.payer.call('GET', '/wallets')).body as WalletList;
    expect(wallets[0]?.lamports).toBe(FUNDS);
    expect(await settled(scene.seller, 'earned')).toEqual([]);
  });

  it('is paid on its own network, and rated with its own bureau; both ledgers have the same transfer', async () => {
    const scene = await twoProjects();
    await sell(scene.seller);
    await airdrop(scene);
    const call = await scene.call();
    expect(call).toMatchObject({ state: 'done', mode: 'x402', amount_lamports: PRICE, real: false });
    expect(call.network).toMatch(/^solana:local-[0-9a-f]{8}$/);
    const [spent, earned] = [await settled(scene.payer, 'spent'), await settled(scene.seller, 'earned')];
    expect(spent).toEqual([expect.objectContaining({ agent: `${scene.name}/consultant`, amount_lamports: PRICE })]);
    expect(earned.map(({ signature, amount_lamports }) => [signature, amount_lamports])).toEqual([
      [spent[0]?.signature, PRICE],
    ]);
    expect(call.reputation_filed).toMatchObject({ ok: true });
    const { registrations } = (await scene.seller.call('GET', '/registrations')).body as {
      registrations: { surfaces: { v1: { agent_id: string } } }[];
    };
    const agentId = registrations[0]?.surfaces.v1.agent_id;
    const log = (await scene.seller.call('GET', `/v1/reputation/${agentId}/reports`)).body as ReportLog;
    expect(log.reports.map(({ proof }) => proof)).toEqual(['payment']);
  });

  it('is paid on its own network when it is called by its address, and from a deposit', async () => {
    const scene = await twoProjects();
    await sell(scene.seller, { modes: ['x402', 'deposit'], deposit: { min_lamports: PRICE, credit_unit: 'lamports' } });
    await airdrop(scene);
    const agent = `${scene.seller.address}/team/consultant`;
    expect(await scene.call({ agent })).toMatchObject({ state: 'done', mode: 'x402' });
    const topup = { mode: 'deposit', topup_lamports: 2 * PRICE } as const;
    expect(await scene.call(topup)).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE });
    const { earned_lamports } = (await scene.seller.call('GET', '/ledger')).body as Ledger;
    expect(earned_lamports).toBe(2 * PRICE);
  });

  it('has a network that the wallets know: shown with what they hold there, and paid on by hand', async () => {
    const { payer, seller, name, meshd, ...scene } = await twoProjects();
    await airdrop({ payer, seller, name, meshd, ...scene });
    const shown = await meshd('wallet', 'show', '--json');
    const { wallets } = JSON.parse(shown.out) as WalletList;
    const there = wallets.find(({ project }) => project === name);
    expect(there).toMatchObject({ name: 'main', lamports: FUNDS, real: false });
    expect(there?.network).toMatch(/^solana:local-[0-9a-f]{8}$/);
    expect((await meshd('wallet', 'show')).out).toMatch(new RegExp(`${there?.network} +0.001 SOL +${name}`));

    const to = ((await seller.call('POST', '/wallets', { name: 'main' })).body as Wallet).address;
    const pay = (network: string) => meshd('wallet', 'pay', to, '--lamports', '1000', '--network', network);
    const paid = await pay(there?.network ?? '');
    expect([paid.exit, paid.err]).toEqual([0, expect.stringContaining(`on ${there?.network}`)]);
    expect(((await seller.call('GET', '/wallets')).body as WalletList).wallets[0]?.lamports).toBe(1_000);
    const away = await pay('solana:local-00000000');
    expect([away.exit, away.err]).toEqual([1, expect.stringContaining('No running project of yours has the network')]);
    expect(await pay('solana:moon')).toMatchObject({ exit: 2, err: expect.stringContaining('solana:devnet') });

    // Under its full name the daemon's own network is the local one.
    const own = ((await seller.call('GET', '/wallets?neighbours=true')).body as WalletList).wallets;
    const [mine] = own.filter(({ project }) => project !== undefined);
    await payer.call('POST', '/wallets/main/fund', { lamports: FUNDS });
    expect((await pay(mine?.network ?? '')).exit).toBe(0);
  });

  it('is refused by name when its project does not run or does not expose it', async () => {
    const { call, name, meshd } = await twoProjects();
    expect((await call({ agent: 'nowhere/consultant' })).error).toMatchObject({
      code: 'agent_not_found',
      message: expect.stringContaining(name),
    });
    expect((await call({ agent: `${name}/developer` })).error?.message).toContain('meshd team expose');
    expect((await meshd('wallet', 'fund', '--project', 'nowhere')).exit).toBe(4);
  });

  it('is found, funded, called and paid from the command line', async () => {
    const scene = await twoProjects();
    await sell(scene.seller);
    const ref = `${scene.name}/consultant`;
    await expect
      .poll(async () => (await scene.meshd('find', 'questions about this project')).out, { timeout: 15_000 })
      .toMatch(new RegExp(`^${ref} .*online`, 'm'));
    const funded = await scene.meshd('wallet', 'fund', '--project', scene.name, '--lamports', String(FUNDS));
    expect(funded).toMatchObject({ exit: 0, out: expect.stringContaining('main holds 0.001 SOL') });
    const called = await scene.meshd('call', ref, 'ask', '--input', JSON.stringify(INPUT));
    expect([called.exit, called.err]).toEqual([0, expect.stringContaining(`${PRICE} lamports by x402`)]);
  });
});

describe('A member of a project that has another port since, which a third project took', () => {
  it('gives what was prepaid, and nothing is topped up again', async () => {
    const scene = await twoProjects();
    await sell(scene.seller, { modes: ['x402', 'deposit'], deposit: { min_lamports: PRICE, credit_unit: 'lamports' } });
    await airdrop(scene);
    const prepaid = { mode: 'deposit', topup_lamports: 3 * PRICE } as const;
    expect(await scene.call(prepaid)).toMatchObject({ state: 'done', mode: 'deposit' });
    const again = await scene.move();
    expect(await scene.call(prepaid)).toMatchObject({ state: 'done', mode: 'deposit' });
    const spent = await settled(scene.payer, 'spent');
    expect(spent.filter(({ kind }) => kind === 'topup')).toHaveLength(1);
    expect(((await again.call('GET', '/ledger')).body as Ledger).earned_lamports).toBe(2 * PRICE);
  });

  it('is asked when a call that was paid before is taken up, and the third project is not', async () => {
    const scene = await twoProjects();
    await sell(scene.seller);
    await airdrop(scene);
    const { call_id, signature, result } = await scene.call();
    await scene.payer.stop();
    const store = openSqlite(join(scene.payer.root, '.mesh/state/mesh.db'));
    store.exec("UPDATE spent_payments SET state = 'paid'");
    store.prepare(`UPDATE calls SET state = 'running', input = ?, ${UNANSWERED}`).run(JSON.stringify(INPUT));
    store.close();
    const seller = await scene.move();
    const payer = await scene.again(scene.payer);
    expect((await payer.call('GET', `/calls/${call_id}?wait=30`)).body).toMatchObject({ state: 'done', result });
    expect(await settled(seller, 'earned')).toMatchObject([{ signature, amount_lamports: PRICE }]);
    const spent = await settled(payer, 'spent');
    expect(spent).toMatchObject([{ signature, amount_lamports: PRICE }]);
  });
});

describe('A copy of a project, which has the same local network', () => {
  it('keeps its members from being paid beside the first one, and names both', async () => {
    const { payer, seller, name, ...scene } = await twoProjects();
    await airdrop({ payer, seller, name, ...scene });
    await sell(seller);
    const copy = temporaryFolder();
    await seller.stop();
    cpSync(seller.root, copy, { recursive: true });
    await scene.again(seller);
    const copied = await scene.again({ root: copy });
    for (const agent of [`${name}/consultant`, `${basename(copy)}/consultant`]) {
      const { error, signature } = await scene.call({ agent });
      expect([error?.code, signature]).toEqual(['network_unavailable', null]);
      expect(error?.message).toContain('have the same local network');
      for (const one of [name, basename(copy)]) expect(error?.message).toContain(one);
    }
    // The first one has the network of the copy itself.
    await copied.call('PATCH', '/ledger/caps', { per_call_lamports: 10 * PRICE, per_day_lamports: 100 * PRICE });
    const body = { agent: `${name}/consultant`, skill: 'ask', input: INPUT };
    const own = ((await copied.call('POST', '/calls', body)) as { body: Call }).body;
    expect([own.error?.code, own.signature]).toEqual(['network_unavailable', null]);
    expect(own.error?.message).toContain('this project and');
  });
});

describe('A member of this very daemon', () => {
  it('answers its operator without a price under its id, its name and its address, with no token given', async () => {
    const payer = await testApp({ clock: new RealClock() });
    const { registrations } = (await payer.call('GET', '/registrations')).body as {
      registrations: { member: string; surfaces: { hub: { agent_id: string } } }[];
    };
    const agentId = registrations.find(({ member }) => member === 'consultant')?.surfaces.hub.agent_id;
    const project = basename(payer.root);
    for (const agent of [agentId, `${project}/consultant`, `${payer.address}/team/consultant`]) {
      const { body } = await payer.call('POST', '/calls', { agent, skill: 'ask', input: INPUT });
      expect(body).toMatchObject({ state: 'done', mode: null, result: { confidence: expect.any(String) } });
    }
    const hidden = await payer.call('POST', '/calls', { agent: `${project}/developer`, skill: 'ask', input: INPUT });
    expect(hidden.body).toMatchObject({ state: 'failed' });
    const stranger = await fetch(`${payer.address}/team/consultant/v1/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(INPUT),
    });
    expect(stranger.status).toBe(401);
  });
});
