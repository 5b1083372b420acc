/**
 * The README's steps for two projects of one user, from nothing to a paid and rated call across: makes two git
 * repositories with a home of their own in a temporary folder, starts a daemon in each, prices a member of the first,
 * and from the second finds it, asks it, is refused without funds, funds its wallet, approves the payment and calls it.
 * Every step is a command line and is printed. Then both ledgers and the chain are compared to the lamport; the exit
 * code is 1 unless they agree. Takes less than two minutes and stops what it started. Nothing is real money.
 *
 * `npx tsx scripts/examples/two-projects.ts`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../sql-as-text.js';
import type { Call, Ledger, LedgerEntry } from '../../daemon/contract/payments.js';
import { onChain } from './economy-checks.js';
import { printChecks, say } from './economy-printing.js';
import { LOCAL } from './example-options.js';

const PRICE = 5_000;
const ALL_MS = 120_000;
const INPUT = JSON.stringify({ text: 'Which port does the lamp listen on?' });

const home = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-two-')));
const program = fileURLToPath(new URL('../../dist/meshd.js', import.meta.url));
const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' };

function repository(name: string, text: string): string {
  const root = join(home, name);
  mkdirSync(root);
  writeFileSync(join(root, 'README.md'), text);
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, env: environment });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '-m', 'first');
  return root;
}

/** Runs a command line, prints it with the lines that it tells a person, and returns its stdout. */
function meshd(root: string, args: readonly string[], exit = 0): string {
  const startedMs = performance.now();
  const done = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  say(
    `\n${root.slice(home.length + 1)}$ meshd ${args.map((word) => (/[\s"{]/.test(word) ? `'${word}'` : word)).join(' ')}`,
  );
  const shown = args.includes('--json') ? done.stderr : done.stderr + done.stdout;
  for (const line of shown.trim().split('\n').filter(Boolean)) say(`  ${line.slice(0, 160)}`);
  say(`  (exit ${done.status}, ${seconds} s)`);
  if (done.status !== exit) throw new Error(`It exited with ${done.status} instead of ${exit}: ${done.stderr}`);
  return done.stdout;
}

const read = <Body>(root: string, ...args: string[]) => JSON.parse(meshd(root, [...args, '--json'])) as Body;
const sum = (entries: readonly LedgerEntry[]) => entries.reduce((total, one) => total + one.amount_lamports, 0);

async function run(): Promise<boolean> {
  const lamp = repository('lamp', '# Lamp\n\nThe lamp listens on port 8123.\n');
  const buoy = repository('buoy', '# Buoy\n\nA buoy asks the lamp.\n');
  const address = meshd(lamp, ['up', '--port', '0']).trim();
  stops.push(() => meshd(lamp, ['down']));
  meshd(buoy, ['up', '--port', '0']);
  stops.push(() => meshd(buoy, ['down']));
  meshd(buoy, ['ask', 'lamp/consultant', 'Which port does the lamp listen on?']);

  const pricing = JSON.stringify({ unit: 'request', amount: PRICE, currency: 'lamports' });
  meshd(lamp, ['team', 'edit', 'consultant', '--set', `pricing=${pricing}`, '--set', 'payment={"modes":["x402"]}']);
  meshd(buoy, ['find', 'questions about this project']);
  meshd(buoy, ['call', 'lamp/consultant', 'ask', '--input', INPUT], 5);
  meshd(buoy, ['wallet', 'fund', '--project', 'lamp']);
  const { call_id } = JSON.parse(
    meshd(buoy, ['call', 'lamp/consultant', 'ask', '--input', INPUT, '--json'], 9),
  ) as Call;
  const call = read<Call>(buoy, 'approve', call_id);
  const { score } = call.reputation_filed as { ok: boolean; score: number };
  say(`  ${call.amount_lamports} lamports on ${call.network}, rated ${score}`);
  meshd(buoy, ['ledger']);
  meshd(lamp, ['ledger']);

  const spent = read<Ledger>(buoy, 'ledger', '--side', 'spent', '--state', 'settled').entries;
  const earned = read<Ledger>(lamp, 'ledger', '--side', 'earned', '--state', 'settled').entries;
  const { LibraryChains } = await import('../../daemon/agent-library/library-chains.js');
  const { systemClock } = await import('../../daemon/lib/time/clock.js');
  const chain = await new LibraryChains({ [LOCAL]: `${address}/chain` }, systemClock).get(LOCAL);
  const seller = await onChain(chain, spent[0]?.counterparty ?? '');
  const isSame = spent.length === 1 && spent[0]?.signature === earned.find(({ signature }) => signature)?.signature;
  return printChecks([
    { what: 'the one payment is the price', here: sum(spent), there: PRICE },
    { what: 'what the buyer spent is what the seller earned', here: sum(spent), there: sum(earned) },
    {
      what: "what the seller earned is in its wallet on the seller's network",
      here: sum(earned),
      there: seller.lamports,
    },
    { what: 'both ledgers name the same transaction', here: Number(isSame), there: 1 },
    { what: 'the call is rated', here: Number((call.reputation_filed as { ok: boolean }).ok), there: 1 },
  ]);
}

const stops: (() => unknown)[] = [];
const startedMs = performance.now();
try {
  const build = fileURLToPath(new URL('../build.mjs', import.meta.url));
  execFileSync(process.execPath, [build, '--only', 'daemon'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const beganMs = performance.now();
  const isGood = await run();
  const tookMs = performance.now() - beganMs;
  say(
    `\n${isGood ? 'Both ledgers agree with the chain' : 'The ledgers do not agree'}; ${(tookMs / 1_000).toFixed(1)} s.`,
  );
  process.exitCode = isGood && tookMs < ALL_MS ? 0 : 1;
} catch (error) {
  console.error(error, `after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  process.exitCode = 1;
} finally {
  for (const stop of stops.reverse()) stop();
  rmSync(home, { recursive: true, force: true });
}
