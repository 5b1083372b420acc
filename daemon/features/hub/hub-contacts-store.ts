import type { Database } from '../../storage/database/database.js';

/**
 * The contacts of each agent. Agents are referenced by the `seq` of their rows. Methods that write must be called only
 * by deciders of commands.
 */
export class HubContactsStore {
  constructor(private readonly database: Database) {}

  add(owner: number, contact: number, nowMs: number): void {
    this.database
      .sql('INSERT OR IGNORE INTO hub_contacts (owner, contact, added_ms) VALUES (?, ?, ?)')
      .run(owner, contact, nowMs);
  }

  remove(owner: number, contact: number): void {
    this.database.sql('DELETE FROM hub_contacts WHERE owner = ? AND contact = ?').run(owner, contact);
  }

  has(owner: number, contact: number): boolean {
    return (
      this.database.sql('SELECT 1 FROM hub_contacts WHERE owner = ? AND contact = ?').get(owner, contact) !== undefined
    );
  }

  count(owner: number): number {
    return (this.database.sql('SELECT count(*) AS n FROM hub_contacts WHERE owner = ?').get(owner) as { n: number }).n;
  }

  /** A page of contacts with a `place` above `after`, in the order in which they were added. */
  list(owner: number, after: number, limit: number): { place: number; agent_id: string; added_ms: number }[] {
    // With the `+`, SQLite looks for the owner and not through the contacts of all agents.
    return this.database
      .sql(
        'SELECT hub_contacts.rowid AS place, agent_id, added_ms FROM hub_contacts JOIN hub_agents ON seq = contact ' +
          'WHERE owner = ? AND +hub_contacts.rowid > ? ORDER BY +hub_contacts.rowid LIMIT ?',
      )
      .all(owner, after, limit) as { place: number; agent_id: string; added_ms: number }[];
  }

  listOwners(contact: number): string[] {
    const rows = this.database
      .sql('SELECT agent_id FROM hub_contacts JOIN hub_agents ON seq = owner WHERE contact = ?')
      .all(contact);
    return (rows as { agent_id: string }[]).map(({ agent_id }) => agent_id);
  }
}
