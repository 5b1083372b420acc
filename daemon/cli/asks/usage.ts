import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  REFUSAL_REASONS,
  type RefusalReason,
  type RefusedList,
  USAGE_RETENTION_DAYS,
  type UsageCounts,
  type UsageReport,
} from '../../contract/usage.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { toQuery } from '../pages.js';
import type { Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_ROWS = 50;
const ROWS_MAX = 200;

/** Why a call was refused, in words. */
const REASONS: Readonly<Record<RefusalReason, string>> = {
  no_credential: 'no credential (401)',
  wrong_credential: 'wrong credential (401)',
  payment_required: 'payment required (402)',
  too_many_requests: 'too many requests (429)',
};

interface UsageOptions {
  by: 'member' | 'caller' | 'client' | 'day';
  days: number;
  member?: string;
  caller?: string;
}

/** Returns an argument parser for a whole number from 1 to `most`. */
const parseUpTo = (most: number) => (text: string) => {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
};

const formatMs = (ms: number | null) =>
  ms === null ? '' : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
const formatCount = (count: number | null) => (count === null ? '' : count.toLocaleString('en'));

function toRow(name: string, counts: UsageCounts): string[] {
  const { asks, found, likely, none, answered, failed, stopped, refused, p50_ms, p95_ms } = counts;
  return [
    sanitizeDisplayLine(name),
    ...[asks, found, likely, none, answered, failed, stopped, refused].map(formatCount),
    formatMs(p50_ms),
    formatMs(p95_ms),
    formatCount(counts.input_tokens),
    formatCount(counts.output_tokens),
    counts.cost_usd === null ? '' : `$${counts.cost_usd.toFixed(2)}`,
  ];
}

const HEADS = ['ASKS', 'FOUND', 'LIKELY', 'NONE', 'MODEL', 'FAILED', 'STOPPED', 'REFUSED', 'P50', 'P95'];
const COST_HEADS = ['TOKENS IN', 'TOKENS OUT', 'COST'];

function getRows({ members, callers, clients, buckets }: UsageReport, by: UsageOptions['by']): string[][] {
  if (by === 'day') return buckets.map(({ at, ...counts }) => toRow(at.slice(0, 10), counts));
  const groups = { member: members, caller: callers, client: clients }[by];
  return groups.map(({ name, ...counts }) => toRow(name || `(no ${by})`, counts));
}

async function showUsage(terminal: Terminal, options: UsageOptions & Common): Promise<void> {
  const { root, json, by, days, member, caller } = options;
  const { client } = await getDaemon(root);
  const from = new Date(Date.now() - days * DAY_MS).toISOString();
  const report = await client.get<UsageReport>(`/usage?${toQuery({ from, bucket: 'day', member, caller })}`);
  if (json) return terminal.object(report);
  if (report.total.asks + report.total.refused === 0) return terminal.note('Nothing was asked in this time.');
  terminal.table([...getRows(report, by), toRow('total', report.total)], [by.toUpperCase(), ...HEADS, ...COST_HEADS]);
  if (by === 'day') terminal.note('Days are those of UTC.');
}

interface RefusedOptions {
  reason?: RefusalReason;
  member?: string;
  caller?: string;
  since?: string;
  limit: number;
}

async function listRefused(terminal: Terminal, options: RefusedOptions & Common): Promise<void> {
  const { root, json, reason, member, caller, since, limit } = options;
  const { client } = await getDaemon(root);
  const list = await client.get<RefusedList>(`/requests/refused?${toQuery({ reason, member, caller, since, limit })}`);
  if (json) return terminal.object(list);
  if (list.count === 0) return terminal.note('No refused calls.');
  terminal.table(
    list.refused.map((row) => [
      utcTime(row.last_at),
      formatCount(row.count),
      REASONS[row.reason],
      row.member,
      sanitizeDisplayLine(row.caller),
      row.address,
      row.route,
    ]),
    ['LAST SEEN (UTC)', 'CALLS', 'REASON', 'MEMBER', 'CALLER', 'ADDRESS', 'ROUTE'],
  );
}

/** Adds `requests refused`. */
export function addRefused(requests: Command, terminal: Terminal): void {
  requests
    .command('refused')
    .summary('list calls that were refused')
    .description(
      'List calls of programs that were refused: without or with a wrong credential (401), without a payment (402), or too many (429). Alike ones are counted together. No credential is kept.',
    )
    .addOption(new Option('--reason <reason>', 'only for this reason').choices(REFUSAL_REASONS))
    .option('--member <id>', 'only of this member')
    .option('--caller <words>', 'only from programs that call themselves so')
    .option('--since <time>', 'only since this time, ISO 8601')
    .option('--limit <count>', `at most this many, up to ${ROWS_MAX}`, parseUpTo(ROWS_MAX), DEFAULT_ROWS)
    .addHelpText(
      'after',
      examples('meshd requests refused', 'meshd requests refused --reason wrong_credential --member consultant'),
    )
    .action(action<RefusedOptions, []>(terminal, (options) => listRefused(terminal, options)));
}

/** Adds `usage`. */
export function addUsage(program: Command, terminal: Terminal): void {
  program
    .command('usage')
    .summary('asks, answers, latency, tokens and cost over time')
    .description(
      'Show what was asked in the last days, how it was answered, how long answers took, and the tokens and cost that clients reported.',
    )
    .addOption(
      new Option('--by <what>', 'one row for each of these')
        .choices(['member', 'caller', 'client', 'day'])
        .default('member'),
    )
    .option(
      '--days <count>',
      `of the last days, at most ${USAGE_RETENTION_DAYS}`,
      parseUpTo(USAGE_RETENTION_DAYS),
      DEFAULT_DAYS,
    )
    .option('--member <id>', 'only of this member')
    .option('--caller <name>', 'only of this caller, as --by caller names it')
    .addHelpText('after', examples('meshd usage', 'meshd usage --by caller --days 7', 'meshd usage --by day --json'))
    .action(action<UsageOptions, []>(terminal, (options) => showUsage(terminal, options)));
}
