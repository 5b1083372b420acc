import type { Decision, Permission, WaitingPermission } from '../../contract/conversations.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { TurnRow } from './turns-store.js';

interface PermissionRow {
  pid: string;
  conv: string;
  turn: string;
  tool: string;
  target: string;
  reason: string;
  created_ms: number;
  expires_ms: number;
  decision: Decision | null;
  decided_by: Permission['decided_by'];
}

type NewPermissionRow = Omit<PermissionRow, 'decision' | 'decided_by'>;

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
    const row = this.database.sql('SELECT * FROM permissions WHERE pid = ?').get(pid) as PermissionRow | undefined;
    return row && toPermission(row);
  }

  /** Returns the open requests of a conversation, oldest first. */
  listByConversation(conv: string): Permission[] {
    const rows = this.database
      .sql('SELECT * FROM permissions WHERE conv = ? AND decision IS NULL ORDER BY created_ms, rowid')
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
      member: string | null;
      title: string;
      profile: TurnRow['profile'];
    })[];
    return rows.map(({ seq, member, title, profile, ...row }) => ({
      seq,
      created_ms: row.created_ms,
      permission: { ...toPermission(row), member, title, from_outside: profile === 'outside' },
    }));
  }

  /** Whether the operator always allowed this tool in the conversation. Outside asks count only their own decisions. */
  isAlwaysAllowed(conv: string, tool: string, profile: TurnRow['profile']): boolean {
    return (
      this.database
        .sql(
          `SELECT 1 FROM permissions JOIN turns USING (turn)
           WHERE permissions.conv = ? AND tool = ? AND decision = 'allow_always' AND (? = 'operator' OR profile = 'outside') LIMIT 1`,
        )
        .get(conv, tool, profile) !== undefined
    );
  }

  put(transaction: Transaction, permission: NewPermissionRow): Permission {
    transaction
      .sql(
        `INSERT INTO permissions (pid, conv, turn, tool, target, reason, created_ms, expires_ms)
         VALUES (@pid, @conv, @turn, @tool, @target, @reason, @created_ms, @expires_ms)`,
      )
      .run(permission);
    return toPermission({ ...permission, decision: null, decided_by: null });
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

function toPermission({ created_ms, expires_ms, ...row }: PermissionRow): Permission {
  return { ...row, created_at: isoTime(created_ms), expires_at: isoTime(expires_ms) };
}
