import type { Visibility } from '../../contract/clusters.js';
import { NETWORK_ABSENT_MS } from '../../contract/shared/network.js';
import { type MembersMessage, REMOTE_MEMBERS_MAX, type RemoteMember } from '../../contract/shared/peer-frames.js';
import { isHandle } from '../../lib/agents/handle.js';
import type { Clock } from '../../lib/time/clock.js';
import type { DropReason } from '../../shared-log/shared-frames.js';
import type { ClusterHub } from '../clusters/cluster-hub.js';
import type { Connection } from '../clusters/connection.js';

interface Placed {
  member: RemoteMember;
  connection: Connection;
  remove: () => void;
}

/** The members of one daemon in one cluster. */
interface MemberList {
  placed: Map<string, Placed>;
  /** The handles of a whole list that is being received, and its next part. */
  listed: Set<string>;
  next: number;
  heardMs: number;
}

type Cluster = { id: string; visibility: Visibility };

const isSame = (a: RemoteMember, b: RemoteMember) => a.did === b.did && a.masked === b.masked;

/** Who is connected to the other daemons, as these say. A list that is not repeated for a minute is dropped. */
export class RemoteMembers {
  /** By daemon, then by cluster. */
  private readonly peers = new Map<string, Map<string, MemberList>>();

  constructor(
    private readonly hub: Pick<ClusterHub, 'placeRemote'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {}

  /** Takes a list, a part of one or a change. Returns why it was dropped, if it was: then nothing of it is taken. */
  take(peer: string, cluster: Cluster, message: MembersMessage): DropReason | undefined {
    const { part, of, members, gone } = message;
    if (!members.every(({ handle }) => isHandle(handle)) || part > of) return 'form';
    const list = this.listOf(peer, cluster.id);
    // After a lost part, the next whole list is taken.
    if (part > 1 && part !== list.next) return undefined;
    const added = members.filter(({ handle }) => !list.placed.has(handle));
    if (this.count(peer) + added.length > REMOTE_MEMBERS_MAX) return 'rate';
    list.heardMs = this.clock.elapsed();
    list.next = part + 1;
    if (part === 1) list.listed.clear();
    for (const member of members) {
      if (part > 0) list.listed.add(member.handle);
      this.place(list, cluster, member);
    }
    for (const handle of gone) removeFrom(list, handle);
    if (part > 0 && part === of)
      for (const handle of [...list.placed.keys()]) if (!list.listed.has(handle)) removeFrom(list, handle);
    return undefined;
  }

  /** The connection of a handle of the daemon in the cluster. */
  find(peer: string, clusterId: string, handle: string): Connection | undefined {
    return this.peers.get(peer)?.get(clusterId)?.placed.get(handle)?.connection;
  }

  /** Removes the members of one daemon. */
  removePeer(peer: string): void {
    for (const list of this.peers.get(peer)?.values() ?? []) clear(list);
    this.peers.delete(peer);
  }

  removeAll(): void {
    for (const peer of [...this.peers.keys()]) this.removePeer(peer);
  }

  removeStale(): void {
    const sinceMs = this.clock.elapsed() - NETWORK_ABSENT_MS;
    for (const lists of this.peers.values())
      for (const [clusterId, list] of lists) {
        if (list.heardMs > sinceMs) continue;
        clear(list);
        lists.delete(clusterId);
      }
  }

  private place(list: MemberList, cluster: Cluster, member: RemoteMember): void {
    const { handle, did, masked } = member;
    const earlier = list.placed.get(handle);
    // Gone without having been removed: its cluster was deleted, or replaced with all others.
    if (earlier && !earlier.connection.isGone && isSame(earlier.member, member)) return;
    const placed = this.hub.placeRemote(cluster, { handle, did, vis: masked ? 'private' : 'public' });
    // Afterwards, so that the handle stays present.
    earlier?.remove();
    list.placed.set(handle, { member, ...placed });
  }

  private count(peer: string): number {
    let count = 0;
    for (const { placed } of this.peers.get(peer)?.values() ?? []) count += placed.size;
    return count;
  }

  private listOf(peer: string, clusterId: string): MemberList {
    const lists = this.peers.get(peer) ?? new Map<string, MemberList>();
    this.peers.set(peer, lists);
    const list = lists.get(clusterId) ?? { placed: new Map(), listed: new Set(), next: 0, heardMs: 0 };
    lists.set(clusterId, list);
    return list;
  }
}

function removeFrom({ placed }: MemberList, handle: string): void {
  placed.get(handle)?.remove();
  placed.delete(handle);
}

function clear(list: MemberList): void {
  for (const handle of [...list.placed.keys()]) removeFrom(list, handle);
}
