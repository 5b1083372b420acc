import type { Decision, Permission, WaitingPermission } from '../../contract/conversations.js';
import type { PermissionDetail } from '../../contract/permissions.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { listOffers } from './permission-rules/rule-match.js';
import type { TurnRow } from './turns-store.js';

interface PermissionRow extends Scope {
  pid: string;
  conv: string;
  turn: string;
  tool: string;
  target: string;
  reason: string;
  /** JSON of a `PermissionDetail`. */
  detail: string | null;
  created_ms: number;
  expires_ms: number;
  decision: Decision | null;
  decided_by: Permission['decided_by'];
}

type NewPermissionRow = Omit<PermissionRow, 'decision' | 'decided_by' | keyof Scope>;

/** What decides where a rule can hold. */
interface Scope {
  member: string | null;
  profile: TurnRow['profile'];
}

/** Permission requests with the member and profile that ask. A turn row lives as long as its conversation. */
const WITH_SCOPE = `SELECT permissions.*, conversations.member, turns.profile
  FROM permissions JOIN conversations USING (conv) JOIN turns USING (turn)`;

/** The position of a permission request among the open ones, oldest first. */
export interface PermissionPlace {
  created_ms: number;
  seq: number;
}

/** An open permission request with its conversation. */
interface WaitingRow extends PermissionPlace {
  permission: WaitingPermission;
}

/** Stores permission requests of agents durably. */
export class PermissionsStore {
  constructor(private readonly database: Database) {}

  find(pid: string): Permission | undefined {
    const row = this.database.sql(`${WITH_SCOPE} WHERE pid = ?`).get(pid) as PermissionRow | undefined;
    return row && toPermission(row);
  }

  /** Returns the open requests of a conversation, oldest first. */
  listByConversation(conv: string): Permission[] {
    const rows = this.database
      .sql(
        `${WITH_SCOPE} WHERE permissions.conv = ? AND decision IS NULL
         ORDER BY permissions.created_ms, permissions.rowid`,
      )
      .all(conv);
    return (rows as PermissionRow[]).map(toPermission);
  }

  /** Returns the open requests of all conversations after `after`, oldest first. */
  listWaiting(after: PermissionPlace | undefined, limit: number): WaitingRow[] {
    const rows = this.database
      .sql(
        `SELECT permissions.*, permissions.rowid AS seq, conversations.member, conversations.title, turns.profile
         FROM permissions JOIN conversations USING (conv) JOIN turns USING (turn)
         WHERE permissions.decision IS NULL AND (permissions.created_ms, permissions.rowid) > (?, ?)
         ORDER BY permissions.created_ms, permissions.rowid LIMIT ?`,
      )
      .all(after?.created_ms ?? 0, after?.seq ?? 0, limit) as (PermissionRow & {
      seq: number;
      title: string;
    })[];
    return rows.map(({ seq, title, ...row }) => ({
      seq,
      created_ms: row.created_ms,
      permission: { ...toPermission(row), member: row.member, title, from_outside: row.profile === 'outside' },
    }));
  }

  put(transaction: Transaction, permission: NewPermissionRow, scope: Scope): Permission {
    transaction
      .sql(
        `INSERT INTO permissions (pid, conv, turn, tool, target, reason, detail, created_ms, expires_ms)
         VALUES (@pid, @conv, @turn, @tool, @target, @reason, @detail, @created_ms, @expires_ms)`,
      )
      .run(permission);
    return toPermission({ ...permission, ...scope, decision: null, decided_by: null });
  }

  /** Stores the decision on a request. Returns false when it was already decided. */
  putDecision(
    transaction: Transaction,
    pid: string,
    decision: Decision,
    decidedBy: NonNullable<Permission['decided_by']>,
  ): boolean {
    return (
      transaction
        .sql('UPDATE permissions SET decision = ?, decided_by = ? WHERE pid = ? AND decision IS NULL')
        .run(decision, decidedBy, pid).changes === 1
    );
  }

  /** Denies all open requests of a turn. */
  putDenied(transaction: Transaction, turn: string, decidedBy: NonNullable<Permission['decided_by']>): void {
    transaction
      .sql("UPDATE permissions SET decision = 'deny', decided_by = ? WHERE turn = ? AND decision IS NULL")
      .run(decidedBy, turn);
  }
}

function toPermission(row: PermissionRow): Permission {
  const { pid, conv, turn, tool, target, reason, member, profile, decision, decided_by } = row;
  const detail = row.detail === null ? null : (JSON.parse(row.detail) as PermissionDetail);
  return {
    ...{ pid, conv, turn, tool, target, reason, detail },
    // What is allowed for another program never outlives its turn.
    always: profile === 'outside' ? [] : listOffers({ tool, target, reason, detail }),
    scopes: profile === 'outside' ? [] : member === null ? ['conversation'] : ['conversation', 'member'],
    created_at: isoTime(row.created_ms),
    expires_at: isoTime(row.expires_ms),
    ...{ decision, decided_by },
  };
}
