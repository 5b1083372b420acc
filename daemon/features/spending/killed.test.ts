import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentOptions, hostAgent } from '../../agent-library.js';
import type { Call, CallBody, CallList, Ledger, WalletList } from '../../contract/payments.js';
import { aChainServer } from '../../testing/apps/a-chain-server.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { PRICE } from '../../testing/apps/a-market.js';
import { DaemonProcess } from '../../testing/processes/daemon-process.js';
import { aFreePort } from '../../testing/processes/free-port.js';
import { RealClock } from '../../testing/real-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { userFolders } from '../../testing/user-folders.js';

const NETWORK = 'solana:devnet';
const FUNDS = 1_000_000_000;

/** The fate of a transfer that is sent: it is executed, it is lost, or only its response is lost. */
type Fate = 'carried' | 'lost' | 'unanswered';

/** A network behind a proxy that can lose transfers or their responses. */
async function aShakyNetwork() {
  const local = aLocalNetwork({ clock: new RealClock() });
  const behind = await aChainServer(local.network);
  let fate: Fate = 'carried';
  let tell: () => void = () => undefined;
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', async () => {
      const body = Buffer.concat(parts).toString('utf8');
      const isSend = body.includes('"sendTransaction"');
      if (isSend && fate === 'lost') return tell();
      const answer = await fetch(behind, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const text = await answer.text();
      if (isSend && fate === 'unanswered') return tell();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      return response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    local,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the fate of the next transfers. Resolves when a transfer or its response was lost. */
    next(wanted: Fate): Promise<void> {
      fate = wanted;
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    mend: () => {
      fate = 'carried';
    },
  };
}

/** A daemon in its own process that pays over an unreliable network, and an agent that sells at `PRICE`. */
async function aScene(options: Partial<AgentOptions> = {}) {
  const network = await aShakyNetwork();
  const port = await aFreePort();
  const root = temporaryFolder({ 'README.md': '# Lamp\n' });
  const env = {
    PATH: process.env['PATH'],
    ...userFolders(),
    MESHD_SOLANA_DEVNET_URL: network.address,
    MESHD_LOOPBACK_ENDPOINTS: `127.0.0.1:${port}`,
  };
  let daemon = await DaemonProcess.start(root, env);
  onTestFinished(() => daemon.kill());
  let runs = 0;
  let started: () => void = () => undefined;
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = await hostAgent({
    agent_id: 'painter',
    folder: temporaryFolder(),
    port,
    name: 'Painter',
    description: 'Paints pictures.',
    pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: NETWORK },
    payment: {
      modes: ['x402', 'deposit'],
      network: NETWORK,
      deposit: { min_lamports: PRICE, credit_unit: 'lamports' },
    },
    chains: { [NETWORK]: network.address },
    skills: [
      {
        id: 'paint',
        name: 'Paint',
        description: 'Paints.',
        async run() {
          runs += 1;
          started();
          await gate;
          return { run: runs };
        },
      },
    ],
    ...options,
  });
  onTestFinished(() => agent.close());
  await daemon.call('PATCH', '/ledger/caps', { per_call_lamports: 10 * PRICE, per_day_lamports: 100 * PRICE });
  await daemon.call('POST', '/wallets', { name: 'main' });
  const [wallet] = (await daemon.call<WalletList>('GET', '/wallets')).wallets;
  await network.local.network.fund(wallet?.address as string, BigInt(FUNDS));
  return {
    network,
    running,
    release,
    runs: () => runs,
    paid: () => network.local.chain.getBalance(agent.wallet),
    daemon: () => daemon,
    /** Starts a call. The request fails when the daemon is killed. */
    async begin(more: Partial<CallBody> = {}): Promise<void> {
      daemon.call('POST', '/calls', { agent: agent.url, skill: 'paint', input: {}, ...more }).catch(() => undefined);
    },
    /** Kills the daemon, starts the next one, and returns its only call once that is not running. */
    async crash(): Promise<Call> {
      await daemon.kill();
      network.mend();
      daemon = await DaemonProcess.start(root, env);
      const { calls } = await daemon.call<CallList>('GET', '/calls');
      for (;;) {
        const call = await daemon.call<Call>('GET', `/calls/${calls[0]?.call_id}?wait=30`);
        if (call.state !== 'running') return call;
      }
    },
  };
}

describe('a daemon that is killed while it pays', () => {
  it.each<[string, Fate, Partial<CallBody>, string]>([
    ['after the transfer was signed and before the network had it', 'lost', {}, 'x402'],
    ['after the network had the transfer and before it said so', 'unanswered', {}, 'x402'],
    ['after a top-up was signed and before the network had it', 'lost', { mode: 'deposit' }, 'deposit'],
  ])('%s pays exactly once, and the call succeeds', async (_, fate, more, mode) => {
    const scene = await aScene();
    scene.release();
    const met = scene.network.next(fate);
    await scene.begin(more);
    await met;
    expect(scene.runs()).toBe(0);
    const call = await scene.crash();
    expect(call).toMatchObject({ state: 'done', mode });
    expect(scene.runs()).toBe(1);
    expect(await scene.paid()).toBe(BigInt(PRICE));
    const { entries, spent_lamports } = await scene.daemon().call<Ledger>('GET', '/ledger?side=spent');
    expect(entries.every(({ state }) => state === 'settled')).toBe(true);
    expect(spent_lamports).toBe(PRICE);
  });

  it('while the agent processes the proof pays exactly once and gets the stored result of the agent', async () => {
    const scene = await aScene();
    await scene.begin();
    await scene.running;
    const crashed = scene.crash();
    scene.release();
    expect(await crashed).toMatchObject({ state: 'done', mode: 'x402', result: { run: 1 } });
    expect(scene.runs()).toBe(1);
    expect(await scene.paid()).toBe(BigInt(PRICE));
  });

  it('while the agent works on a prepaid call does not call it again and reports the call as interrupted', async () => {
    const scene = await aScene();
    await scene.begin({ mode: 'deposit' });
    await scene.running;
    expect(await scene.crash()).toMatchObject({ state: 'failed', error: { code: 'interrupted' } });
    // What the agent debited is no balance any more.
    const { sums } = await scene.daemon().call<Ledger>('GET', '/ledger');
    expect(sums).toMatchObject([{ paid_lamports: PRICE, balance_lamports: 0, net_lamports: PRICE }]);
    scene.release();
    expect(scene.runs()).toBe(1);
    expect(await scene.paid()).toBe(BigInt(PRICE));
  });
});
