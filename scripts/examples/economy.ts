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
import type { Call, Ledger, LedgerEntry, Settled, Wallet } from '../../daemon/contract/payments.js';
import { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { aFreePort } from '../../daemon/testing/free-port.js';
import type { AgentReport } from './agent-report.js';
import { type Check, economyChecks, onChain } from './economy-checks.js';
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

const say = (line = '') => console.log(line);
const lamports = (amount: number) => `${amount.toLocaleString('en')} lamports`;

function project(): string {
  if (values.root !== undefined) return realpathSync(values.root);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-economy-')));
  started.push(async () => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'README.md'), '# Economy\n\nA project for agents that pay each other.\n');
  return root;
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

  static async start(name: string, args: readonly string[]): Promise<{ process: AgentProcess; report: AgentReport }> {
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

interface Composite {
  tweet: string;
  char_count: number;
  image: string;
  supplier: { agent_id: string; latency_ms: number };
  economics: { earned: number; spent: number; profit: number };
  reputation_filed: { ok: boolean; score: number | null };
}

function sayCall(number: number, call: Call): void {
  if (call.state !== 'done') {
    say(`  ${number}. ${call.state}: ${call.error?.message ?? call.reason ?? ''}`);
    return;
  }
  const { tweet, image, supplier, economics, reputation_filed } = call.result as Composite;
  const picture = `${Math.round((image.length * 3) / 4 / 1024)} kB picture by ${supplier.agent_id} in ${supplier.latency_ms} ms`;
  const rated = reputation_filed.ok ? `rated ${reputation_filed.score?.toFixed(2)}` : 'not rated';
  say(
    `  ${number}. ${call.mode}: paid ${call.amount_lamports}, ${picture}, ${rated}; profit ${economics.profit}. “${tweet}”`,
  );
}

/** Returns all entries of the buyer's side of the ledger. */
async function spentSide(daemon: DaemonProcess): Promise<Ledger> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null = ''; ; ) {
    const page: Ledger = await daemon.call<Ledger>(
      'GET',
      `/ledger?side=spent&limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    entries.push(...page.entries);
    cursor = page.next_cursor;
    if (cursor === null) return { ...page, entries };
  }
}

function sayBooks(
  title: string,
  entries: readonly { kind?: unknown; mode?: unknown; state?: unknown; amount_lamports?: unknown }[],
): void {
  const rows = new Map<string, { count: number; lamports: number }>();
  for (const { kind, mode, state, amount_lamports } of entries) {
    const key = `${String(kind)} ${String(mode ?? '')} ${String(state)}`;
    const row = rows.get(key) ?? { count: 0, lamports: 0 };
    rows.set(key, { count: row.count + 1, lamports: row.lamports + Number(amount_lamports) });
  }
  say(`\n${title}`);
  for (const [key, row] of [...rows].sort())
    say(`  ${key.padEnd(28)} ${String(row.count).padStart(4)}  ${row.lamports.toLocaleString('en').padStart(12)}`);
}

function sayChecks(checks: readonly Check[]): boolean {
  say('\nTo the lamport:');
  for (const { what, here, there } of checks)
    say(
      `  ${here === there ? 'ok  ' : 'FAIL'} ${what}: ${here.toLocaleString('en')}${here === there ? '' : ` and ${there.toLocaleString('en')}`}`,
    );
  return checks.every(({ here, there }) => here === there);
}

async function run(): Promise<boolean> {
  const build = fileURLToPath(new URL('../build.mjs', import.meta.url));
  execFileSync(process.execPath, [build, '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const root = project();
  const [supplierPort, earnerPort, writerPort] = [await aFreePort(), await aFreePort(), await aFreePort()];
  const endpoints = [supplierPort, earnerPort, writerPort].map((port) => `127.0.0.1:${port}`).join(',');
  const daemon = await DaemonProcess.start(root, { ...process.env, MESHD_LOOPBACK_ENDPOINTS: endpoints });
  started.push(() => daemon.stop());
  say(`The daemon listens at ${daemon.address}. All of this is on ${LOCAL}: it is not real money.`);

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
  const supplier = await AgentProcess.start('image-supplier', at('supplier', supplierPort));
  say(`${supplier.report.agent_id} is registered, wallet ${supplier.report.wallet}.`);
  const earner = await AgentProcess.start('earner', [
    ...at('earner', earnerPort),
    '--writer-port',
    String(writerPort),
    '--free-calls',
    String(callsEach),
  ]);
  say(`${earner.report.agent_id} is registered, wallet ${earner.report.wallet}.`);

  const { address: buyer } = await daemon.call<Wallet>('POST', '/wallets/main/fund', { lamports: FUNDS });
  await airdrop(daemon, earner.report.wallet);
  await daemon.call('PATCH', '/ledger/caps', { per_call_lamports: 1_000_000, per_day_lamports: 1_000_000_000 });
  say(`The faucet gave ${lamports(FUNDS)} to the buyer (${buyer}) and to the earner.`);

  let failed = 0;
  for (const mode of MODES) {
    say(`\n${mode}:`);
    for (let i = 0; i < callsEach; i += 1) {
      const input = { prompt: PROMPTS[i % PROMPTS.length], tone: TONES[i % TONES.length] };
      const body = {
        agent: earner.report.agent_id,
        skill: 'tweet-with-image',
        input,
        mode,
        ...(mode === 'deposit' ? { topup_lamports: 100_000 } : {}),
      };
      let call = await daemon.call<Call>('POST', '/calls', body);
      while (call.state === 'running') call = await daemon.call<Call>('GET', `/calls/${call.call_id}?wait=30`);
      sayCall(i + 1, call);
      // In a reused project, the free calls of the day may be used up.
      if (call.state !== 'done' && call.error?.code !== 'no_free_call') failed += 1;
    }
  }
  const settled = await daemon.call<Settled>('POST', '/ledger/settle', {});
  say(`\nThe debts are settled with ${settled.settled.length} transfer(s) of ${lamports(settled.paid_lamports)}.`);

  const { LibraryChains } = await import('../../daemon/agent-library/library-chains.js');
  const { systemClock } = await import('../../daemon/lib/clock.js');
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
  sayBooks('The buyer has spent', ledger.entries);
  sayBooks('The earner has earned', earnerNow.books.entries);
  sayBooks('The earner has spent', earnerNow.spent);
  sayBooks('The supplier has earned', supplierNow.books.entries);
  say('\nOn the chain:');
  for (const [name, wallet] of [
    ['buyer', buyerChain],
    ['earner', earnerChain],
    ['supplier', supplierChain],
  ] as const)
    say(
      `  ${name.padEnd(9)} ${wallet.lamports.toLocaleString('en').padStart(14)}   fees ${wallet.fees.toLocaleString('en')}`,
    );
  const areEqual = sayChecks(
    economyChecks(
      ledger,
      { wallet: buyer, chain: buyerChain },
      { ...earnerNow, chain: earnerChain },
      { ...supplierNow, chain: supplierChain },
    ),
  );
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
