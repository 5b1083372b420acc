import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  CHANNEL_MEMBERS_MAX,
  CHANNELS_MAX,
  type Channel,
  type ChannelBody,
  type ChannelList,
  type ChannelsQuery,
} from '../../contract/network/hub.js';
import { freeId } from '../../lib/agents/member-id.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { ChannelRow, HubChannelsStore } from './hub-channels-store.js';
import { seqOfCursor } from './hub-cursor.js';
import { type HubCaller, type HubDirectory, registrationOver } from './hub-directory.js';
import type { HubStore } from './hub-store.js';

/**
 * Channels: named groups of agents that any registered agent may create and join. A channel without members is deleted.
 * Contract: Hub.
 */
export class HubChannels {
  constructor(
    private readonly store: HubChannelsStore,
    private readonly agents: HubStore,
    private readonly directory: HubDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a channel with the caller as its first member. The id is derived from the name when none is given. Throws
   * `unauthorized`, `slug_taken` for an id that is in use, `limit_reached` beyond 1,000 channels.
   */
  create(caller: HubCaller, { id, name }: ChannelBody): Promise<Channel> {
    const { seq } = this.directory.of(caller);
    return this.store.write(() => {
      this.mustStand(seq);
      if (this.store.count() >= CHANNELS_MAX)
        throw new MeshError('limit_reached', `The hub holds at most ${CHANNELS_MAX} channels.`);
      if (id !== undefined && this.store.find(id)) {
        throw new MeshError('slug_taken', `There is a channel "${id}" already: join it or choose another id.`, {
          details: { path: 'id' },
        });
      }
      const channel = id ?? freeId(getId(name), (one) => this.store.find(one) !== undefined);
      this.store.addMember(this.store.insert(channel, name, this.clock.now()), seq, this.clock.now());
      return this.store.toChannel(this.get(channel));
    });
  }

  /** Throws `unauthorized`, `not_found`, `limit_reached` beyond 256 members. Idempotent. */
  join(caller: HubCaller, id: string): Promise<void> {
    const { seq } = this.directory.of(caller);
    return this.store.write(() => {
      this.mustStand(seq);
      const channel = this.get(id);
      if (this.store.isMember(channel.seq, seq)) return;
      if (this.store.countMembers(channel.seq) >= CHANNEL_MEMBERS_MAX) {
        throw new MeshError('limit_reached', `A channel has at most ${CHANNEL_MEMBERS_MAX} members.`);
      }
      this.store.addMember(channel.seq, seq, this.clock.now());
    });
  }

  /** Throws `unauthorized`, `not_found`. Does nothing when the caller is not a member. */
  leave(caller: HubCaller, id: string): Promise<void> {
    const { seq } = this.directory.of(caller);
    return this.store.write(() => this.store.removeMember(this.get(id).seq, seq));
  }

  /** Returns a page of all channels, oldest first. Throws `unauthorized`, and `bad_request` for an invalid cursor. */
  list(caller: HubCaller, { limit = LIST_LIMIT_DEFAULT, cursor }: ChannelsQuery): ChannelList {
    this.directory.of(caller);
    const rows = this.store.list(seqOfCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const channels = page.map((row) => this.store.toChannel(row));
    return { channels, count: channels.length, next_cursor: rows.length > limit ? String(page.at(-1)?.seq) : null };
  }

  private get(id: string): ChannelRow {
    const channel = this.store.find(id);
    if (!channel) throw new MeshError('not_found', 'There is no such channel.');
    return channel;
  }

  private mustStand(seq: number): void {
    if (!this.agents.stands(seq)) throw registrationOver();
  }
}

/** Derives an id from a name: `Harbour lights` becomes `harbour-lights`. */
function getId(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.join('-') ?? 'channel';
}
