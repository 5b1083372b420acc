import {
  type DecidePermission,
  type Decision,
  OUTSIDE_PERMISSION_SECONDS,
  PERMISSION_SECONDS,
  type Permission,
  type PermissionList,
} from '../../contract/conversations.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { PageQuery } from '../../contract/shared/paging.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { newPermissionId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { PermissionQuestion } from '../clients/client.js';
import { formatTitle } from './conversation-title.js';
import type { PermissionRules } from './permission-rules/permission-rules.js';
import type { PermissionPlace, PermissionsStore } from './permissions-store.js';
import type { TurnRow } from './turns-store.js';

const TOOL_MAX_CHARS = 200;
const TARGET_MAX_CHARS = 10_000;

type Answer = (decision: Decision) => void;

/**
 * Manages permission requests of agents, which only the operator may decide. A request is durable before it is
 * published, and ends with exactly one decision: the operator's, or `deny` after its timeout, at the end of its turn or
 * after a daemon restart. `allow_always` makes a rule.
 */
export class Permissions {
  private readonly open = new Map<string, Answer>();
  private findUnattendedSeconds: (turn: string) => number | undefined = () => undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly store: PermissionsStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly rules: PermissionRules,
    private readonly findMember: (conv: string) => string | null,
  ) {}

  /** `find` returns how long a request waits in a turn that nobody attends; undefined for one that somebody does. */
  setUnattended(find: (turn: string) => number | undefined): void {
    this.findUnattendedSeconds = find;
  }

  /** Returns the open requests of a conversation, oldest first. */
  waiting(conv: string): Permission[] {
    return this.store.listByConversation(conv);
  }

  /**
   * Returns a page of the open requests of all conversations, oldest first. Throws `bad_request` for an invalid cursor.
   */
  list({ limit = LIST_LIMIT_DEFAULT, cursor }: PageQuery): PermissionList {
    const rows = this.store.listWaiting(getPlace(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? `${last.created_ms}.${last.seq}` : null;
    return {
      permissions: page.map(({ permission }) => ({ ...permission, title: formatTitle(permission) })),
      count: page.length,
      next_cursor,
    };
  }

  /** Denies the open requests of a turn that has ended. */
  putDenied(transaction: Transaction, turn: string, decidedBy: 'deadline' | 'restart'): void {
    this.store.putDenied(transaction, turn, decidedBy);
  }

  /** Returns the rule that allows the request, and counts its use. */
  async findRule(turn: TurnRow, question: PermissionQuestion): Promise<boolean> {
    const rule = this.rules.findFor(turn, question);
    if (rule === undefined) return false;
    await this.transactions.run((transaction) => this.rules.putUse(transaction, rule));
    return true;
  }

  /**
   * Stores a request. `answer` resolves with its decision; `hasExpired` is true when there was no decision in time.
   * Publishes `turn.permission`.
   */
  putQuestion(
    transaction: Transaction,
    asking: TurnRow,
    question: PermissionQuestion,
    signal: AbortSignal,
  ): { answer: Promise<{ decision: Decision; hasExpired: boolean }> } {
    const { conv, turn, profile } = asking;
    const seconds =
      profile === 'outside' ? OUTSIDE_PERMISSION_SECONDS : (this.findUnattendedSeconds(turn) ?? PERMISSION_SECONDS);
    const now = this.clock.now();
    const { tool, target, reason, detail = null } = question;
    const permission = this.store.put(
      transaction,
      {
        ...{ pid: newPermissionId(), conv, turn },
        tool: tool.slice(0, TOOL_MAX_CHARS),
        target: target.slice(0, TARGET_MAX_CHARS),
        reason: reason.slice(0, TARGET_MAX_CHARS),
        detail: detail && JSON.stringify(detail),
        created_ms: now,
        expires_ms: now + seconds * 1000,
      },
      { member: this.findMember(conv), profile },
    );
    const answer = new Promise<{ decision: Decision; hasExpired: boolean }>((resolve) => {
      transaction.afterCommit(() => {
        // Registers before publishing, since the decision may arrive at once.
        void this.waitForDecision(permission, seconds, signal).then(resolve);
        this.bus.publish('turn.permission', { conv, turn, permission });
      });
    });
    return { answer };
  }

  private waitForDecision(
    permission: Permission,
    seconds: number,
    signal: AbortSignal,
  ): Promise<{ decision: Decision; hasExpired: boolean }> {
    const { pid } = permission;
    return new Promise((resolve) => {
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
  }

  /**
   * Records the operator's decision, and the rule of an `allow_always`; durable when it resolves. Throws `not_found` for a
   * request that does not exist in this conversation, is already decided, or has expired, and `bad_request` for a rule
   * that the request does not offer.
   */
  async decide(conv: string, pid: string, { decision, always }: DecidePermission): Promise<Permission> {
    const permission = this.store.find(pid);
    const answer = this.open.get(pid);
    if (!permission || permission.conv !== conv || permission.decision !== null || !answer) {
      throw dead();
    }
    if (always && decision !== 'allow_always')
      throw new MeshError('bad_request', '`always` goes with the decision `allow_always` only.', {
        details: { path: 'always' },
      });
    const putRule = decision === 'allow_always' ? this.rules.prepare(permission, always) : undefined;
    if (!(await this.record(permission, decision, 'operator', putRule))) throw dead();
    answer(decision);
    return { ...permission, decision, decided_by: 'operator' };
  }

  /** Returns false when the request has been decided meanwhile. */
  private async expire(permission: Permission): Promise<boolean> {
    // If the denial cannot be stored, it applies all the same. The end of the turn records it.
    return this.record(permission, 'deny', 'deadline').catch(() => true);
  }

  /** Records the first decision. Returns false, and publishes nothing, for any later one. */
  private record(
    permission: Permission,
    decision: Decision,
    decidedBy: NonNullable<Permission['decided_by']>,
    putRule?: (transaction: Transaction) => void,
  ): Promise<boolean> {
    const { conv, turn, pid } = permission;
    return this.transactions.run((transaction) => {
      if (!this.store.putDecision(transaction, pid, decision, decidedBy)) return false;
      putRule?.(transaction);
      const decided = { ...permission, decision, decided_by: decidedBy };
      transaction.afterCommit(() => {
        this.bus.publish('turn.permission', { conv, turn, permission: decided });
        this.bus.publish('conversation.updated', { conv });
      });
      return true;
    });
  }
}

const dead = () => new MeshError('not_found', 'There is no such question, or it has been answered already.');

function getPlace(cursor: string | undefined): PermissionPlace | undefined {
  if (cursor === undefined) return undefined;
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (!match)
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  return { created_ms: Number(match[1]), seq: Number(match[2]) };
}
