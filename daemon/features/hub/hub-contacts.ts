import type { HubContact } from '../../contract/commands/hub.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { ContactList } from '../../contract/network/hub.js';
import type { PageQuery } from '../../contract/shared/paging.js';
import { parseSequenceCursor } from '../../lib/sequence-cursor.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { HubContactsStore } from './hub-contacts-store.js';
import type { HubCaller, HubDirectory } from './hub-directory.js';

/**
 * The contacts of each agent. An agent's live sockets are notified when one of its contacts comes online or goes
 * offline. Contract: Hub.
 */
export class HubContacts {
  constructor(
    private readonly store: HubContactsStore,
    private readonly log: SharedLog,
    private readonly directory: HubDirectory,
  ) {}

  /**
   * Throws `unauthorized`, `not_found` for an id that is not registered, `limit_reached` beyond 1,000
   * contacts. Idempotent.
   */
  async add(caller: HubCaller, agentId: string): Promise<void> {
    const owner = this.directory.of(caller);
    const contact = this.directory.get(agentId);
    await this.submit('add', contact.agent_id, { agent: owner.seq, contact: contact.seq });
  }

  /** Throws `unauthorized`. Does nothing when the agent is not a contact. */
  async remove(caller: HubCaller, agentId: string): Promise<void> {
    const owner = this.directory.of(caller);
    const contact = this.directory.find(agentId);
    if (contact) await this.submit('remove', contact.agent_id, { agent: owner.seq, contact: contact.seq });
  }

  /**
   * Returns a page of the contacts in the order in which they were added. Throws `unauthorized`, and `bad_request` for
   * an invalid cursor.
   */
  list(caller: HubCaller, { limit = LIST_LIMIT_DEFAULT, cursor }: PageQuery = {}): ContactList {
    const rows = this.store.list(this.directory.of(caller).seq, parseSequenceCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const contacts = page.map(({ agent_id, added_ms }) => {
      const registration = this.directory.find(agent_id);
      return {
        agent_id,
        online: registration !== undefined && this.directory.isOnline(registration),
        added_at: Math.floor(added_ms / 1000),
      };
    });
    return { contacts, count: contacts.length, next_cursor: rows.length > limit ? String(page.at(-1)?.place) : null };
  }

  /** Ids of the agents that have `agentId` as a contact. */
  listOwners(agentId: string): string[] {
    const registration = this.directory.find(agentId);
    return registration ? this.store.listOwners(registration.seq) : [];
  }

  private async submit(verb: 'add' | 'remove', contactId: string, body: HubContact): Promise<void> {
    await this.log.submit<void>(`hub.contact-${verb}`, contactId, body);
  }
}
