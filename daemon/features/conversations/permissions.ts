import { type Decision, OUTSIDE_PERMISSION_SECONDS, PERMISSION_SECONDS, type Permission } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { MeshError } from '../../lib/errors.js';
import { newPermissionId } from '../../lib/ids.js';
import type { PermissionQuestion } from '../clients/client.js';
import type { TurnRow, TurnsStore } from './turns-store.js';

const TARGET_MAX_CHARS = 10_000;

type Answer = (decision: Decision) => void;

/**
 * Questions of agents that only the operator may answer. Each is on disk before it is shown, and ends as exactly one decision: the operator's, or
 * `deny` when its time is up, its turn ends or the daemon is started anew. `allow_always` holds for that tool in that conversation.
 */
export class Permissions {
  private readonly open = new Map<string, Answer>();

  constructor(
    private readonly store: TurnsStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
  ) {}

  /** Those that wait for an answer, oldest first, of one conversation or all. */
  waiting(conv?: string): Permission[] {
    return this.store.listPermissions(conv);
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
    if (this.store.isAlwaysAllowed(conv, question.tool)) return { decision: 'allow_always', hasExpired: false };
    const seconds = turn.profile === 'outside' ? OUTSIDE_PERMISSION_SECONDS : PERMISSION_SECONDS;
    const pid = newPermissionId();
    const now = this.clock.now();
    let after: (() => void)[] = [];
    const permission = await this.store.write(() => {
      after = onWaiting();
      const { tool, target, reason } = question;
      return this.store.putPermission({
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
        void this.record(permission, 'deny', 'deadline').then(() => settle('deny', true));
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
    const permission = this.store.findPermission(pid);
    const answer = this.open.get(pid);
    if (!permission || permission.conv !== conv || permission.decision !== null || !answer) {
      throw new MeshError('not_found', 'There is no such question, or it has been answered already.');
    }
    await this.record(permission, decision, 'operator');
    answer(decision);
    return { ...permission, decision, decided_by: 'operator' };
  }

  private async record(permission: Permission, decision: Decision, decidedBy: NonNullable<Permission['decided_by']>): Promise<void> {
    const { conv, turn, pid } = permission;
    await this.store.write(() => this.store.putDecision(pid, decision, decidedBy));
    this.bus.publish('turn.permission', { conv, turn, permission: { ...permission, decision, decided_by: decidedBy } });
    this.bus.publish('conversation.updated', { conv });
  }
}
