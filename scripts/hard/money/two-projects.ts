/**
 * Two projects of one user: a member of one is called and paid by the other, while either daemon is killed at each step
 * that either of them reports (a payment challenged, paid or settled, a turn started or ended, a call changed). The
 * killed daemon is started again on its port, and the call goes on or was refused before anything was paid. Afterwards
 * both ledgers and the seller's chain agree to the lamport: nothing is paid twice, nothing paid is lost. What the
 * seller gave back for a call that it did not end is in both ledgers, as a balance until the next call uses it.
 *
 * `npx tsx scripts/hard/money/two-projects.ts [--kills 8]`
 */
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventFrame } from '../../../daemon/contract/events.js';
import type { Call, CallList, Ledger, LedgerSum, Wallet } from '../../../daemon/contract/payments.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { aFreePort } from '../../../daemon/testing/processes/free-port.js';
import { onChain } from '../../examples/economy-checks.js';
import { type Drill, runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';

const PRICE = 4_000;
const FEE = 5_000;
const FUNDS = 1_000_000_000;
/** How long a call may take with a daemon killed in it. */
const CALL_MS = 60_000;
/** A refused call is repeated like this, which is longer than a daemon takes to start on a busy machine. */
const ATTEMPTS = 30;
const REPEAT_MS = 1_000;

const STEPS = /^(?:payment\.changed|call\.changed|turn\.)/;

/** One of the two projects, with the daemon that runs at present. */
class Side {
  daemon!: DaemonProcess;

  private constructor(
    readonly project: DrillProject,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(project: DrillProject, state: string): Promise<Side> {
    const side = new Side(project, { XDG_STATE_HOME: state, MESHD_PORT: String(await aFreePort()) });
    await side.restart();
    return side;
  }

  async restart(): Promise<void> {
    this.daemon = await this.project.start(this.environment);
  }
}

interface Pair {
  payer: Side;
  seller: Side;
}

/** A kill: of which side, at the n-th step that a side reports. */
interface Cut {
  victim: keyof Pair;
  teller: keyof Pair;
  step: number;
}

async function prepare(drill: Drill): Promise<Pair & { wallet: string }> {
  const files = { 'README.md': '# Lamp\n\nThe lamp listens on port 8123.\n' };
  const [one, two] = [drill.project(files), drill.project(files)];
  const state = one.folder('.shared-state');
  const payer = await Side.start(one, state);
  const seller = await Side.start(two, state);
  await seller.daemon.call('PATCH', '/team/consultant', {
    pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: 'solana:local' },
    payment: { modes: ['x402'] },
  });
  await payer.daemon.call('PATCH', '/ledger/caps', { per_call_lamports: FUNDS, per_day_lamports: FUNDS });
  const { address } = await payer.daemon.call<Wallet>('POST', '/wallets', { name: 'main' });
  const params = [address, FUNDS];
  await seller.daemon.call('POST', '/chain', { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params });
  return { payer, seller, wallet: address };
}

/** Makes a call as a user does who repeats it under the same key until it is answered. Throws after a minute. */
async function callOnce({ payer, seller }: Pair, key: string): Promise<Call> {
  const agent = `${basename(seller.project.root)}/consultant`;
  const body = { agent, skill: 'ask', input: { text: 'Which port does the lamp listen on?' } };
  const until = performance.now() + CALL_MS;
  while (performance.now() < until) {
    try {
      let call = await payer.daemon.call<Call>('POST', '/calls', body, { 'idempotency-key': key });
      while (call.state === 'running' && performance.now() < until)
        call = await payer.daemon.call<Call>('GET', `/calls/${call.call_id}?wait=5`);
      return call;
    } catch {
      // The payer was killed, or is starting.
      await pause(100);
    }
  }
  throw new Error(`The call ${key} did not end within ${CALL_MS / 1_000} s.`);
}

/** Calls until one call is done. Returns it with the number of calls that were refused before anything was paid. */
async function callUntilDone(pair: Pair, key: string, faults: string[]): Promise<{ call?: Call; refused: number }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const call = await callOnce(pair, `${key}-${attempt}`);
    if (call.state === 'done') return { call, refused: attempt };
    const isBalance = call.error?.code === 'agent_failed' && /keeps the price as a balance/.test(call.error.message);
    if (call.signature !== null && !isBalance)
      faults.push(`${key}: ${call.error?.code} after the payment ${call.signature}`);
    await pause(REPEAT_MS);
  }
  faults.push(`${key}: no call of ${ATTEMPTS} was done`);
  return { refused: ATTEMPTS };
}

/** A kill that waits for its step. */
interface PendingKill {
  told: string | undefined;
  /** Resolves when the victim runs again. */
  struck: Promise<void>;
  end(): void;
}

/** Kills and restarts the victim at its step of the next call. Returns the step as told; undefined if it never came. */
async function strike(pair: Pair, { victim, teller, step }: Cut): Promise<PendingKill> {
  const feed = await EventFeed.open(pair[teller].daemon);
  let seen = 0;
  const isIt = ({ type }: EventFrame) => STEPS.test(type) && ++seen > step;
  const struck = feed.until(isIt).then(async (frame) => {
    result.told = `${teller} ${frame.type}`;
    await pair[victim].daemon.kill();
    await pair[victim].restart();
  });
  const result: PendingKill = { told: undefined, struck, end: () => feed.close() };
  return result;
}

/** Counts the steps that each side reports in a call that nothing disturbs. */
async function countSteps(pair: Pair, faults: string[]): Promise<Record<keyof Pair, number>> {
  const feeds = { payer: await EventFeed.open(pair.payer.daemon), seller: await EventFeed.open(pair.seller.daemon) };
  await callUntilDone(pair, 'undisturbed', faults);
  const count = ({ frames }: EventFeed) => frames.filter(({ type }) => STEPS.test(type)).length;
  const counts = { payer: count(feeds.payer), seller: count(feeds.seller) };
  for (const feed of Object.values(feeds)) feed.close();
  return counts;
}

const SIDES = ['payer', 'seller'] as const;

function listCuts(counts: Record<keyof Pair, number>): Cut[] {
  return SIDES.flatMap((victim) =>
    SIDES.flatMap((teller) => Array.from({ length: counts[teller] }, (_, step) => ({ victim, teller, step }))),
  );
}

/** The figures that both sides have of the calls between them. */
const FIGURES = [
  'paid_lamports',
  'refunded_lamports',
  'balance_lamports',
  'owed_lamports',
  'net_lamports',
] as const satisfies (keyof LedgerSum)[];

/** Both sides' figures on the seller's network, and the transactions that each names. */
async function readBoth({ payer, seller }: Pair) {
  const read = async ({ daemon }: Side, side: 'spent' | 'earned') => {
    const { entries, sums } = await daemon.call<Ledger>('GET', `/ledger?side=${side}&limit=200`);
    const own = sums.filter((sum) => sum.side === side);
    const paid = entries.filter(({ state, signature }) => signature !== null && state !== 'failed');
    return { sums: own, signatures: paid.map(({ signature, state }) => `${signature} ${state}`).sort() };
  };
  return { spent: await read(payer, 'spent'), earned: await read(seller, 'earned') };
}

/** What must be in both ledgers. */
interface Due {
  when: string;
  /** Calls with a result. */
  done: number;
  /** Calls that are a balance with the seller at present. */
  held: number;
}

/** Compares both ledgers, figure by figure, with each other, with the calls that were done and with the chain. */
async function compare(drill: Drill, pair: Pair & { wallet: string }, { when, done, held }: Due): Promise<void> {
  const { LibraryChains } = await import('../../../daemon/agent-library/library-chains.js');
  const { systemClock } = await import('../../../daemon/lib/time/clock.js');
  const chains = new LibraryChains({ 'solana:local': `${pair.seller.daemon.address}/chain` }, systemClock);
  const moved = await onChain(await chains.get('solana:local'), pair.wallet);
  const transfers = [...moved.sentTo.values()].reduce((sum, lamports) => sum + lamports, 0);
  const { spent, earned } = await readBoth(pair);
  const [[payers], [sellers]] = [spent.sums, earned.sums];
  const one = spent.sums.length === 1 && earned.sums.length === 1;
  drill.holds(`${when}: one sum on each side`, `${spent.sums.length} and ${earned.sums.length}`, one);
  const lamports = { unit: 'lamports' } as const;
  const measure = (name: string, value: number | undefined, exactly: number) =>
    drill.measure({ measure: `${when}: ${name}`, value: value ?? -1, exactly, ...lamports });
  measure('paid over the chain', transfers, (done + held) * PRICE);
  measure('paid, in the ledger of the payer', payers?.paid_lamports, transfers);
  measure('given back and not used, in the ledger of the payer', payers?.balance_lamports, held * PRICE);
  measure('what calls cost, in the ledger of the payer', payers?.net_lamports, done * PRICE);
  for (const figure of FIGURES) measure(`${figure} of the seller`, sellers?.[figure], payers?.[figure] ?? -2);
  measure('fees', moved.fees, (transfers / PRICE) * FEE);
  const isSame = spent.signatures.join() === earned.signatures.join();
  drill.holds(`${when}: both name the same transactions and states`, `${spent.signatures.length}`, isSame);
}

/** How often the seller is killed in a call until one call has no result yet. */
const REFUND_ATTEMPTS = 12;

/** Kills the seller as soon as it says that a call is paid, and returns how the call ended. */
async function cutOff(pair: Pair, key: string): Promise<Call> {
  const feed = await EventFeed.open(pair.seller.daemon);
  const isPaid = (frame: EventFrame) => frame.type === 'payment.changed' && frame.state === 'paid';
  const killed = feed.until(isPaid).then(async () => {
    await pair.seller.daemon.kill();
    await pair.seller.restart();
  });
  const call = await callOnce(pair, key);
  await killed;
  feed.close();
  return call;
}

/**
 * Kills the seller while it answers a paid call, until such a call is given back, and compares both ledgers before and
 * after the next call uses the balance. Returns the number of calls with a result.
 */
async function refund(drill: Drill, pair: Pair & { wallet: string }, faults: string[]): Promise<number> {
  let call: Call | undefined;
  let done = 0;
  for (let attempt = 0; attempt < REFUND_ATTEMPTS; attempt += 1) {
    call = await cutOff(pair, `given-back-${attempt}`);
    if (call.state !== 'done') break;
    done += 1;
  }
  const isBack = call?.error?.code === 'agent_failed' && call.signature !== null;
  drill.holds('a call cut off by the seller is given back', `${done} done before; ${call?.error?.message}`, isBack);
  if (!isBack) return done;
  await compare(drill, pair, { when: 'a balance', done: done + 2, held: 1 });
  await callUntilDone(pair, 'from-the-balance', faults);
  await compare(drill, pair, { when: 'the balance used', done: done + 3, held: 0 });
  return done + 1;
}

await runDrill('two-projects', async (drill) => {
  const pair = await prepare(drill);
  const faults: string[] = [];
  await callUntilDone(pair, 'first', faults);
  const all = listCuts(await countSteps(pair, faults));
  const further = await refund(drill, pair, faults);
  const cuts = drill.dice.shuffled(all).slice(0, drill.bound('kills'));
  const told = new Map<string, number>();
  let [done, refused, unrated] = [2 + further, 0, 0];
  for (const [index, cut] of cuts.entries()) {
    const blow = await strike(pair, cut);
    const outcome = await callUntilDone(pair, `call-${index}`, faults);
    if (blow.told !== undefined) await blow.struck;
    blow.end();
    const name = `${cut.victim} killed at ${blow.told ?? 'no step'}`;
    told.set(name, (told.get(name) ?? 0) + 1);
    refused += outcome.refused;
    if (outcome.call) done += 1;
    if (outcome.call && (outcome.call.reputation_filed as { ok?: boolean } | null)?.ok !== true) unrated += 1;
  }
  const said = [...told].map(([name, count]) => `${name}: ${count}`).join('; ');
  drill.none(
    'calls paid for without a result',
    'calls',
    faults,
    `${cuts.length} kills, ${refused} refused unpaid; ${said}`,
  );
  drill.measure({ measure: 'calls done without a rating', value: unrated, unit: 'calls', exactly: 0 });
  await compare(drill, pair, { when: 'after the kills', done, held: 0 });
  const { calls } = await pair.payer.daemon.call<CallList>('GET', '/calls?state=running');
  drill.measure({ measure: 'calls still under way', value: calls.length, unit: 'calls', exactly: 0 });
});
