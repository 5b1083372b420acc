import { type Command, Option } from 'commander';
import {
  type ApprovalList,
  CALL_MODES,
  type Call,
  LEDGER_SIDES,
  type Ledger,
  type LedgerEntry,
  type LedgerSum,
  PAYMENT_STATES,
  type Settled,
} from '../../contract/payments.js';
import { action, type Common, examples } from '../action.js';
import { parseSeconds } from '../asks/ask.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { PAGE_ROWS, toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { followCall } from './call.js';

const DEFAULT_ROWS = 50;
const DEFAULT_WAIT_SECONDS = 120;

interface LedgerOptions {
  side?: string;
  state?: string;
  mode?: string;
  agent?: string;
  q?: string;
  limit: number;
  csv?: boolean;
  jsonl?: boolean;
}

const lamports = (amount: number) => `${amount.toLocaleString('en')} lamports`;

function row({
  created_at,
  side,
  kind,
  mode,
  state,
  amount_lamports,
  agent,
  skill,
  real,
  network,
}: LedgerEntry): string[] {
  const what = [agent, skill].filter((part) => part !== null && part !== '').join(' ');
  const amount = `${side === 'spent' ? '−' : '+'}${amount_lamports}`;
  return [
    utcTime(created_at),
    side,
    `${kind}${mode === null ? '' : ` ${mode}`}`,
    state,
    amount,
    real ? network : `${network} (not real)`,
    what,
  ];
}

/** Reads the newest `limit` entries, with the sums, caps and deposits of the last page. */
async function readLedger(client: HttpClient, query: URLSearchParams, limit: number): Promise<Ledger> {
  const entries: LedgerEntry[] = [];
  let page: Ledger;
  do {
    query.set('limit', String(Math.min(PAGE_ROWS, limit - entries.length)));
    page = await client.get<Ledger>(`/ledger?${query}`);
    entries.push(...page.entries);
    if (page.next_cursor !== null) query.set('cursor', page.next_cursor);
  } while (page.next_cursor !== null && entries.length < limit);
  return { ...page, entries, count: entries.length };
}

/** Returns what one side of the ledger adds up to on one network; the other daemon has the same figures. */
function formatSum({ side, network, real, ...sum }: LedgerSum): string {
  const { paid_lamports, refunded_lamports, balance_lamports, owed_lamports, net_lamports } = sum;
  const isSpent = side === 'spent';
  const parts = [
    `${isSpent ? 'paid' : 'received'} ${lamports(paid_lamports)}`,
    ...(refunded_lamports > 0 ? [`${lamports(refunded_lamports)} of it refunded as balances`] : []),
    ...(balance_lamports > 0
      ? [`${lamports(balance_lamports)} ${isSpent ? 'left in balances' : 'held for callers'}`]
      : []),
    ...(owed_lamports > 0 ? [`${lamports(owed_lamports)} owed`] : []),
  ];
  const where = real ? network : `${network} (not real)`;
  return `${isSpent ? 'Calls cost' : 'Calls earned'} ${lamports(net_lamports)} on ${where}: ${parts.join(', ')}.`;
}

/** Notes the sums, the caps and the balances of deposits. */
function noteTotals(terminal: Terminal, ledger: Ledger): void {
  const { caps, spent_today_lamports, earned_lamports, spent_lamports, deposits, sums } = ledger;
  terminal.note(
    `Earned ${lamports(earned_lamports)}, spent ${lamports(spent_lamports)}, today ${lamports(spent_today_lamports)}.`,
  );
  for (const sum of sums) if (sum.paid_lamports > 0 || sum.owed_lamports > 0) terminal.note(formatSum(sum));
  const asks = caps.per_call_lamports === 0 || caps.per_day_lamports === 0 ? ' Every payment needs approval.' : '';
  terminal.note(
    `Caps: ${lamports(caps.per_call_lamports)} a payment, ${lamports(caps.per_day_lamports)} a day.${asks}`,
  );
  for (const deposit of deposits)
    terminal.note(
      `Deposit with ${printable(deposit.agent)}: ${lamports(deposit.lamports)} on ${deposit.network} (key ` +
        `…${deposit.api_key_last4}).`,
    );
}

async function showLedger(terminal: Terminal, options: LedgerOptions & Common): Promise<void> {
  const { root, json, jsonl, csv, limit, side, state, mode, agent, q } = options;
  const { client } = await getDaemon(root);
  const query = toQuery({ side, state, mode, agent, q });
  if (csv) return terminal.document(await client.getDocument(`/ledger/export.csv?${query}`));
  const ledger = await readLedger(client, query, limit);
  const { entries, next_cursor } = ledger;
  if (json) return terminal.object(ledger);
  if (jsonl) return entries.forEach((entry) => void terminal.record(entry));
  terminal.table(entries.map(row), ['WHEN (UTC)', 'SIDE', 'WHAT', 'STATE', 'LAMPORTS', 'NETWORK', 'AGENT']);
  if (entries.length === 0) terminal.note('Nothing was earned or spent.');
  if (next_cursor !== null) terminal.note(`There is more: --limit ${limit * 2}.`);
  noteTotals(terminal, ledger);
}

function addList(program: Command, terminal: Terminal): void {
  program
    .command('ledger')
    .summary('what was earned and spent')
    .description(
      'List what the agents of this project were paid and what was spent, newest first, with caps, balances and debts.',
    )
    .addOption(new Option('--side <side>', 'only one side').choices(LEDGER_SIDES))
    .addOption(new Option('--state <state>', 'only with this state').choices(PAYMENT_STATES))
    .addOption(new Option('--mode <mode>', 'only paid this way').choices(CALL_MODES))
    .option('--agent <agent>', 'only about this agent')
    .option('--q <words>', 'only with these words')
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .option('--csv', 'all of it as CSV')
    .addHelpText(
      'after',
      examples('meshd ledger --side spent', 'meshd ledger --state owed', 'meshd ledger --csv > ledger.csv'),
    )
    .action(action<LedgerOptions, []>(terminal, (options) => showLedger(terminal, options)));
}

async function settle(terminal: Terminal, { root, json }: Common, agent: string | undefined): Promise<void> {
  const { client } = await getDaemon(root);
  const body = agent === undefined ? {} : { agent };
  const settled = await client.send<Settled>('POST', '/ledger/settle', { body, timeoutMs: 200_000 });
  // A project that does not run may be gone for good: what is owed to it fails no other settlement.
  if (settled.failed.some(({ is_away }) => is_away !== true || agent !== undefined)) terminal.exit = EXIT.failed;
  if (json) return terminal.object(settled);
  if (settled.settled.length + settled.failed.length === 0) return terminal.note('Nothing is owed.');
  for (const entry of settled.settled)
    terminal.answer(`${printable(entry.agent)}: paid ${lamports(entry.amount_lamports)} (${entry.reason ?? ''}).`);
  for (const { id, message } of settled.failed) terminal.note(`${id} was not paid: ${printable(message)}`);
}

function addSettle(program: Command, terminal: Terminal): void {
  program
    .command('settle')
    .summary('pay what is owed for calls on credit')
    .description(
      'Pay what is owed for calls that agents carried out on credit: all of it, or what is owed to one agent.',
    )
    .argument('[agent]', 'only what is owed to this one (default: everything)')
    .addHelpText('after', examples('meshd settle', 'meshd settle painter'))
    .action(action<object, [string | undefined]>(terminal, (options, agent) => settle(terminal, options, agent)));
}

async function listApprovals(terminal: Terminal, { root, json }: Common): Promise<void> {
  const { client } = await getDaemon(root);
  const list = await client.get<ApprovalList>('/approvals');
  if (list.count > 0) terminal.exit = EXIT.needsPerson;
  if (json) return terminal.object(list);
  if (list.count === 0) return terminal.note('Nothing needs you.');
  const rows = list.approvals.map(({ call_id, agent, skill, amount_lamports, network, real, expires_at }) => [
    call_id,
    agent,
    skill,
    String(amount_lamports),
    real ? network : `${network} (not real)`,
    utcTime(expires_at),
  ]);
  terminal.table(rows, ['CALL', 'AGENT', 'SKILL', 'LAMPORTS', 'NETWORK', 'UNTIL (UTC)']);
  for (const { call_id, reason } of list.approvals) terminal.note(`${call_id}: ${printable(reason)}`);
}

function addApprovals(program: Command, terminal: Terminal): void {
  program
    .command('approvals')
    .summary('payments that need your approval')
    .description('List payments over your caps that need approval.')
    .addHelpText('after', examples('meshd approvals', 'meshd approvals --json'))
    .action(action<object, []>(terminal, (options) => listApprovals(terminal, options)));
}

async function decide(
  root: string,
  call: string,
  decision: 'allow' | 'deny',
): Promise<{ client: HttpClient; decided: Call }> {
  const { client } = await getDaemon(root);
  const decided = await client.send<Call>('POST', `/ledger/approvals/${encodeURIComponent(call)}`, {
    body: { decision },
  });
  return { client, decided };
}

function addApprove(program: Command, terminal: Terminal): void {
  program
    .command('approve')
    .summary('allow a payment')
    .description('Allow a payment that needs approval, and wait for the result of its call.')
    .argument('<call>')
    .option('--wait <seconds>', 'how long to wait for the result', parseSeconds, DEFAULT_WAIT_SECONDS)
    .addHelpText(
      'after',
      examples('meshd approve call-0123456789abcdef', 'meshd approve call-0123456789abcdef --wait 0'),
    )
    .action(
      action<{ wait: number }, [string]>(terminal, async ({ root, wait }, call) => {
        const { client, decided } = await decide(root, call, 'allow');
        await followCall(terminal, client, decided, wait);
      }),
    );
}

function addDeny(program: Command, terminal: Terminal): void {
  program
    .command('deny')
    .summary('deny a payment')
    .description('Deny a payment that needs approval; its call ends without it.')
    .argument('<call>')
    .addHelpText('after', examples('meshd deny call-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, call) => {
        const { decided } = await decide(root, call, 'deny');
        if (json) terminal.object(decided);
        else terminal.answer(`${decided.call_id} is not paid.`);
      }),
    );
}

export function addLedger(program: Command, terminal: Terminal): void {
  addList(program, terminal);
  addSettle(program, terminal);
  addApprovals(program, terminal);
  addApprove(program, terminal);
  addDeny(program, terminal);
}
