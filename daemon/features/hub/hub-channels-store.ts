import type { Channel } from '../../contract/network/hub.js';
import { MeshError } from '../../lib/errors.js';
import type { Database } from '../../storage/database/database.js';

interface ChannelRow {
  seq: number;
  id: string;
  name: string;
  created_ms: number;
}

/**
 * Channels and their members. Agents are referenced by the `seq` of their rows. Methods that write must be called only
 * by deciders of commands.
 */
export class HubChannelsStore {
  constructor(private readonly database: Database) {}

  count(): number {
    return (this.database.sql('SELECT count(*) AS n FROM hub_channels').get() as { n: number }).n;
  }

  find(id: string): ChannelRow | undefined {
    return this.database.sql('SELECT seq, id, name, created_ms FROM hub_channels WHERE id = ?').get(id) as
      | ChannelRow
      | undefined;
  }

  /** The id of a channel by its number. */
  findId(seq: number): string | undefined {
    return this.database.sql('SELECT id FROM hub_channels WHERE seq = ?').pluck().get(seq) as string | undefined;
  }

  /** Like `find`, but throws `not_found`. */
  get(id: string): ChannelRow {
    const channel = this.find(id);
    if (!channel) throw new MeshError('not_found', 'There is no such channel.');
    return channel;
  }

  insert(id: string, name: string, nowMs: number): number {
    return Number(
      this.database.sql('INSERT INTO hub_channels (id, name, created_ms) VALUES (?, ?, ?)').run(id, name, nowMs)
        .lastInsertRowid,
    );
  }

  /** A page of channels with a `seq` above `afterSeq`. */
  list(afterSeq: number, limit: number): ChannelRow[] {
    return this.database
      .sql('SELECT seq, id, name, created_ms FROM hub_channels WHERE seq > ? ORDER BY seq LIMIT ?')
      .all(afterSeq, limit) as ChannelRow[];
  }

  /** Ids of the channel's members, in the order in which they joined. */
  listMembers(channel: number): string[] {
    const rows = this.database
      .sql(
        'SELECT agent_id FROM hub_channel_members JOIN hub_agents ON agent = seq WHERE channel = ? ORDER BY ' +
          'hub_channel_members.rowid',
      )
      .all(channel) as { agent_id: string }[];
    return rows.map(({ agent_id }) => agent_id);
  }

  isMember(channel: number, agent: number): boolean {
    return (
      this.database.sql('SELECT 1 FROM hub_channel_members WHERE channel = ? AND agent = ?').get(channel, agent) !==
      undefined
    );
  }

  countMembers(channel: number): number {
    return (
      this.database.sql('SELECT count(*) AS n FROM hub_channel_members WHERE channel = ?').get(channel) as { n: number }
    ).n;
  }

  addMember(channel: number, agent: number, nowMs: number): void {
    this.database
      .sql('INSERT OR IGNORE INTO hub_channel_members (channel, agent, joined_ms) VALUES (?, ?, ?)')
      .run(channel, agent, nowMs);
  }

  /** Removes the member, and also the channel when it has no members left. */
  removeMember(channel: number, agent: number): void {
    this.database.sql('DELETE FROM hub_channel_members WHERE channel = ? AND agent = ?').run(channel, agent);
    if (this.countMembers(channel) === 0) this.database.sql('DELETE FROM hub_channels WHERE seq = ?').run(channel);
  }

  toChannel({ seq, id, name, created_ms }: ChannelRow): Channel {
    return { id, name, members: this.listMembers(seq), created_at: Math.floor(created_ms / 1000) };
  }
}
