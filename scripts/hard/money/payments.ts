/**
 * Thousands of parallel calls over HTTP with few nonces and few deposit keys, while the called agent is killed
 * repeatedly. Each nonce is carried out at most once. Every answer that was returned stays the same after each restart.
 * No lamport is lost: the accounts equal the sums of the journal, the journal equals the incoming payments on the
 * chain, and each key holds its deposit less its paid calls.
 *
 * `npx tsx scripts/hard/money/payments.ts [--attempts 10000] [--kills 20] [--seed 1]`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Balance, Challenge, Topup, TransferDone } from '../../../daemon/contract/payments.js';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import type { Dice } from '../../../daemon/testing/dice.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { receive, runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';

const PRICE = 1000;
const AT_ONCE = 150;
const NONCES_A_ROUND = 4;
const KEYS_A_ROUND = 2;
const PRICES_A_KEY = 60;

/** A nonce or a deposit key, and every response to a call that used it. */
interface PaymentMeans {
  label: string;
  fails: boolean;
  headers: Record<string, string>;
  answers: { status: number; text: string }[];
}

interface Served {
  child: ChildProcess;
  address: string;
  wallet: string;
}

/** The folder of the called agent, its log of executions, and all means it was paid with. */
interface PaidAgent {
  dice: Dice;
  agentFolder: string;
  executionsFile: string;
  nonces: PaymentMeans[];
  keys: PaymentMeans[];
}

const shopIn = ({ root }: DrillProject, dice: Dice): PaidAgent => ({
  dice,
  agentFolder: join(root, 'agent'),
  executionsFile: join(root, 'executions.log'),
  nonces: [],
  keys: [],
});

async function serve({ agentFolder, executionsFile }: PaidAgent, daemon: DaemonProcess): Promise<Served> {
  const program = fileURLToPath(new URL('./payments-agent.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', program, agentFolder, executionsFile, `${daemon.address}/chain`, String(PRICE)],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const { address, wallet } = await receive<{ address: string; wallet: string }>(child);
  return { child, address, wallet };
}

async function end({ child }: Served, how: 'SIGKILL' | 'hang up'): Promise<void> {
  const exited = once(child, 'exit');
  if (how === 'SIGKILL') child.kill('SIGKILL');
  else child.disconnect();
  await exited;
}

/** Makes one call. Returns undefined when the agent died before it responded. */
async function attempt(
  { address }: Served,
  { label, fails, headers }: PaymentMeans,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(`${address}/v1/count`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ label, fails }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

async function pay(daemon: DaemonProcess, to: string, lamports: number, memo: string): Promise<string> {
  return (await daemon.call<TransferDone>('POST', '/wallets/payer/pay', { to, lamports, memo })).signature;
}

async function newNonce(daemon: DaemonProcess, served: Served, index: number): Promise<PaymentMeans> {
  const means: PaymentMeans = { label: `nonce-${index}`, fails: index % 5 === 4, headers: {}, answers: [] };
  const asked = await attempt(served, means);
  const { nonce, accepts } = JSON.parse(asked?.text ?? '') as Challenge;
  const signature = await pay(daemon, accepts[0]?.address ?? '', PRICE, nonce);
  return { ...means, headers: { 'X-Payment-Proof': signature, 'X-Payment-Nonce': nonce } };
}

async function newKey(daemon: DaemonProcess, served: Served, index: number): Promise<PaymentMeans> {
  const response = await fetch(`${served.address}/v1/topup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount_lamports: PRICES_A_KEY * PRICE }),
  });
  const { api_key, address } = (await response.json()) as Topup;
  await pay(daemon, address, PRICES_A_KEY * PRICE, api_key as string);
  return { label: `key-${index}`, fails: index % 4 === 3, headers: { 'X-Api-Key': api_key as string }, answers: [] };
}

/**
 * Makes parallel calls until `count` have completed, then kills the agent while others are in progress. Returns the
 * number of calls that were cut off.
 */
async function round({ dice, nonces, keys }: PaidAgent, served: Served, count: number): Promise<number> {
  let answered = 0;
  let cut = 0;
  let killed: Promise<void> | undefined;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (!killed) {
        const from = dice.random() < 0.5 ? nonces : keys;
        // Most calls use the nonces or keys of this round, so that they collide.
        const newest = from === nonces ? NONCES_A_ROUND : KEYS_A_ROUND;
        const means = from[
          dice.random() < 0.8 ? from.length - 1 - dice.below(newest) : dice.below(from.length)
        ] as PaymentMeans;
        const answer = await attempt(served, means);
        if (answer) means.answers.push(answer);
        else cut += 1;
        answered += 1;
        if (answered >= count) killed ??= end(served, 'SIGKILL');
      }
    }),
  );
  await killed;
  return cut;
}

function listExecutions({ executionsFile }: PaidAgent, label: string): number {
  if (!existsSync(executionsFile)) return 0;
  return readFileSync(executionsFile, 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[1] === label).length;
}

/** Repeats the call once and returns what is wrong with the nonce, or undefined. */
async function faultOfNonce(shop: PaidAgent, served: Served, means: PaymentMeans): Promise<string | undefined> {
  const executions = listExecutions(shop, means.label);
  const last = await attempt(served, means);
  if (executions !== listExecutions(shop, means.label) && executions > 0)
    return 'was carried out again after the last restart';
  if (executions > 1) return `was carried out ${executions} times`;
  // Status 402 reports that the payment could not be verified on the chain. Nothing was charged.
  const given = means.answers.filter(({ status }) => status !== 402);
  const differs = given.find(({ status, text }) => status !== last?.status || text !== last.text);
  if (differs) return `was answered ${differs.status} ${differs.text}, and later ${last?.status} ${last?.text}`;
  return last?.status === 200 || last?.status === 503 || last?.status === 500
    ? undefined
    : `is answered ${last?.status} ${last?.text}`;
}

/**
 * Returns the difference in lamports between a key's balance and the expected balance, and what is wrong with its
 * answers.
 */
async function faultOfKey(
  shop: PaidAgent,
  served: Served,
  means: PaymentMeans,
  settled: number,
): Promise<{ lamports: number; fault: string | undefined }> {
  const response = await fetch(`${served.address}/v1/balance`, { headers: means.headers });
  const { lamports } = (await response.json()) as Balance;
  const good = means.answers
    .filter(({ status }) => status === 200)
    .map(({ text }) => (JSON.parse(text) as { execution: string }).execution);
  const executions = listExecutions(shop, means.label);
  const fault =
    new Set(good).size < good.length
      ? 'gave one result twice'
      : good.length > settled || settled > executions
        ? `answered ${good.length}, was paid for ${settled} and carried out ${executions}`
        : undefined;
  return { lamports: Math.abs(PRICES_A_KEY * PRICE - settled * PRICE - lamports), fault };
}

/** Reads the totals from the agent's store while no process writes to it. */
function books({ agentFolder }: PaidAgent): {
  unsound: number;
  running: number;
  came: number;
  settled: Map<string, number>;
} {
  const store = openSqlite(join(agentFolder, 'agent.db'), { readonly: true });
  try {
    const one = (sql: string) => Object.values(store.prepare(sql).get() as Record<string, number>)[0] ?? 0;
    const unsound = one(`SELECT count(*) FROM till_accounts a WHERE a.lamports <>
      (SELECT coalesce(sum(CASE WHEN to_account = a.id THEN lamports ELSE -lamports END), 0) FROM till_journal WHERE a.id IN (to_account, from_account))`);
    const unbalanced = one('SELECT coalesce(sum(lamports), 0) FROM till_accounts');
    const rows = store
      .prepare(
        `SELECT a.memo_sha256 AS memo, count(p.id) AS calls FROM till_accounts a
         LEFT JOIN till_payments p ON p.account = a.id AND p.kind = 'call' AND p.state = 'settled' WHERE a.kind = 'balance' GROUP BY a.id`,
      )
      .all() as { memo: Buffer; calls: number }[];
    return {
      unsound: unsound + Math.abs(unbalanced),
      running: one("SELECT count(*) FROM till_payments WHERE state = 'paid'"),
      came: -one("SELECT coalesce(sum(lamports), 0) FROM till_accounts WHERE kind = 'chain'"),
      settled: new Map(rows.map(({ memo, calls }) => [memo.toString('hex'), calls])),
    };
  } finally {
    store.close();
  }
}

/** Returns answers that changed, and the lamports that keys hold above or below the expected balance. */
async function faultsAfter(
  shop: PaidAgent,
  daemon: DaemonProcess,
): Promise<{ faults: string[]; lost: number; books: ReturnType<typeof books> }> {
  const { nonces, keys } = shop;
  const last = await serve(shop, daemon);
  const faults: string[] = [];
  for (const means of nonces) {
    const fault = await faultOfNonce(shop, last, means);
    if (fault !== undefined) faults.push(`${means.label} ${fault}`);
  }
  for (const means of keys) await fetch(`${last.address}/v1/balance`, { headers: means.headers });
  await end(last, 'hang up');
  const closed = books(shop);
  const again = await serve(shop, daemon);
  let lost = 0;
  for (const means of keys) {
    const digest = createHash('sha256')
      .update(means.headers['X-Api-Key'] ?? '')
      .digest('hex');
    const { lamports, fault } = await faultOfKey(shop, again, means, closed.settled.get(digest) ?? 0);
    lost += lamports;
    if (fault !== undefined) faults.push(`${means.label} ${fault}`);
  }
  await end(again, 'hang up');
  return { faults, lost, books: closed };
}

await runDrill('payments', async (drill) => {
  const [attempts, kills] = [drill.bound('attempts'), drill.bound('kills')];
  const project = drill.project();
  const shop = shopIn(project, drill.dice);
  const { nonces, keys } = shop;
  const daemon = await project.start({});
  await daemon.call('POST', '/wallets', { name: 'payer' });
  await daemon.call('POST', '/wallets/payer/fund', { lamports: 1_000_000_000_000 });
  let cut = 0;
  let wallet = '';
  for (let kill = 0; kill < kills; kill += 1) {
    const served = await serve(shop, daemon);
    wallet = served.wallet;
    for (let i = 0; i < NONCES_A_ROUND; i += 1) nonces.push(await newNonce(daemon, served, nonces.length));
    for (let i = 0; i < KEYS_A_ROUND; i += 1) keys.push(await newKey(daemon, served, keys.length));
    cut += await round(shop, served, Math.ceil((attempts / kills) * (0.5 + drill.dice.random())));
  }
  const { faults, lost, books: closed } = await faultsAfter(shop, daemon);
  const rpc = { jsonrpc: '2.0', id: 1, method: 'getBalance', params: [wallet] };
  const { result } = await daemon.call<{ result: { value: number } }>('POST', '/chain', rpc);

  const made = [...nonces, ...keys].reduce((sum, { answers }) => sum + answers.length, 0) + cut;
  const said = `${made} calls, ${cut} cut off by ${kills} kills`;
  const double = nonces.filter(({ label }) => listExecutions(shop, label) > 1).length;
  drill.measure({ measure: 'nonces that were carried out twice', value: double, unit: 'nonces', exactly: 0, said });
  drill.none('answers that did not stand', 'answers', faults);
  drill.measure({
    measure: 'accounts that the journal does not add up to',
    value: closed.unsound,
    unit: 'accounts',
    exactly: 0,
  });
  const off = lost + Math.abs(result.value - closed.came);
  drill.measure({ measure: 'lamports lost or made', value: off, unit: 'lamports', exactly: 0 });
  drill.measure({ measure: 'calls left open', value: closed.running, unit: 'calls', exactly: 0 });
  // If the kills cut no call off, the drill has tested nothing.
  drill.measure({ measure: 'calls cut off by kills', value: cut, unit: 'calls', atLeast: 1 });
});
