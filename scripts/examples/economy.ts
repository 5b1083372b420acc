/**
 * A small live economy: starts a daemon, an image supplier and the reference earner, each in a separate process, funds
 * them with lamports of the local network (not real money), and makes composite calls in every payment mode. Prints
 * each step, then the ledgers of both sides and the balances on the chain, which must agree to the lamport; otherwise
 * the exit code is 1. Without `--root` the project is a temporary one. Stops everything that it started; with `--keep`
 * everything runs until Ctrl-C, and the dashboard is available. Takes two minutes at most.
 *
 * `npm run economy -- [--root DIR] [--calls N] [--keep]`
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import '../sql-as-text.js';
import type { Call, Settled, Wallet } from '../../daemon/contract/payments.js';
import { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import { aFreePort } from '../../daemon/testing/processes/free-port.js';
import type { AgentReport } from './agent-report.js';
import { economyChecks, onChain, spentSide } from './economy-checks.js';
import { printBalances, printCall, printChecks, printLedger, say } from './economy-printing.js';
import { LOCAL } from './example-options.js';

const ALL_MS = 115_000;
const FUNDS = 100_000_000;
const MODES = ['free', 'deposit', 'x402', 'postpay'] as const;
const TONES = ['friendly', 'playful', 'dry', 'excited', 'formal'];
const PROMPTS = [
  'harbour lights at dusk',
  'a quiet night in the mountains',
  'coffee in the desert',
  'a new release in the morning',
  'winter at the lake',
  'the forest after the rain',
  'a city that does not sleep',
  'boats coming home',
  'first snow on the pass',
  'a garden of lanterns',
];

const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    calls: { type: 'string', default: '10' },
    keep: { type: 'boolean', default: false },
  },
});
const callsEach = Number(values.calls);
if (!Number.isInteger(callsEach) || callsEach < 1 || callsEach > 10) {
  console.error('--calls must be a number from 1 to 10: more are not sold on credit.');
  process.exit(2);
}

const started: (() => Promise<unknown>)[] = [];
/** Stops everything in the reverse order of its start. */
async function endAll(): Promise<void> {
  for (const end of started.splice(0).reverse()) await end().catch((error: unknown) => console.error(String(error)));
}

const lamports = (amount: number) => `${amount.toLocaleString('en')} lamports`;

function project(): string {
  if (values.root !== undefined) return realpathSync(values.root);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-economy-')));
  started.push(async () => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'README.md'), '# Economy\n\nA project for agents that pay each other.\n');
  return root;
}

/** An example agent with its report after its start. */
interface Started {
  process: AgentProcess;
  report: AgentReport;
}

/** An example agent in a separate process. */
class AgentProcess {
  /** Rejects when the process ends before it is stopped. */
  private readonly ended: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit').then(([exit]) => {
      throw new Error(`An agent ended with ${String(exit)}.`);
    });
    this.ended.catch(() => undefined);
  }

  static async start(name: string, args: readonly string[]): Promise<Started> {
    const program = fileURLToPath(new URL('run-agent.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, name, ...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const agent = new AgentProcess(child);
    started.push(() => agent.end());
    const report = await agent.next();
    return { process: agent, report };
  }

  /** Requests the agent's current report. */
  async report(): Promise<AgentReport> {
    const next = this.next();
    this.child.send('report');
    return next;
  }

  private async next(): Promise<AgentReport> {
    const [report] = (await Promise.race([once(this.child, 'message'), this.ended])) as [AgentReport];
    return report;
  }

  private async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

async function airdrop(daemon: DaemonProcess, address: string): Promise<void> {
  const answer = await daemon.call<{ error?: { message: string } }>('POST', '/chain', {
    jsonrpc: '2.0',
    id: 1,
    method: 'requestAirdrop',
    params: [address, FUNDS],
  });
  if (answer.error) throw new Error(`The faucet refused: ${answer.error.message}`);
}

/**
 * Makes an agent record all payments that have arrived. It checks its address when the balance of a deposit is
 * requested, and every half minute by itself.
 */
async function lookAtAddress(url: string): Promise<void> {
  const body = JSON.stringify({ amount_lamports: FUNDS });
  const opened = await fetch(`${url}/v1/topup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { api_key } = (await opened.json()) as { api_key: string };
  const held = await fetch(`${url}/v1/balance`, { headers: { 'x-api-key': api_key } });
  if (!held.ok) throw new Error(`${url} does not say what a deposit holds.`);
}

/** Starts the daemon, which may call the endpoints on these ports of the loopback address. */
async function startDaemon(root: string, ports: readonly number[]): Promise<DaemonProcess> {
  const endpoints = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const daemon = await DaemonProcess.start(root, { ...process.env, MESHD_LOOPBACK_ENDPOINTS: endpoints });
  started.push(() => daemon.stop());
  say(`The daemon listens at ${daemon.address}. All of this is on ${LOCAL}: it is not real money.`);
  return daemon;
}

async function startAgents(
  daemon: DaemonProcess,
  root: string,
  ports: { supplier: number; earner: number; writer: number },
): Promise<{ supplier: Started; earner: Started }> {
  const folder = join(root, '.mesh/state/economy');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string, port: number) => [
    '--hub',
    daemon.address,
    '--folder',
    join(folder, name),
    '--port',
    String(port),
  ];
  const supplier = await AgentProcess.start('image-supplier', at('supplier', ports.supplier));
  say(`${supplier.report.agent_id} is registered, wallet ${supplier.report.wallet}.`);
  const earner = await AgentProcess.start('earner', [
    ...at('earner', ports.earner),
    '--writer-port',
    String(ports.writer),
    '--free-calls',
    String(callsEach),
  ]);
  say(`${earner.report.agent_id} is registered, wallet ${earner.report.wallet}.`);
  return { supplier, earner };
}

/** Funds the buyer and the earner, and raises the buyer's caps. Returns the address of the buyer. */
async function fund(daemon: DaemonProcess, earner: AgentReport): Promise<string> {
  const { address: buyer } = await daemon.call<Wallet>('POST', '/wallets/main/fund', { lamports: FUNDS });
  await airdrop(daemon, earner.wallet);
  await daemon.call('PATCH', '/ledger/caps', { per_call_lamports: 1_000_000, per_day_lamports: 1_000_000_000 });
  say(`The faucet gave ${lamports(FUNDS)} to the buyer (${buyer}) and to the earner.`);
  return buyer;
}

/** Makes the calls of every payment mode and settles the debts. Returns the number of failed calls. */
async function makeCalls(daemon: DaemonProcess, agent: string): Promise<number> {
  let failed = 0;
  for (const mode of MODES) {
    say(`\n${mode}:`);
    for (let i = 0; i < callsEach; i += 1) {
      const input = { prompt: PROMPTS[i % PROMPTS.length], tone: TONES[i % TONES.length] };
      const body = {
        agent,
        skill: 'tweet-with-image',
        input,
        mode,
        ...(mode === 'deposit' ? { topup_lamports: 100_000 } : {}),
      };
      let call = await daemon.call<Call>('POST', '/calls', body);
      while (call.state === 'running') call = await daemon.call<Call>('GET', `/calls/${call.call_id}?wait=30`);
      printCall(i + 1, call);
      // In a reused project, the free calls of the day may be used up.
      if (call.state !== 'done' && call.error?.code !== 'no_free_call') failed += 1;
    }
  }
  const settled = await daemon.call<Settled>('POST', '/ledger/settle', {});
  say(`\nThe debts are settled with ${settled.settled.length} transfer(s) of ${lamports(settled.paid_lamports)}.`);
  return failed;
}

/** Prints and compares the ledgers of all parties and their wallets on the chain. Returns whether they agree. */
async function compare(daemon: DaemonProcess, buyer: string, earner: Started, supplier: Started): Promise<boolean> {
  const { LibraryChains } = await import('../../daemon/agent-library/library-chains.js');
  const { systemClock } = await import('../../daemon/lib/time/clock.js');
  const chain = await new LibraryChains({ [LOCAL]: `${daemon.address}/chain` }, systemClock).get(LOCAL);
  await lookAtAddress(earner.report.url);
  const earnerNow = await earner.process.report();
  const supplierNow = await supplier.process.report();
  const ledger = await spentSide(daemon);
  const [buyerChain, earnerChain, supplierChain] = [
    await onChain(chain, buyer),
    await onChain(chain, earnerNow.wallet),
    await onChain(chain, supplierNow.wallet),
  ];
  printLedger('The buyer has spent', ledger.entries);
  printLedger('The earner has earned', earnerNow.books.entries);
  printLedger('The earner has spent', earnerNow.spent);
  printLedger('The supplier has earned', supplierNow.books.entries);
  printBalances({ buyer: buyerChain, earner: earnerChain, supplier: supplierChain });
  return printChecks(
    economyChecks(
      ledger,
      { wallet: buyer, chain: buyerChain },
      { ...earnerNow, chain: earnerChain },
      { ...supplierNow, chain: supplierChain },
    ),
  );
}

async function run(): Promise<boolean> {
  const build = fileURLToPath(new URL('../build.mjs', import.meta.url));
  execFileSync(process.execPath, [build, '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const root = project();
  const ports = { supplier: await aFreePort(), earner: await aFreePort(), writer: await aFreePort() };
  const daemon = await startDaemon(root, Object.values(ports));
  const { supplier, earner } = await startAgents(daemon, root, ports);
  const buyer = await fund(daemon, earner.report);
  const failed = await makeCalls(daemon, earner.report.agent_id);
  const areEqual = await compare(daemon, buyer, earner, supplier);
  if (failed > 0) say(`\n${failed} call(s) failed.`);
  if (values.keep) {
    clearTimeout(limit);
    say(`\nKept running: open ${daemon.address}/app. Ctrl-C ends it.`);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  }
  return areEqual && failed === 0;
}

/** Set while everything is kept running. Calling it ends the run. */
let release: (() => void) | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    if (release) release();
    else void endAll().finally(() => process.exit(130));
  });
}

const limit = setTimeout(() => {
  console.error(`Not done within ${ALL_MS / 1000} s.`);
  void endAll().finally(() => process.exit(1));
}, ALL_MS);
try {
  const isGood = await run();
  say(isGood ? '\nAll ledgers agree with the chain.' : '\nThe ledgers do not agree.');
  process.exitCode = isGood ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  clearTimeout(limit);
  await endAll();
}
