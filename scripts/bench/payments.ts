/**
 * Measures what a paid call costs compared to a free one: the same skill of the same agent over HTTP, free, from a
 * deposit, and for a proof whose transaction is on the local network, in alternating rounds. It also measures how many
 * durable calls from one deposit are served a second, compared to free ones.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Challenge, Topup, TransferDone } from '../../daemon/contract/payments.js';
import { Line, load, type Request } from './http-load.js';
import { median, report, rounded } from './measure.js';

const roundsAt = process.argv.indexOf('--rounds');
const ROUNDS = roundsAt === -1 ? 5 : Number(process.argv[roundsAt + 1]);
const CALLS = 100;
const ROUND_MS = 1_500;
const CONNECTIONS = 50;
const PRICE = 1000;
const GOAL = { overheadMs: 10, perSecond: 500 };

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Starts a child process and waits until it reports its port. */
function start(args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', ({ type, port, message }: { type: string; port: number; message?: string }) =>
      type === 'listening' ? resolve({ child, port }) : reject(new Error(message)),
    );
    child.once('exit', (exit) => reject(new Error(`A server ended with ${exit} before it listened.`)));
  });
}

const stop = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

async function ask<Body>(line: Line, request: Request, status = 200): Promise<Body> {
  const answer = await line.send(request);
  if (answer.status !== status)
    throw new Error(`${request.method} ${request.path} was answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text) as Body;
}

const call = (skill: 'free' | 'paid', headers: Record<string, string> = {}): Request => ({
  method: 'POST',
  path: `/v1/${skill}`,
  headers,
  body: {},
});

/** Returns the milliseconds of each call. The calls are sequential. */
async function times(line: Line, requests: readonly Request[]): Promise<number[]> {
  const taken: number[] = [];
  for (const request of requests) {
    const sent = performance.now();
    await ask(line, request);
    taken.push(performance.now() - sent);
  }
  return taken;
}

const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-payments-'));
execFileSync('git', ['init', '-q'], { cwd: folder });
const daemon = await start([at('../../dist/daemon.js'), '--root', folder, '--port', '0']);
const agent = await start([
  '--import',
  'tsx',
  at('./payments-agent.ts'),
  join(folder, 'agent'),
  `http://127.0.0.1:${daemon.port}/chain`,
  String(PRICE),
]);
try {
  let [bank, shop] = [await Line.open(daemon.port), await Line.open(agent.port)];
  await ask(bank, { method: 'POST', path: '/wallets', body: { name: 'payer' } }, 201);
  await ask(bank, { method: 'POST', path: '/wallets/payer/fund', body: { lamports: 100_000_000_000 } });
  const pay = (to: string, lamports: number, memo: string) =>
    ask<TransferDone>(bank, { method: 'POST', path: '/wallets/payer/pay', body: { to, lamports, memo } });

  const opened = await ask<Topup>(shop, {
    method: 'POST',
    path: '/v1/topup',
    body: { amount_lamports: 10_000_000_000 },
  });
  await pay(opened.address, 10_000_000_000, opened.api_key as string);
  const deposit = call('paid', { 'X-Api-Key': opened.api_key as string });
  const proofs = async (count: number): Promise<Request[]> => {
    const made: Request[] = [];
    for (let i = 0; i < count; i += 1) {
      const { nonce, accepts } = await ask<Challenge>(shop, call('paid'), 402);
      const { signature } = await pay(accepts[0]?.address as string, PRICE, nonce);
      made.push(call('paid', { 'X-Payment-Proof': signature, 'X-Payment-Nonce': nonce }));
    }
    return made;
  };

  const p50: Record<'free' | 'deposit' | 'x402', number[]> = { free: [], deposit: [], x402: [] };
  const perSecond: Record<'free' | 'deposit', number[]> = { free: [], deposit: [] };
  // The first round is a warm-up; it is not counted.
  for (let round = 0; round <= ROUNDS; round += 1) {
    bank.close();
    shop.close();
    // A connection that is idle during the load is closed by the server.
    [bank, shop] = [await Line.open(daemon.port), await Line.open(agent.port)];
    const paid = await proofs(CALLS);
    const free = median(
      await times(
        shop,
        Array.from({ length: CALLS }, () => call('free')),
      ),
    );
    const fromDeposit = median(
      await times(
        shop,
        Array.from({ length: CALLS }, () => deposit),
      ),
    );
    const forProof = median(await times(shop, paid));
    const freeLoad = await load(agent.port, CONNECTIONS, ROUND_MS, () => call('free'));
    const depositLoad = await load(agent.port, CONNECTIONS, ROUND_MS, () => deposit);
    if (round === 0) continue;
    p50.free.push(free);
    p50.deposit.push(fromDeposit);
    p50.x402.push(forProof);
    perSecond.free.push(freeLoad.perSecond);
    perSecond.deposit.push(depositLoad.perSecond);
  }
  bank.close();
  shop.close();

  const free = median(p50.free);
  for (const [mode, what] of [
    ['deposit', 'from a deposit'],
    ['x402', 'for a proof on the local network'],
  ] as const) {
    const over = p50[mode].map((ms, round) => ms - (p50.free[round] as number));
    report({
      bench: 'payments',
      measure: `a call ${what}: what it takes over a free one, p50`,
      unit: 'ms',
      ours: rounded(median(over), 2),
      min: rounded(Math.min(...over), 2),
      max: rounded(Math.max(...over), 2),
      peer: { name: 'a free call', value: rounded(free, 2) },
      ratio: rounded(median(p50[mode]) / free, 2),
      rounds: ROUNDS,
      goal: `< ${GOAL.overheadMs} ms`,
      pass: median(over) < GOAL.overheadMs,
    });
  }
  const freePerSecond = median(perSecond.free);
  report({
    bench: 'payments',
    measure: 'calls from one deposit, durable',
    unit: '/s',
    ours: rounded(median(perSecond.deposit), 0),
    min: rounded(Math.min(...perSecond.deposit), 0),
    max: rounded(Math.max(...perSecond.deposit), 0),
    peer: { name: 'free calls', value: rounded(freePerSecond, 0) },
    ratio: rounded(median(perSecond.deposit) / freePerSecond, 2),
    rounds: ROUNDS,
    goal: `>= ${GOAL.perSecond}/s`,
    pass: median(perSecond.deposit) >= GOAL.perSecond,
  });
} finally {
  await Promise.all([stop(daemon.child), stop(agent.child)]);
  rmSync(folder, { recursive: true, force: true });
}
