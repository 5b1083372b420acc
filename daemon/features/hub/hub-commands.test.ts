import { describe, expect, it } from 'vitest';
import type { Registration } from '../../contract/network/hub.js';
import type { Command } from '../../shared-log/shared-log.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { expectFirstWins, expectSameOnReplicas, type KindsOver } from '../../testing/replica.js';
import { HubChannelsStore } from './hub-channels-store.js';
import { HubCommands } from './hub-commands.js';
import { HubContactsStore } from './hub-contacts-store.js';
import { HubMessagesStore } from './hub-messages-store.js';
import { HubStore } from './hub-store.js';
import { HubTalkCommands } from './hub-talk-commands.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

const kindsOver: KindsOver = (database) => {
  const agents = new HubStore(database);
  const stores = {
    channels: new HubChannelsStore(database),
    contacts: new HubContactsStore(database),
    messages: new HubMessagesStore(database),
  };
  return { ...new HubCommands(agents).kinds, ...new HubTalkCommands({ agents, ...stores }).kinds };
};

async function joined(app: HubApp, agent_id: string, card?: object) {
  const body = { agent_id, capabilities: ['talk'], ...(card && { agent_card: card }) };
  const { token, api_key } = (await app.call('POST', '/agents/register', body)).body as Registration;
  const as = { authorization: `Bearer ${token}` };
  const send = (method: string, path: string, given?: unknown) => app.call(method, path, given, as);
  return { agent_id, api_key, send };
}

describe('commands of the hub', () => {
  it('leave the same rows on every replica, refusals, inboxes, old messages and cascades included', async () => {
    const app = await hubApp();
    const ada = await joined(app, 'Ada');
    const bob = await joined(app, 'bob', { description: 'Bob.', availability: { now: false } });
    const eve = await joined(app, 'eve');
    await app.call('POST', '/agents/register', { agent_id: 'ADA', capabilities: [] });
    await ada.send('PATCH', '/agents/me', { capabilities: ['talk', 'sing'], agent_card: { tags: ['song'] } });
    await ada.send('POST', '/agents/me/state', { availability: { now: false } });
    await app.call('POST', '/agents/token', { agent_id: 'bob', api_key: bob.api_key });
    await ada.send('PUT', '/agents/contacts/bob');
    await ada.send('PUT', '/agents/contacts/eve');
    await ada.send('DELETE', '/agents/contacts/eve');
    for (const name of ['Harbour', 'Harbour']) await ada.send('POST', '/agents/channels', { name });
    await bob.send('POST', '/agents/channels', { id: 'harbour', name: 'Again' });
    await bob.send('POST', '/agents/channels/harbour/join');
    await eve.send('POST', '/agents/channels/harbour/join');
    await eve.send('POST', '/agents/channels/harbour/leave');
    await ada.send('POST', '/agents/channels/harbour/send', { payload: { text: 'Light is on.' } });
    for (const [from, to] of [
      [ada, 'bob'],
      [bob, 'Ada'],
      [eve, 'bob'],
    ] as const)
      await from.send('POST', '/agents/messages', { to, payload: [from.agent_id] });
    await bob.send('GET', '/agents/messages?limit=2');
    await bob.send('POST', '/agents/messages/ack', { ids: [1, 2, 3, 4] });
    await ada.send('GET', '/agents/messages');
    await eve.send('DELETE', '/agents/me');
    await app.clock.advance(2 * MINUTE);
    await app.clock.advance(8 * DAY);
    await expect.poll(() => app.database.sql('SELECT count(*) FROM hub_messages').pluck().get()).toBe(0);

    const outcomes = await expectSameOnReplicas(app, kindsOver);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.code]));
    expect(refused).toEqual(['agent_id_claimed', 'slug_taken']);
    expect([...new Set(app.commands.map(({ kind }) => kind))].sort()).toEqual(
      Object.keys(kindsOver(app.database))
        .filter((kind) => kind !== 'hub.delivered')
        .sort(),
    );
    expect(JSON.stringify(app.commands)).not.toContain(ada.api_key);
  });

  it('give an agent id, and the id of a channel, to the first of two senders', async () => {
    const app = await hubApp();
    await Promise.all(
      ['Ada', 'ada'].map((agent_id) => app.call('POST', '/agents/register', { agent_id, capabilities: [agent_id] })),
    );
    const racing = app.commands.filter(({ kind }) => kind === 'hub.register') as [Command, Command];
    await expectFirstWins(racing, kindsOver, 'agent_id_claimed');
    const bob = await joined(app, 'bob');
    const before = [...app.commands];
    await Promise.all(['Quay', 'Pier'].map((name) => bob.send('POST', '/agents/channels', { id: 'quay', name })));
    await expectFirstWins(app.commands.slice(before.length) as [Command, Command], kindsOver, 'slug_taken', before);
  });
});
