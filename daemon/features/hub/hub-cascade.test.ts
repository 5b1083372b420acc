import { describe, expect, it } from 'vitest';
import type { Channel, HubMessage, Inbox } from '../../contract/network/hub.js';
import { anAgent } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';

type Cell = string | number | Buffer | null;

/** All tables of the hub with their rows, named as in `sqlite_master`. */
function tables(app: HubApp): Map<string, Record<string, Cell>[]> {
  const names = app.database
    .sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'hub%' ORDER BY name")
    .all() as {
    name: string;
  }[];
  return new Map(
    names.map(({ name }) => [name, app.database.sql(`SELECT * FROM ${name}`).all() as Record<string, Cell>[]]),
  );
}

const sizes = (app: HubApp) => Object.fromEntries([...tables(app)].map(([name, rows]) => [name, rows.length]));

/** An agent with rows in every table, and two other agents that stay. */
async function aLife(app: HubApp) {
  const lamp = await anAgent(app, 'lamp-agent', { description: 'Lights', agent_card: { description: 'Lights' } });
  const horn = await anAgent(app, 'horn-agent');
  const bell = await anAgent(app, 'bell-agent');
  await lamp.call('PUT', '/agents/contacts/horn-agent');
  await horn.call('PUT', '/agents/contacts/lamp-agent');
  await horn.call('PUT', '/agents/contacts/bell-agent');
  const { channel } = (await lamp.call('POST', '/agents/channels', { name: 'Harbour' })).body as { channel: Channel };
  await horn.call('POST', `/agents/channels/${channel.id}/join`);
  await bell.call('POST', `/agents/channels/${channel.id}/join`);
  await lamp.call('POST', '/agents/channels', { name: 'Only mine' });
  await lamp.call('POST', `/agents/channels/${channel.id}/send`, { payload: 'from lamp' });
  await horn.call('POST', `/agents/channels/${channel.id}/send`, { payload: 'from horn' });
  for (const [from, to] of [
    [lamp, 'horn-agent'],
    [horn, 'lamp-agent'],
    [horn, 'lamp-agent'],
    [horn, 'bell-agent'],
    [bell, 'horn-agent'],
  ] as const) {
    await from.call('POST', '/agents/messages', { to, payload: `${from.id} to ${to}` });
  }
  await lamp.call('GET', '/agents/messages?limit=1');
  await horn.call('GET', '/agents/messages?limit=1');
  await bell.call('GET', '/agents/messages?limit=1');
  await lamp.call('GET', '/agents/messages?limit=1');
  await horn.call('POST', '/agents/messages', { to: 'lamp-agent', payload: 'not read' });
  return { lamp, horn, bell, channel };
}

describe('DELETE /agents/me', () => {
  it('removes the agent from every table: registry, polling agents, inbox, message log, channel memberships, contacts', async () => {
    const app = await hubApp();
    const { lamp } = await aLife(app);
    const before = tables(app);
    const seq = before.get('hub_agents')?.find(({ agent_id }) => agent_id === 'lamp-agent')?.['seq'];
    const referring = (rows: Map<string, Record<string, Cell>[]>) =>
      [...rows].flatMap(([name, all]) => {
        const references = app.database
          .sql(`SELECT "from" AS "column" FROM pragma_foreign_key_list(?) WHERE "table" = 'hub_agents'`)
          .all(name);
        const columns = (references as { column: string }[]).map(({ column }) => column);
        return all.filter((row) => columns.some((column) => row[column] === seq)).map(() => name);
      });
    // The test is only meaningful if the agent was present in every table before.
    expect(new Set(referring(before))).toEqual(
      new Set([
        'hub_watermarks',
        'hub_polling_agents',
        'hub_channel_members',
        'hub_messages',
        'hub_inbox',
        'hub_receipts',
        'hub_contacts',
      ]),
    );
    expect((await lamp.call('DELETE', '/agents/me')).status).toBe(200);
    const after = tables(app);
    expect(referring(after)).toEqual([]);
    const named = [...after].flatMap(([name, rows]) =>
      rows
        .filter((row) => Object.values(row).some((cell) => String(cell).toLowerCase().includes('lamp-agent')))
        .map(() => name),
    );
    expect(named).toEqual([]);
    expect(app.database.sql('PRAGMA foreign_key_check').all()).toEqual([]);
  });

  it('leaves the data of other agents unchanged', async () => {
    const app = await hubApp();
    const { lamp, horn, bell, channel } = await aLife(app);
    await lamp.call('DELETE', '/agents/me');
    expect(sizes(app)).toMatchObject({
      hub_agents: 2,
      hub_channels: 1,
      hub_channel_members: 2,
      hub_contacts: 1,
      hub_messages: 3,
    });
    const history = (await horn.call('GET', '/agents/messages/bell-agent/history')).body as HubMessage[];
    expect(history.map(({ payload }) => payload)).toEqual(['bell-agent to horn-agent', 'horn-agent to bell-agent']);
    expect((await bell.call('GET', '/agents/channels')).body).toMatchObject({
      channels: [{ id: channel.id, members: ['horn-agent', 'bell-agent'] }],
    });
    expect((await horn.call('GET', '/agents/contacts')).body).toMatchObject({
      contacts: [{ agent_id: 'bell-agent' }],
      count: 1,
    });
    const inbox = (await bell.call('GET', '/agents/messages')).body as Inbox;
    expect(inbox.messages.map(({ payload }) => payload)).toEqual(['from horn', 'horn-agent to bell-agent']);
  });

  it('gives a later owner of the id no data of the previous registration', async () => {
    const app = await hubApp();
    const { lamp, horn } = await aLife(app);
    const room = (
      (await horn.call('POST', '/agents/messages', { to: 'lamp-agent', payload: 1 })).body as { room_id: string }
    ).room_id;
    await lamp.call('DELETE', '/agents/me');
    const anew = await anAgent(app, 'lamp-agent');
    expect((await anew.call('GET', '/agents/messages')).body).toMatchObject({ messages: [], receipts: [] });
    expect((await anew.call('GET', '/agents/messages/horn-agent/history')).body).toEqual([]);
    expect((await horn.call('GET', '/agents/messages/lamp-agent/history')).body).toEqual([]);
    expect((await anew.call('GET', '/agents/contacts')).body).toMatchObject({ count: 0 });
    expect((await anew.call('POST', '/agents/channels/harbour/send', { payload: 1 })).status).toBe(403);
    const sent = (await horn.call('POST', '/agents/messages', { to: 'lamp-agent', payload: 2 })).body as {
      room_id: string;
    };
    expect(sent.room_id).not.toBe(room);
  });
});
