import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../daemon/contract/asks.js';
import type { WaitingPermission } from '../../daemon/contract/conversations.js';
import type { Approval } from '../../daemon/contract/payments.js';
import type { Member } from '../../daemon/contract/team.js';
import type { Budget } from '../../daemon/contract/work/budgets.js';
import type { Schedule } from '../../daemon/contract/work/schedules.js';
import { needsYou } from './needs-you.js';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

function aRequest(values: Partial<RequestRow>): RequestRow {
  return {
    request_id: 'req-1',
    member: 'consultant',
    conv: 'conv-1',
    status: 'done',
    created_at: hoursAgo(2),
    finished_at: hoursAgo(2),
    question: 'Where?',
    citations_checked: 0,
    citations_total: 0,
    client: 'builtin',
    model: 'none',
    caller: { user_agent: null, idempotency_key: null },
    collected_at: null,
    ...values,
  };
}

const kinds = (requests: RequestRow[], members: Partial<Member>[] = []) =>
  needsYou({ members: members as Member[], requests }, now).map((need) => need.kind);

describe('needsYou', () => {
  it('is empty when everything is answered', () => {
    expect(kinds([aRequest({}), aRequest({ status: 'running' })])).toEqual([]);
  });

  it('contains permissions of running members and files that cannot be read', () => {
    expect(kinds([aRequest({ status: 'needs_input' })], [{ id: 'deployer', state: 'broken' }])).toEqual([
      'broken',
      'question',
    ]);
  });

  it('groups the members that wait for agreement, without those that the operator keeps internal', () => {
    const members = [
      { id: 'guide', exposure_hold: 'agreement' as const },
      { id: 'porter', exposure_hold: 'agreement' as const },
      { id: 'usher', exposure_hold: 'kept_internal' as const },
      { id: 'clerk', exposure_hold: 'tests' as const },
    ];
    const needs = needsYou({ members: members as Member[] }, now);
    expect(needs).toEqual([{ kind: 'exposure', at: '', members: members.slice(0, 2) }]);
    expect(kinds([], members.slice(2))).toEqual([]);
  });

  it('contains a failed ask for one day', () => {
    const failed = { status: 'error' as const, error: { code: 'client_failed' as const, message: 'no' } };
    expect(kinds([aRequest({ ...failed, finished_at: hoursAgo(23) })])).toEqual(['failed']);
    expect(kinds([aRequest({ ...failed, finished_at: hoursAgo(25) })])).toEqual([]);
  });

  it('drops a failed ask once its member has answered again', () => {
    const failed = aRequest({
      status: 'error',
      error: { code: 'client_failed', message: 'no' },
      finished_at: hoursAgo(3),
    });
    expect(kinds([failed, aRequest({ finished_at: hoursAgo(1) })])).toEqual([]);
    expect(kinds([failed, aRequest({ finished_at: hoursAgo(1), member: 'deployer' })])).toEqual(['failed']);
  });

  it('leaves out what was cancelled', () => {
    expect(kinds([aRequest({ status: 'error', error: { code: 'cancelled', message: 'stopped' } })])).toEqual([]);
  });

  it('contains a permission once, even when an external ask waits for it', () => {
    const permission = { pid: 'perm-1', conv: 'conv-1', created_at: hoursAgo(0) } as WaitingPermission;
    const needs = needsYou({ requests: [aRequest({ status: 'needs_input' })], permissions: [permission] }, now);
    expect(needs.map((need) => need.kind)).toEqual(['permission']);
    const other = { ...permission, conv: 'conv-2' };
    expect(needsYou({ requests: [aRequest({ status: 'needs_input' })], permissions: [other] }, now)).toHaveLength(2);
  });

  it('contains runs of schedules that did not go well, until they were seen', () => {
    const run = { run: 'run-1', at: hoursAgo(3), due_at: hoursAgo(4) };
    const schedules = [
      { id: 'sched-1', needs_you: run },
      { id: 'sched-2', needs_you: null },
    ] as Schedule[];
    const [need, ...others] = needsYou({ schedules }, now);
    expect([need, others]).toEqual([{ kind: 'scheduled', at: run.at, schedule: schedules[0], run }, []]);
  });

  it('contains budgets that are nearly spent, unless the operator leaves them', () => {
    const budget = (scope: string, state: string, is_left = false) => ({ scope, state, is_left, since: hoursAgo(1) });
    const budgets = [
      budget('day', 'reached'),
      budget('member:developer', 'warned'),
      budget('member:deployer', 'reached', true),
      budget('conversation:c', 'ok'),
    ] as Budget[];
    const needs = needsYou({ budgets }, now);
    expect(needs.map((need) => (need.kind === 'budget' ? need.budget.scope : need.kind))).toEqual([
      'day',
      'member:developer',
    ]);
  });

  it('sorts the oldest first', () => {
    const rows = [
      aRequest({ request_id: 'new', status: 'needs_input', created_at: hoursAgo(1) }),
      aRequest({ request_id: 'old', status: 'needs_input', created_at: hoursAgo(5) }),
    ];
    expect(needsYou({ requests: rows }, now).map((need) => ('request' in need ? need.request.request_id : ''))).toEqual(
      ['old', 'new'],
    );
  });

  it('contains payments over the caps in order of creation, until they expire', () => {
    const approval = (call_id: string, created: number): Approval => ({
      call_id,
      agent: 'painter',
      skill: 'paint',
      amount_lamports: 5_000,
      network: 'solana:local',
      real: false,
      address: '9XmP',
      reason: '5,000 lamports are over the cap of 0 for one payment.',
      created_at: created / 1_000,
      expires_at: created / 1_000 + 86_400,
    });
    const waiting = [approval('new', now - 3_600_000), approval('over', now - 25 * 3_600_000)];
    const needs = needsYou({ requests: [aRequest({ status: 'needs_input' })], approvals: waiting }, now);
    expect(needs.map((need) => (need.kind === 'payment' ? need.approval.call_id : need.kind))).toEqual([
      'question',
      'new',
    ]);
  });
});
