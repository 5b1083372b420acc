import {
  type Decision,
  OUTSIDE_PERMISSION_SECONDS,
  PERMISSION_SECONDS,
  type Permission,
  type PermissionList,
  type PermissionsQuery,
} from '../../contract/conversations.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { MeshError } from '../../lib/errors.js';
import { newPermissionId } from '../../lib/ids.js';
import type { PermissionQuestion } from '../clients/client.js';
import { titleOf } from './conversation-title.js';
import type { PermissionPlace, PermissionsStore } from './permissions-store.js';
import type { TurnRow } from './turns-store.js';

const TARGET_MAX_CHARS = 10_000;

type Answer = (decision: Decision) => void;

/**
 * Questions of agents that only the operator may answer. Each is on disk before it is shown, and ends as exactly one decision: the operator's, or
 * `deny` when its time is up, its turn ends or the daemon is started anew. `allow_always` holds for that tool in that conversation; what the operator
 * allowed in turns of their own holds for no outside ask there.
 */
export class Permissions {
  private readonly open = new Map<string, Answer>();

  constructor(
    private readonly store: PermissionsStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
  ) {}

  /** Those of a conversation that wait for an answer, oldest first. */
  waiting(conv: string): Permission[] {
    return this.store.listOf(conv);
  }

  /** A page of those of all conversations that wait for an answer, oldest first. Throws `bad_request` for a cursor that is none. */
  list({ limit = LIST_LIMIT_DEFAULT, cursor }: PermissionsQuery): PermissionList {
    const rows = this.store.listWaiting(placeOf(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? `${last.created_ms}.${last.seq}` : null;
    return {
      permissions: page.map(({ permission }) => ({ ...permission, title: titleOf(permission) })),
      count: page.length,
      next_cursor,
    };
  }

  /** Denies what a turn that has ended still asked. To be called inside the transaction that records the ending. */
  putDenied(turn: string, decidedBy: 'deadline' | 'restart'): void {
    this.store.putDenied(turn, decidedBy);
  }

  /**
   * Puts a question and resolves with its decision. `onWaiting` runs in the transaction that records it, and what it returns once that is durable. `hasExpired` in the answer says that nobody
   * answered in time. Publishes `turn.permission`.
   */
  async ask(
    turn: TurnRow,
    question: PermissionQuestion,
    signal: AbortSignal,
    onWaiting: () => (() => void)[],
  ): Promise<{ decision: Decision; hasExpired: boolean }> {
    const { conv } = turn;
    if (this.store.isAlwaysAllowed(conv, question.tool, turn.profile))
      return { decision: 'allow_always', hasExpired: false };
    const seconds = turn.profile === 'outside' ? OUTSIDE_PERMISSION_SECONDS : PERMISSION_SECONDS;
    const pid = newPermissionId();
    const now = this.clock.now();
    let after: (() => void)[] = [];
    const permission = await this.store.write(() => {
      after = onWaiting();
      const { tool, target, reason } = question;
      return this.store.put({
        pid,
        conv,
        turn: turn.turn,
        tool: tool.slice(0, 200),
        target: target.slice(0, TARGET_MAX_CHARS),
        reason: reason.slice(0, TARGET_MAX_CHARS),
        created_ms: now,
        expires_ms: now + seconds * 1000,
      });
    });
    const answered = new Promise<{ decision: Decision; hasExpired: boolean }>((resolve) => {
      const settle = (decision: Decision, hasExpired: boolean) => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        this.open.delete(pid);
        resolve({ decision, hasExpired });
      };
      const onAbort = () => settle('deny', false);
      const cancel = this.clock.after(seconds * 1000, () => {
        void this.expire(permission).then((isDenied) => {
          if (isDenied) settle('deny', true);
        });
      });
      signal.addEventListener('abort', onAbort, { once: true });
      this.open.set(pid, (decision) => settle(decision, false));
      if (signal.aborted) onAbort();
    });
    this.bus.publish('turn.permission', { conv, turn: turn.turn, permission });
    for (const run of after) run();
    this.bus.publish('conversation.updated', { conv });
    return answered;
  }

  /**
   * The operator's answer; durable when it resolves. Throws `not_found` for a question that is not there or not of this conversation, answered already, or
   * whose time is up.
   */
  async decide(conv: string, pid: string, decision: Decision): Promise<Permission> {
    const permission = this.store.find(pid);
    const answer = this.open.get(pid);
    if (!permission || permission.conv !== conv || permission.decision !== null || !answer) {
      throw dead();
    }
    if (!(await this.record(permission, decision, 'operator'))) throw dead();
    answer(decision);
    return { ...permission, decision, decided_by: 'operator' };
  }

  /** False when somebody has answered in the meantime. */
  private async expire(permission: Permission): Promise<boolean> {
    // What cannot be written down as denied is denied all the same; the end of the turn records it.
    return this.record(permission, 'deny', 'deadline').catch(() => true);
  }

  /** The first answer counts: false, and nothing is told, for any after it. */
  private async record(
    permission: Permission,
    decision: Decision,
    decidedBy: NonNullable<Permission['decided_by']>,
  ): Promise<boolean> {
    const { conv, turn, pid } = permission;
    if (!(await this.store.write(() => this.store.putDecision(pid, decision, decidedBy)))) return false;
    this.bus.publish('turn.permission', { conv, turn, permission: { ...permission, decision, decided_by: decidedBy } });
    this.bus.publish('conversation.updated', { conv });
    return true;
  }
}

const dead = () => new MeshError('not_found', 'There is no such question, or it has been answered already.');

function placeOf(cursor: string | undefined): PermissionPlace | undefined {
  if (cursor === undefined) return undefined;
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (!match)
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  return { created_ms: Number(match[1]), seq: Number(match[2]) };
}
