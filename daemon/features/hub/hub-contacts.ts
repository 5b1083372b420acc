import { CONTACTS_MAX, type ContactList } from '../../contract/network/hub.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { HubContactsStore } from './hub-contacts-store.js';
import { type HubCaller, type HubDirectory, notRegistered, registrationOver } from './hub-directory.js';
import type { HubStore } from './hub-store.js';

/**
 * The contacts of each agent. An agent's live sockets are notified when one of its contacts comes online or goes
 * offline. Contract: Hub.
 */
export class HubContacts {
  constructor(
    private readonly store: HubContactsStore,
    private readonly agents: HubStore,
    private readonly directory: HubDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `unauthorized`, `not_found` for an id that is not registered, `limit_reached` beyond 1,000
   * contacts. Idempotent.
   */
  add(caller: HubCaller, agentId: string): Promise<void> {
    const owner = this.directory.of(caller);
    const contact = this.directory.get(agentId);
    return this.store.write(() => {
      if (!this.agents.stands(owner.seq)) throw registrationOver();
      if (!this.agents.stands(contact.seq)) throw notRegistered();
      if (this.store.count(owner.seq) >= CONTACTS_MAX && !this.store.has(owner.seq, contact.seq)) {
        throw new MeshError('limit_reached', `An agent has at most ${CONTACTS_MAX} contacts.`);
      }
      this.store.add(owner.seq, contact.seq, this.clock.now());
    });
  }

  /** Throws `unauthorized`. Does nothing when the agent is not a contact. */
  async remove(caller: HubCaller, agentId: string): Promise<void> {
    const owner = this.directory.of(caller);
    const contact = this.directory.find(agentId);
    if (contact) await this.store.write(() => this.store.remove(owner.seq, contact.seq));
  }

  /** Returns the contacts in the order in which they were added. Throws `unauthorized`. */
  list(caller: HubCaller): ContactList {
    const contacts = this.store.list(this.directory.of(caller).seq).map(({ agent_id, added_ms }) => {
      const registration = this.directory.find(agent_id);
      return {
        agent_id,
        online: registration !== undefined && this.directory.isOnline(registration),
        added_at: Math.floor(added_ms / 1000),
      };
    });
    return { contacts, count: contacts.length };
  }

  /** Ids of the agents that have `agentId` as a contact. */
  listOwners(agentId: string): string[] {
    const registration = this.directory.find(agentId);
    return registration ? this.store.listOwners(registration.seq) : [];
  }
}
