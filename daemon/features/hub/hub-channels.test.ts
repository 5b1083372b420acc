import { describe, expect, it } from 'vitest';
import {
  CHANNEL_MEMBERS_MAX,
  CHANNELS_MAX,
  type Channel,
  type ChannelList,
  CONTACTS_MAX,
  type ContactList,
  type Inbox,
  PAYLOAD_LIMIT,
} from '../../contract/network/hub.js';
import { type Agent, anAgent } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';

async function twoAgents() {
  const app = await hubApp();
  return { app, lamp: await anAgent(app, 'lamp-agent'), horn: await anAgent(app, 'Horn-Agent') };
}

const inbox = async (agent: Agent): Promise<Inbox> => (await agent.call('GET', '/agents/messages')).body;
const getSeq = (app: HubApp, id: string) =>
  (app.database.sql('SELECT seq FROM hub_agents WHERE agent_id = ?').get(id) as { seq: number }).seq;

describe('Hub channels', () => {
  const make = async (agent: Agent, body: object): Promise<Channel> =>
    ((await agent.call('POST', '/agents/channels', body)).body as { channel: Channel }).channel;

  it('creates a channel with 201 and its creator as the first member', async () => {
    const { app, lamp } = await twoAgents();
    const reply = await lamp.call('POST', '/agents/channels', { id: 'harbour', name: 'The harbour' });
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        channel: {
          id: 'harbour',
          name: 'The harbour',
          members: ['lamp-agent'],
          created_at: Math.floor(app.clock.now() / 1000),
        },
      },
    ]);
  });

  it.each([
    ['Harbour Lights!', 'harbour-lights'],
    ['Größe 1', 'gro-e-1'],
    ['日本', 'channel'],
    ['x', 'x'],
  ])('derives from the name %s the id %s, and numbers the id for the next channel of that name', async (name, id) => {
    const { lamp } = await twoAgents();
    expect((await make(lamp, { name })).id).toBe(id);
    expect((await make(lamp, { name })).id).toBe(`${id}-2`);
  });

  it('responds 409 slug_taken to an id in use and 400 to a malformed id', async () => {
    const { lamp, horn } = await twoAgents();
    await make(lamp, { id: 'harbour', name: 'x' });
    expect(await horn.call('POST', '/agents/channels', { id: 'harbour', name: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'slug_taken' },
    });
    for (const body of [
      { id: 'Harbour', name: 'x' },
      { id: '-x', name: 'x' },
      { name: '' },
      { name: 'x'.repeat(81) },
      {},
    ]) {
      expect((await lamp.call('POST', '/agents/channels', body)).status).toBe(400);
    }
  });

  it('joins and leaves idempotently, and deletes the channel with its last member', async () => {
    const { lamp, horn } = await twoAgents();
    const { id } = await make(lamp, { name: 'Harbour' });
    for (const _ of [1, 2]) {
      expect(await horn.call('POST', `/agents/channels/${id}/join`)).toMatchObject({ status: 200, body: { ok: true } });
    }
    expect((await horn.call('GET', '/agents/channels')).body).toMatchObject({
      channels: [{ members: ['lamp-agent', 'Horn-Agent'] }],
      count: 1,
    });
    for (const _ of [1, 2]) {
      expect(await lamp.call('POST', `/agents/channels/${id}/leave`)).toMatchObject({
        status: 200,
        body: { ok: true },
      });
    }
    expect((await horn.call('GET', '/agents/channels')).body).toMatchObject({
      channels: [{ members: ['Horn-Agent'] }],
    });
    await horn.call('POST', `/agents/channels/${id}/leave`);
    expect((await horn.call('GET', '/agents/channels')).body).toEqual({ channels: [], count: 0, next_cursor: null });
    for (const verb of ['join', 'leave'])
      expect((await horn.call('POST', `/agents/channels/${id}/${verb}`)).status).toBe(404);
  });

  it('delivers a message to all other members and responds 403 to a sender that has not joined', async () => {
    const { app, lamp, horn } = await twoAgents();
    const bell = await anAgent(app, 'bell-agent');
    const { id } = await make(lamp, { name: 'Harbour' });
    await horn.call('POST', `/agents/channels/${id}/join`);
    const sent = (await lamp.call('POST', `/agents/channels/${id}/send`, { payload: { fog: true } })).body;
    expect(sent).toEqual({ message_id: expect.any(String), delivered: 0 });
    expect((await inbox(horn)).messages).toMatchObject([
      { msg_type: 'channel_message', from: 'lamp-agent', to: id, room_id: id, payload: { fog: true } },
    ]);
    expect((await inbox(lamp)).messages).toEqual([]);
    expect((await inbox(bell)).messages).toEqual([]);
    expect(await bell.call('POST', `/agents/channels/${id}/send`, { payload: 1 })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
    expect((await bell.call('POST', '/agents/channels/nothing/send', { payload: 1 })).status).toBe(404);
    expect(
      (await lamp.call('POST', `/agents/channels/${id}/send`, { payload: 'x'.repeat(PAYLOAD_LIMIT) })).status,
    ).toBe(413);
  });

  it('lists all channels page by page', async () => {
    const { lamp } = await twoAgents();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(lamp, { name });
    const met: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: ChannelList = (await lamp.call('GET', `/agents/channels?limit=2${cursor && `&cursor=${cursor}`}`))
        .body;
      expect(page.count).toBe(page.channels.length);
      met.push(...page.channels.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(met).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await lamp.call('GET', '/agents/channels?cursor=x')).status).toBe(400);
  });

  it('responds 409 limit_reached beyond 1,000 channels and beyond 256 members of a channel', async () => {
    const { app, lamp, horn } = await twoAgents();
    const { id } = await make(lamp, { name: 'full' });
    await app.database.write(() => {
      for (let i = 1; i < CHANNELS_MAX; i += 1)
        app.database.sql("INSERT INTO hub_channels (id, name, created_ms) VALUES (?, 'x', 0)").run(`c-${i}`);
      app.database
        .sql(
          `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms)
           WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'a' || i, 'a' || i, 'r' || i, x'00', '[]', 0, 0 FROM n`,
        )
        .run(CHANNEL_MEMBERS_MAX - 1);
      app.database
        .sql(
          'INSERT INTO hub_channel_members (channel, agent, joined_ms) SELECT (SELECT seq FROM hub_channels ' +
            "WHERE id = 'full'), seq, 0 FROM hub_agents WHERE registered_ms = 0",
        )
        .run();
    });
    expect(await lamp.call('POST', '/agents/channels', { name: 'one more' })).toMatchObject({
      status: 409,
      body: { error: 'limit_reached' },
    });
    expect(await horn.call('POST', `/agents/channels/${id}/join`)).toMatchObject({
      status: 409,
      body: { error: 'limit_reached' },
    });
    expect((await lamp.call('POST', `/agents/channels/${id}/join`)).status).toBe(200);
  });
});

describe('Hub contacts', () => {
  it('adds, lists and removes contacts', async () => {
    const { app, lamp, horn } = await twoAgents();
    for (const _ of [1, 2]) {
      expect(await lamp.call('PUT', '/agents/contacts/HORN-agent')).toMatchObject({ status: 200, body: { ok: true } });
    }
    expect((await lamp.call('GET', '/agents/contacts')).body).toEqual({
      contacts: [{ agent_id: 'Horn-Agent', online: true, added_at: Math.floor(app.clock.now() / 1000) }],
      count: 1,
      next_cursor: null,
    });
    const none = { contacts: [], count: 0, next_cursor: null };
    expect((await horn.call('GET', '/agents/contacts')).body).toEqual(none);
    await horn.call('POST', '/agents/me/state', { availability: { now: false } });
    expect((await lamp.call('GET', '/agents/contacts')).body).toMatchObject({ contacts: [{ online: false }] });
    for (const _ of [1, 2]) {
      expect(await lamp.call('DELETE', '/agents/contacts/horn-agent')).toMatchObject({
        status: 200,
        body: { ok: true },
      });
    }
    expect((await lamp.call('GET', '/agents/contacts')).body).toEqual(none);
    expect((await lamp.call('PUT', '/agents/contacts/nobody')).status).toBe(404);
  });

  it('lists contacts page by page, in the order in which they were added', async () => {
    const { app, lamp } = await twoAgents();
    for (const id of ['cape', 'buoy', 'anchor']) await anAgent(app, id);
    for (const id of ['buoy', 'horn-agent', 'anchor', 'cape']) await lamp.call('PUT', `/agents/contacts/${id}`);
    const get = async (query: string): Promise<ContactList> =>
      (await lamp.call('GET', `/agents/contacts?limit=3${query}`)).body;
    const first = await get('');
    const last = await get(`&cursor=${first.next_cursor}`);
    expect([first, last].map(({ contacts }) => contacts.map(({ agent_id }) => agent_id))).toEqual([
      ['buoy', 'Horn-Agent', 'anchor'],
      ['cape'],
    ]);
    expect([first.count, last.count, last.next_cursor]).toEqual([3, 1, null]);
    expect((await lamp.call('GET', '/agents/contacts?cursor=x')).status).toBe(400);
  });

  it('responds 409 limit_reached beyond 1,000 contacts', async () => {
    const { app, lamp } = await twoAgents();
    await app.database.write(() => {
      app.database
        .sql(
          `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms)
           WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'a' || i, 'a' || i, 'r' || i, x'00', '[]', 0, 0 FROM n`,
        )
        .run(CONTACTS_MAX);
      app.database
        .sql(
          'INSERT INTO hub_contacts (owner, contact, added_ms) SELECT ?, seq, 0 FROM hub_agents WHERE ' +
            'registered_ms = 0',
        )
        .run(getSeq(app, 'lamp-agent'));
    });
    expect(await lamp.call('PUT', '/agents/contacts/horn-agent')).toMatchObject({
      status: 409,
      body: { error: 'limit_reached' },
    });
  });
});
