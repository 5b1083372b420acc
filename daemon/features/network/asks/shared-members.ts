import {
  NETWORK_CARDS_BYTES_MAX,
  NETWORK_CARDS_MAX,
  type NetworkShown,
} from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import type { JsonStore } from '../../../storage/files/json-store.js';
import type { NetworkFile } from '../network-settings.js';
import type { ReachableMembers } from './reachable-members.js';

interface SharedMembersParts {
  settings: JsonStore<NetworkFile>;
  /** The name of the project. */
  project: string;
}

const CLOSED: ReachableMembers = {
  findCard: () => undefined,
  requireShareable: () => undefined,
  accept: async () => {
    throw new MeshError('overloaded', 'The daemon is starting: ask again in a moment.');
  },
  async *follow() {},
  read: async () => ({ error: { code: 'overloaded', message: 'The daemon is starting.' } }),
  cancel: async () => undefined,
};

/**
 * The members of this daemon that the operator shares with its network. Being exposed to programs of this machine does
 * not share a member: others see and may ask what the operator named, until it is exposed no more or the network is
 * left.
 */
export class SharedMembers {
  reachable: ReachableMembers = CLOSED;
  private announce: () => void = () => undefined;

  constructor(private readonly parts: SharedMembersParts) {}

  /** Sets the members, and what announces their changes to the network. */
  setReachable(reachable: ReachableMembers, announce: () => void): void {
    this.reachable = reachable;
    this.announce = announce;
  }

  isShared(member: string): boolean {
    return this.parts.settings.data.shared.includes(member);
  }

  /** What others see of this daemon. */
  show(): NetworkShown {
    const { settings, project } = this.parts;
    const { shared } = settings.data;
    const shown: NetworkShown = {
      project: [...project].slice(0, 50).join(''),
      cards: shared.flatMap((member) => this.reachable.findCard(member) ?? []),
    };
    while (Buffer.byteLength(JSON.stringify(shown)) > NETWORK_CARDS_BYTES_MAX) shown.cards.pop();
    return shown;
  }

  /**
   * Shares a member with the network. Durable when it resolves. Throws `not_found` in no network, `limit_reached`, and
   * `not_exposed` or `forbidden` for a member that cannot be shared.
   */
  async share(member: string): Promise<void> {
    this.reachable.requireShareable(member);
    await this.update((shared) => {
      if (!shared.includes(member) && shared.length >= NETWORK_CARDS_MAX)
        throw new MeshError(
          'limit_reached',
          `${NETWORK_CARDS_MAX} members are shared already: stop sharing one first.`,
        );
      return [...new Set([...shared, member])];
    });
  }

  /** Ends sharing a member; also asks under way get no answer then. Throws `not_found` in no network. */
  async unshare(member: string): Promise<void> {
    await this.update((shared) => shared.filter((one) => one !== member));
  }

  /** Announces a change of a shared member. */
  refresh(member: string): void {
    if (this.isShared(member)) this.announce();
  }

  /** Ends sharing a member that is exposed no more: a later file of its name may be another member. */
  async forget(member: string): Promise<void> {
    if (this.isShared(member)) await this.unshare(member);
  }

  private async update(change: (shared: readonly string[]) => string[]): Promise<void> {
    await this.parts.settings.update(({ joined, shared }) => {
      if (!joined)
        throw new MeshError('not_found', 'This daemon is in no network: join one first (meshd network join).');
      return { joined, shared: change(shared) };
    });
    this.announce();
  }
}
