/**
 * Recomputes an agent's score from the bureau's public log: fetches the score and every signed report, checks each
 * signature offline, and computes the score for the same time. The exit code is 1 when a report is invalid, the score
 * differs or the log cannot be read, and 2 when the arguments are invalid.
 *
 * `npx tsx scripts/recompute-reputation.ts http://127.0.0.1:4747 <agent_id>`
 */
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { ReportLog, ReportRules, Reputation, SignedReport } from '../daemon/contract/network/reputation.js';
import { recompute } from '../daemon/features/reputation/report-log.js';
import { reportRules } from '../daemon/features/reputation/score-evidence.js';

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url, { redirect: 'error' });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** Returns the first `count` reports, from which the score was computed. The log is append-only. */
async function readLog(base: string, count: number): Promise<{ reports: SignedReport[]; rules: ReportRules }> {
  const reports: SignedReport[] = [];
  let rules = reportRules([]);
  for (let cursor: string | null = ''; cursor !== null && reports.length < count; ) {
    const page: ReportLog = await read<ReportLog>(
      `${base}/reports?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    reports.push(...page.reports);
    rules = page.rules;
    cursor = page.next_cursor;
  }
  return { reports: reports.slice(0, count), rules };
}

/** Where the program writes, a line at a time. */
type Printer = Pick<Console, 'log' | 'error'>;

/** Prints all problems and the recomputed score. Returns whether there are none. */
async function check(address: string, agentId: string, printer: Printer): Promise<boolean> {
  const base = new URL(`/v1/reputation/${encodeURIComponent(agentId)}`, address).href;
  const told = await read<Reputation>(base);
  const { reports, rules } = await readLog(base, told.reports);
  const problems: string[] = [];
  if (reports.length < told.reports)
    problems.push(`The bureau counts ${told.reports} reports; its log has ${reports.length}.`);
  if (
    reports.length > 0 &&
    !isDeepStrictEqual({ ...rules, text: '' }, { ...reportRules(rules.known_daemons), text: '' })
  ) {
    problems.push('The bureau goes by other numbers than this program: take the one of its version.');
  }
  const found = recompute(agentId, reports, rules, told.as_of);
  for (const { seq, said } of found.problems) problems.push(`Report ${seq}: ${said}.`);
  const { score, dims } = found.standing;
  if (score !== told.score || !isDeepStrictEqual(dims, told.dims)) {
    problems.push(
      `The bureau says ${told.score} ${JSON.stringify(told.dims)}; the log comes to ${score} ${JSON.stringify(dims)}.`,
    );
  }
  for (const problem of problems) printer.error(problem);
  const same = problems.length === 0;
  printer.log(
    JSON.stringify({
      agent_id: told.agent_id,
      as_of: told.as_of,
      reports: reports.length,
      score,
      told: told.score,
      same,
    }),
  );
  return same;
}

/** Runs the program with its arguments. Returns its exit code. */
export async function recomputeReputation(args: readonly string[], printer: Printer): Promise<number> {
  const [address, agentId, ...more] = args;
  if (address === undefined || agentId === undefined || more.length > 0 || !URL.canParse(address)) {
    printer.error('Usage: recompute-reputation <address> <agent_id>, for example http://127.0.0.1:4747 my-agent');
    return 2;
  }
  try {
    return (await check(address, agentId, printer)) ? 0 : 1;
  } catch (error) {
    printer.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = await recomputeReputation(process.argv.slice(2), console);
