import type { RequestRow } from '../../daemon/contract/asks.js';
import type { WaitingPermission } from '../../daemon/contract/conversations.js';
import type { Approval } from '../../daemon/contract/payments.js';
import type { Member } from '../../daemon/contract/team.js';
import type { Budget } from '../../daemon/contract/work/budgets.js';
import type { Schedule, ScheduleRun } from '../../daemon/contract/work/schedules.js';
import { isWaiting } from '../features/team/is-open.js';
import { toIsoTime } from '../lib/format/epoch.js';

export type Need =
  | { kind: 'permission'; at: string; permission: WaitingPermission }
  | { kind: 'budget'; at: string; budget: Budget }
  | { kind: 'payment'; at: string; approval: Approval }
  | { kind: 'question'; at: string; request: RequestRow }
  | { kind: 'failed'; at: string; request: RequestRow }
  | { kind: 'scheduled'; at: string; schedule: Schedule; run: ScheduleRun }
  | { kind: 'broken'; at: ''; member: Member }
  | { kind: 'exposure'; at: ''; members: readonly Member[] };

const DAY_MS = 24 * 3_600_000;

/** What the operator's needs are read from. An absent list has not been read, or holds nothing. */
interface NeedSources {
  members?: readonly Member[] | undefined;
  requests?: readonly RequestRow[] | undefined;
  permissions?: readonly WaitingPermission[] | undefined;
  approvals?: readonly Approval[] | undefined;
  schedules?: readonly Schedule[] | undefined;
  budgets?: readonly Budget[] | undefined;
}

/**
 * Returns what waits for the operator, oldest first: the members that wait for agreement to be exposed (as one entry),
 * member files that cannot be read, permissions that running members request, payments over the caps, external asks
 * that wait for a permission, budgets that are nearly spent, runs of schedules that did not go well, and asks that
 * failed within a day unless their member has answered since. A pure function of the records, so that every tab has the
 * same count.
 */
export function needsYou(
  { members = [], requests = [], permissions = [], approvals = [], schedules = [], budgets = [] }: NeedSources,
  now: number,
): Need[] {
  const answeredAt = new Map<string, number>();
  for (const request of requests) {
    if (request.status !== 'done' || !request.finished_at) continue;
    const at = Date.parse(request.finished_at);
    if (at > (answeredAt.get(request.member) ?? 0)) answeredAt.set(request.member, at);
  }
  const waiting = members.filter(isWaiting);
  const needs: Need[] = waiting.length > 0 ? [{ kind: 'exposure', at: '', members: waiting }] : [];
  for (const member of members) if (member.state === 'broken') needs.push({ kind: 'broken', at: '', member });
  for (const permission of permissions) needs.push({ kind: 'permission', at: permission.created_at, permission });
  for (const approval of approvals) {
    if (approval.expires_at * 1_000 > now)
      needs.push({ kind: 'payment', at: toIsoTime(approval.created_at), approval });
  }
  for (const budget of budgets)
    if (budget.state !== 'ok' && !budget.is_left) needs.push({ kind: 'budget', at: budget.since ?? '', budget });
  for (const schedule of schedules) {
    const run = schedule.needs_you;
    if (run) needs.push({ kind: 'scheduled', at: run.at ?? run.due_at, schedule, run });
  }
  const asking = new Set(permissions.map(({ conv }) => conv));
  for (const request of requests) {
    if (request.status === 'needs_input' && !asking.has(request.conv))
      needs.push({ kind: 'question', at: request.created_at, request });
    if (request.status !== 'error' || request.error?.code === 'cancelled') continue;
    const failedAt = request.finished_at ?? request.created_at;
    const failed = Date.parse(failedAt);
    if (now - failed < DAY_MS && failed > (answeredAt.get(request.member) ?? 0))
      needs.push({ kind: 'failed', at: failedAt, request });
  }
  return needs.sort((a, b) => a.at.localeCompare(b.at));
}

/** Reports whether a request has not ended. */
export function isLive(request: RequestRow): boolean {
  return request.status !== 'done' && request.status !== 'error';
}
