import type { Visibility } from '../../contract/clusters.js';
import { COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import {
  FramesMessage,
  MEMBERS_PER_MESSAGE,
  MembersMessage,
  type RemoteFrame,
  type RemoteMember,
} from '../../contract/shared/peer-frames.js';
import { FRAME_MAX_DEPTH } from '../../contract/wall.js';
import { parseUntrustedJson } from '../../http/untrusted-json.js';
import { isHandle } from '../../lib/agents/handle.js';
import type { Clock } from '../../lib/time/clock.js';
import { hasForm } from '../../shared-log/has-form.js';
import type { DropReason, FrameListener, SharedFrames } from '../../shared-log/shared-frames.js';
import type { ClusterHub } from '../clusters/cluster-hub.js';
import type { Connection, Member } from '../clusters/connection.js';
import { FramesOf, getTail, type UnaddressedMessage } from './message-frame.js';
import { RemoteMembers } from './remote-members.js';
import type { WallBoards } from './wall-boards.js';

/** Above this size the frames of a cluster are sent at once, without waiting for the end of the event loop tick. */
const GATHER_MAX_BYTES = 256 * 1024;
/** An upper bound of what a frame has beside its payload and recipients, in bytes. */
const FRAME_OVERHEAD_BYTES = 1_024;

interface SharedWallParts {
  frames: SharedFrames;
  hub: ClusterHub;
  boards: WallBoards;
  clock: Clock;
  /** Returns undefined for a cluster that is not there. */
  getVisibility: (clusterId: string) => Visibility | undefined;
}

/** What other daemons are still to be told of one cluster. */
interface Pending {
  frames: RemoteFrame[];
  bytes: number;
  /** Handles of which a connection was opened or closed here. */
  changed: Set<string>;
}

/**
 * The Wall across the daemons of a network: what members here say goes to the others, and what members there say to the
 * sockets here, in the order of each sender. A daemon follows the clusters in which somebody is connected to it.
 * Nothing is stored or logged, and without a network nothing is sent.
 */
export class SharedWall implements FrameListener {
  private readonly members: RemoteMembers;
  private readonly pending = new Map<string, Pending>();
  /** Who others were told is here, by cluster. */
  private readonly told = new Map<string, Map<string, RemoteMember>>();
  private isOpen = false;
  private isScheduled = false;

  constructor(private readonly parts: SharedWallParts) {
    this.members = new RemoteMembers(parts.hub, parts.clock);
    parts.hub.onMemberHere((clusterId, handle) => this.onMemberHere(clusterId, handle));
    parts.frames.listen(this);
  }

  /** Sends what a member here said to whom it concerns elsewhere. */
  say(
    clusterId: string,
    { handle, did, vis }: Member,
    to: string | readonly string[] | null,
    said: UnaddressedMessage,
  ): void {
    const { frames, hub } = this.parts;
    if (!this.isOpen) return;
    const live = hub.find(clusterId);
    const recipients = to === null ? null : [...new Set(typeof to === 'string' ? [to] : to)];
    const elsewhere = recipients?.filter((recipient) => live?.isElsewhere(recipient)) ?? null;
    if (elsewhere?.length === 0) return;
    if (!frames.isReachable) {
      frames.countDropped('overflow');
      return;
    }
    const pending = this.pendingOf(clusterId);
    // Others must know who speaks.
    if (pending.changed.size > 0) this.tellChanges(clusterId, pending);
    const { ts, scope, payload } = said;
    pending.frames.push({ from: handle, did, ghost: vis === 'ghost', to: elsewhere, ts, ...scope, payload });
    pending.bytes += payload.length + FRAME_OVERHEAD_BYTES * (1 + (elsewhere?.length ?? 0) / 4);
    if (pending.bytes >= GATHER_MAX_BYTES) this.sendFrames(clusterId, pending);
    else this.schedule();
  }

  onOpen(): void {
    this.isOpen = true;
    for (const id of this.parts.hub.ids) this.followIfNeeded(id);
  }

  onClose(): void {
    this.isOpen = false;
    this.pending.clear();
    this.told.clear();
    this.members.removeAll();
  }

  onAnnounce(): void {
    this.members.removeStale();
    this.flush();
    for (const id of this.parts.hub.ids) this.announceAllMembers(id);
  }

  onAbsent(peer: string): void {
    this.members.removePeer(peer);
  }

  onPresence(peer: string, id: string, content: unknown): DropReason | undefined {
    if (!hasForm(MembersMessage, content)) return 'form';
    const visibility = this.parts.getVisibility(id);
    return visibility ? this.members.take(peer, { id, visibility }, content as MembersMessage) : 'cluster';
  }

  onFrames(peer: string, id: string, content: unknown): DropReason | undefined {
    if (!hasForm(FramesMessage, content)) return 'form';
    if (!this.parts.getVisibility(id)) return 'cluster';
    for (const frame of (content as FramesMessage).frames) {
      const dropped = this.deliver(peer, id, frame);
      if (dropped !== undefined) this.parts.frames.countDropped(dropped);
    }
    return undefined;
  }

  private deliver(peer: string, id: string, frame: RemoteFrame): DropReason | undefined {
    const live = this.parts.hub.find(id);
    // Whoever was here is gone by now.
    if (!live) return undefined;
    const { from, did, to, ts, payload } = frame;
    if (to !== null && !to.every(isHandle)) return 'form';
    if (!isPayload(payload)) return 'form';
    if (Math.abs(ts * 1000 - this.parts.clock.now()) > COMMAND_CLOCK_MS) return 'clock';
    const sender = this.findSender(peer, id, frame);
    if (!sender) return 'handle';
    const frames = new FramesOf(from, did);
    const tail = getTail({ ts, scope: this.scopeOf(id, frame), payload });
    if (to === null) live.broadcast(sender, (name) => frames.broadcast(name, tail));
    else live.direct(sender, to, (recipient) => frames.direct(recipient, tail));
    return undefined;
  }

  /** A daemon speaks for the members of which it has told, and for ghosts, which have no name of a visible member. */
  private findSender(peer: string, id: string, { from, did, ghost }: RemoteFrame): Connection | undefined {
    const member = this.members.find(peer, id, from);
    if (!ghost) return member;
    if (!isHandle(from) || (!member && this.parts.hub.find(id)?.isVisible(from))) return undefined;
    return this.parts.hub.createGhost(from, did);
  }

  /** The board and the post that the sender's daemon recognized, as far as they are here too. */
  private scopeOf(id: string, { board, ref }: RemoteFrame): UnaddressedMessage['scope'] {
    const { boards } = this.parts;
    return {
      ...(board !== undefined && boards.findBoard(id, board) ? { board } : {}),
      ...(ref !== undefined && boards.hasPost(id, ref) ? { ref } : {}),
    };
  }

  private onMemberHere(clusterId: string, handle: string): void {
    if (!this.isOpen) return;
    this.followIfNeeded(clusterId);
    const pending = this.pendingOf(clusterId);
    // What was said before is said by a member that is there.
    if (pending.frames.length > 0) this.sendFrames(clusterId, pending);
    pending.changed.add(handle);
    this.schedule();
  }

  private followIfNeeded(clusterId: string): void {
    const { hub, frames } = this.parts;
    if ((hub.find(clusterId)?.members.length ?? 0) > 0) frames.follow(clusterId);
    else frames.unfollow(clusterId);
  }

  private pendingOf(clusterId: string): Pending {
    let pending = this.pending.get(clusterId);
    if (!pending) {
      pending = { frames: [], bytes: 0, changed: new Set() };
      this.pending.set(clusterId, pending);
    }
    return pending;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    for (const [clusterId, pending] of this.pending) {
      if (pending.frames.length > 0) this.sendFrames(clusterId, pending);
      if (pending.changed.size > 0) this.tellChanges(clusterId, pending);
    }
    this.pending.clear();
  }

  private sendFrames(clusterId: string, pending: Pending): void {
    const { frames } = pending;
    pending.frames = [];
    pending.bytes = 0;
    this.parts.frames.send('wall', clusterId, { frames } satisfies FramesMessage);
  }

  private tellChanges(clusterId: string, pending: Pending): void {
    const { hub, getVisibility, frames } = this.parts;
    const changed = [...pending.changed];
    pending.changed.clear();
    const told = this.told.get(clusterId) ?? new Map<string, RemoteMember>();
    this.told.set(clusterId, told);
    const members: RemoteMember[] = [];
    const gone: string[] = [];
    for (const handle of changed) {
      const member = hub.find(clusterId)?.memberHere(handle);
      const earlier = told.get(handle);
      if (member) {
        if (earlier?.did === member.did && earlier.masked === member.masked) continue;
        told.set(handle, member);
        members.push(member);
      } else if (told.delete(handle)) gone.push(handle);
    }
    if (told.size === 0) this.told.delete(clusterId);
    // Of a deleted cluster the others know themselves.
    if (getVisibility(clusterId) === undefined) return;
    while (members.length > 0 || gone.length > 0) {
      const part = { members: members.splice(0, MEMBERS_PER_MESSAGE), gone: gone.splice(0, MEMBERS_PER_MESSAGE) };
      frames.send('presence', clusterId, { part: 0, of: 0, ...part } satisfies MembersMessage);
    }
  }

  /** Tells everyone who is here in a cluster, if anybody is. */
  private announceAllMembers(clusterId: string): void {
    const { hub, frames } = this.parts;
    const live = hub.find(clusterId);
    const members = (live?.handlesHere() ?? []).flatMap((handle) => live?.memberHere(handle) ?? []);
    if (members.length === 0) return;
    this.told.set(clusterId, new Map(members.map((member) => [member.handle, member])));
    const of = Math.ceil(members.length / MEMBERS_PER_MESSAGE);
    for (let part = 1; part <= of; part += 1) {
      const some = members.splice(0, MEMBERS_PER_MESSAGE);
      frames.send('presence', clusterId, { part, of, members: some, gone: [] } satisfies MembersMessage);
    }
  }
}

/** Whether the text is JSON that may stand in a frame. */
const isPayload = (text: string): boolean =>
  parseUntrustedJson(Buffer.from(text), { depth: FRAME_MAX_DEPTH }) !== undefined;
