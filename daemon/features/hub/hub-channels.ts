import type { ByHubAgent, CreateChannel } from '../../contract/commands/hub.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Channel, ChannelBody, ChannelList } from '../../contract/network/hub.js';
import type { PageQuery } from '../../contract/shared/paging.js';
import { parseSequenceCursor } from '../../lib/sequence-cursor.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { HubChannelsStore } from './hub-channels-store.js';
import type { HubCaller, HubDirectory } from './hub-directory.js';

/**
 * Channels: named groups of agents that any registered agent may create and join. A channel without members is deleted.
 * Contract: Hub.
 */
export class HubChannels {
  constructor(
    private readonly store: HubChannelsStore,
    private readonly log: SharedLog,
    private readonly directory: HubDirectory,
  ) {}

  /**
   * Creates a channel with the caller as its first member. The id is derived from the name when none is given. Throws
   * `unauthorized`, `slug_taken` for an id that is in use, `limit_reached` beyond 1,000 channels.
   */
  async create(caller: HubCaller, { id, name }: ChannelBody): Promise<Channel> {
    const { seq: agent } = this.directory.of(caller);
    const base = getId(name);
    const body = { agent, name, id: id ?? null, base } satisfies CreateChannel;
    return this.log.submit<Channel>('hub.channel-create', id ?? base, body);
  }

  /** Throws `unauthorized`, `not_found`, `limit_reached` beyond 256 members. Idempotent. */
  async join(caller: HubCaller, id: string): Promise<void> {
    const body = { agent: this.directory.of(caller).seq } satisfies ByHubAgent;
    await this.log.submit<void>('hub.channel-join', id, body);
  }

  /** Throws `unauthorized`, `not_found`. Does nothing when the caller is not a member. */
  async leave(caller: HubCaller, id: string): Promise<void> {
    const body = { agent: this.directory.of(caller).seq } satisfies ByHubAgent;
    await this.log.submit<void>('hub.channel-leave', id, body);
  }

  /** Returns a page of all channels, oldest first. Throws `unauthorized`, and `bad_request` for an invalid cursor. */
  list(caller: HubCaller, { limit = LIST_LIMIT_DEFAULT, cursor }: PageQuery): ChannelList {
    this.directory.of(caller);
    const rows = this.store.list(parseSequenceCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const channels = page.map((row) => this.store.toChannel(row));
    return { channels, count: channels.length, next_cursor: rows.length > limit ? String(page.at(-1)?.seq) : null };
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
