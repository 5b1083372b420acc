import type { PermissionRule, RuleOffer } from '../../../contract/permissions.js';
import { isoTime } from '../../../lib/time/clock.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transaction } from '../../../storage/database/transaction.js';

const LISTED_MAX = 1_000;

interface RuleRow {
  rule: string;
  match: RuleOffer['match'];
  value: string;
  tool: string;
  conv: string;
  /** Null: the rule holds in its conversation only. */
  member: string | null;
  created_ms: number;
}

interface UsedRuleRow extends RuleRow {
  uses: number;
  last_used_ms: number | null;
  title: string;
  asked_by: string | null;
}

/** Earlier versions stored rules for other programs' turns too. They count no longer. */
const LISTED = `SELECT permission_rules.*, conversations.title, conversations.member AS asked_by
  FROM permission_rules JOIN conversations USING (conv) WHERE profile = 'operator'`;

/** Stores the operator's permission rules durably. */
export class RulesStore {
  constructor(private readonly database: Database) {}

  /** Returns the newest rules first, at most 1,000. */
  list(): PermissionRule[] {
    const rows = this.database.sql(`${LISTED} ORDER BY created_ms DESC, rule LIMIT ?`).all(LISTED_MAX);
    return (rows as UsedRuleRow[]).map(toRule);
  }

  find(rule: string): PermissionRule | undefined {
    const row = this.database.sql(`${LISTED} AND rule = ?`).get(rule) as UsedRuleRow | undefined;
    return row && toRule(row);
  }

  listFor(conv: string, member: string | null): (RuleOffer & { rule: string })[] {
    return this.database
      .sql(
        `SELECT rule, match, value FROM permission_rules
         WHERE ((member IS NULL AND conv = ?) OR member = ?) AND profile = 'operator'`,
      )
      .all(conv, member) as (RuleOffer & { rule: string })[];
  }

  /** Returns the members that have rules. */
  listMembers(): string[] {
    const rows = this.database.sql('SELECT DISTINCT member FROM permission_rules WHERE member IS NOT NULL').all();
    return (rows as { member: string }[]).map(({ member }) => member);
  }

  put(transaction: Transaction, rule: RuleRow): void {
    transaction
      .sql(
        `INSERT INTO permission_rules (rule, match, value, tool, conv, member, profile, created_ms)
         VALUES (@rule, @match, @value, @tool, @conv, @member, 'operator', @created_ms)`,
      )
      .run(rule);
  }

  putUse(transaction: Transaction, rule: string, nowMs: number): void {
    transaction.sql('UPDATE permission_rules SET uses = uses + 1, last_used_ms = ? WHERE rule = ?').run(nowMs, rule);
  }

  remove(transaction: Transaction, rule: string): void {
    transaction.sql('DELETE FROM permission_rules WHERE rule = ?').run(rule);
  }

  removeOfMember(transaction: Transaction, member: string): void {
    transaction.sql('DELETE FROM permission_rules WHERE member = ?').run(member);
  }
}

function toRule({ rule, match, value, tool, conv, title, ...row }: UsedRuleRow): PermissionRule {
  return {
    ...{ rule, match, value, tool },
    scope: row.member === null ? 'conversation' : 'member',
    ...{ conv, title },
    member: row.member ?? row.asked_by,
    created_at: isoTime(row.created_ms),
    uses: row.uses,
    last_used_at: row.last_used_ms === null ? null : isoTime(row.last_used_ms),
  };
}
