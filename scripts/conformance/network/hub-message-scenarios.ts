import { newId } from './http-client.js';
import { HubAgent } from './hub-client.js';
import { epochSeconds, expectLike, holding, integer, refusal, type Scenario, text, without } from './scenario.js';

async function two(url: string): Promise<[HubAgent, HubAgent]> {
  return [await HubAgent.register(url), await HubAgent.register(url)];
}

/** Creates a channel of two members and returns its id. */
async function openChannel(owner: HubAgent, other: HubAgent): Promise<string> {
  const { channel } = await owner.expect(201, 'POST', '/agents/channels', { body: { name: 'Harbour' } });
  await other.expect(200, 'POST', `/agents/channels/${channel.id}/join`, {}, { ok: true });
  return channel.id;
}

export const HUB_MESSAGES: readonly Scenario[] = [
  {
    title: 'POST /agents/messages {to, payload} answers {message_id, room_id, delivered}',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const like = { message_id: text, room_id: text, delivered: false };
      for (const payload of ['Fog.', { level: 3 }, ['fog'], null, 0])
        await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload } }, like);
    },
  },
  {
    title: 'GET /agents/messages returns _id, _message_id, msg_type, from, to, room_id, payload and ts, and consumes',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const body = { to: horn.id, payload: { level: 3 } };
      const { message_id, room_id } = await lamp.expect(200, 'POST', '/agents/messages', { body });
      const like = { _id: integer, _message_id: message_id, msg_type: 'message', from: lamp.id, to: horn.id, room_id };
      const message = { ...like, payload: { level: 3 }, ts: epochSeconds };
      await horn.expect(200, 'GET', '/agents/messages', {}, { messages: [message] });
      await horn.expect(200, 'GET', '/agents/messages', {}, { messages: [] });
    },
  },
  {
    title: 'GET /agents/messages?since_id=N peeks, and next_since_id goes on from there',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      for (const payload of [1, 2])
        await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload } });
      const both = { messages: [{ payload: 1 }, { payload: 2 }], next_since_id: integer };
      const { messages, next_since_id } = await horn.expect(200, 'GET', '/agents/messages?since_id=0', {}, both);
      await horn.expect(200, 'GET', '/agents/messages?since_id=0', {}, both);
      const second = { messages: [{ payload: 2 }] };
      await horn.expect(200, 'GET', `/agents/messages?since_id=${messages[0]._id}`, {}, second);
      await horn.expect(200, 'GET', `/agents/messages?since_id=${next_since_id}`, {}, { messages: [] });
    },
  },
  {
    title: 'POST /agents/messages/ack {ids} takes _ids and answers {ok, acked}',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      for (const payload of [1, 2])
        await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload } });
      const { messages } = await horn.expect(200, 'GET', '/agents/messages?since_id=0');
      const body = { ids: [messages[0]._id] };
      await horn.expect(200, 'POST', '/agents/messages/ack', { body }, { ok: true, acked: 1 });
      await horn.expect(200, 'GET', '/agents/messages', {}, { messages: [{ payload: 2 }] });
    },
  },
  {
    title: 'GET /agents/messages/<peer>/history is a bare array, pages with limit and before, and holds both sides',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload: 'Fog?' } });
      await horn.expect(200, 'POST', '/agents/messages', { body: { to: lamp.id, payload: 'Fog.' } });
      for (const [agent, peer] of [[lamp, horn] as const, [horn, lamp] as const]) {
        const rows = holding({ from: lamp.id, payload: 'Fog?' }, { from: horn.id, payload: 'Fog.' });
        await agent.expect(200, 'GET', `/agents/messages/${peer.id}/history`, {}, rows);
      }
      const [last] = await lamp.expect(200, 'GET', `/agents/messages/${horn.id}/history?limit=1`, {}, [
        { _id: integer },
      ]);
      const earlier = [{ payload: 'Fog?' }];
      await lamp.expect(200, 'GET', `/agents/messages/${horn.id}/history?before=${last._id}`, {}, earlier);
    },
  },
  {
    title: 'The room of two peers is one, whoever writes first',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const { room_id } = await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload: 1 } });
      await horn.expect(200, 'POST', '/agents/messages', { body: { to: lamp.id, payload: 2 } }, { room_id });
    },
  },
  {
    title: 'A message to an agent that is not registered is 404; without a token 401',
    async check({ url }) {
      const [lamp] = await two(url);
      const body = { to: newId('lamp'), payload: 1 };
      await lamp.expect(404, 'POST', '/agents/messages', { body }, refusal('not_found'));
      const { status } = await lamp.send('GET', '/agents/messages', { headers: { authorization: 'Bearer none' } });
      expectLike('the status without a token', status, 401);
    },
  },
  {
    title: 'A payload has at most 64 KiB: 413 too_large',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const body = { to: horn.id, payload: 'x'.repeat(65_536) };
      await lamp.expect(413, 'POST', '/agents/messages', { body }, refusal('too_large'));
      await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload: 'x'.repeat(65_000) } });
    },
  },
  {
    title: 'POST /agents/channels answers 201 {channel: {id, name, members, created_at}}; id may be left out',
    async check({ url }) {
      const [lamp] = await two(url);
      const channel = { id: text, name: 'Harbour', members: [lamp.id], created_at: epochSeconds };
      await lamp.expect(201, 'POST', '/agents/channels', { body: { name: 'Harbour' } }, { channel });
      const id = newId('channel');
      await lamp.expect(201, 'POST', '/agents/channels', { body: { id, name: 'Pier' } }, { channel: { id } });
    },
  },
  {
    title: 'Joining and leaving a channel answer {ok: true}; GET /agents/channels is {channels, count}',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const id = await openChannel(lamp, horn);
      const members = holding(lamp.id, horn.id);
      await horn.expect(200, 'GET', '/agents/channels', {}, { channels: holding({ id, members }), count: integer });
      await horn.expect(200, 'POST', `/agents/channels/${id}/leave`, {}, { ok: true });
      const { channels } = await lamp.expect(200, 'GET', '/agents/channels', {}, { channels: holding({ id }) });
      expectLike('the channels', channels, without({ id, members: holding(horn.id) }));
    },
  },
  {
    title: 'Joining needs no body, and an empty one does not harm',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const { channel } = await lamp.expect(201, 'POST', '/agents/channels', { body: { name: 'Harbour' } });
      await horn.expect(200, 'POST', `/agents/channels/${channel.id}/join`, { body: {} }, { ok: true });
      await horn.expect(200, 'POST', `/agents/channels/${channel.id}/join`, {}, { ok: true });
    },
  },
  {
    title: 'A channel message answers {message_id, delivered}; its rows carry msg_type "channel_message"',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const id = await openChannel(lamp, horn);
      const like = { message_id: text, delivered: integer };
      await lamp.expect(200, 'POST', `/agents/channels/${id}/send`, { body: { payload: 'Fog.' } }, like);
      const row = { msg_type: 'channel_message', from: lamp.id, room_id: id, payload: 'Fog.' };
      await horn.expect(200, 'GET', '/agents/messages', {}, { messages: [row] });
      await lamp.expect(200, 'GET', '/agents/messages', {}, { messages: [] });
    },
  },
  {
    title: 'Contacts are put, listed as {contacts, count} and deleted with {ok: true}',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      await lamp.expect(200, 'PUT', `/agents/contacts/${horn.id}`, {}, { ok: true });
      const like = { contacts: holding({ agent_id: horn.id }), count: 1 };
      await lamp.expect(200, 'GET', '/agents/contacts', {}, like);
      await lamp.expect(200, 'DELETE', `/agents/contacts/${horn.id}`, {}, { ok: true });
      await lamp.expect(200, 'GET', '/agents/contacts', {}, { contacts: [], count: 0 });
    },
  },
  {
    title: 'The cascade on delete covers the inbox, the message log, channel memberships and contacts',
    async check({ url }) {
      const [lamp, horn] = await two(url);
      const id = await openChannel(lamp, horn);
      await lamp.expect(200, 'PUT', `/agents/contacts/${horn.id}`);
      await lamp.expect(200, 'POST', '/agents/messages', { body: { to: horn.id, payload: 1 } });
      await horn.expect(200, 'DELETE', '/agents/me');
      await lamp.expect(200, 'GET', '/agents/contacts', {}, { contacts: [] });
      await lamp.expect(200, 'GET', '/agents/channels', {}, { channels: holding({ id, members: [lamp.id] }) });
      const again = await HubAgent.register(url, horn.id);
      await again.expect(200, 'GET', '/agents/messages', {}, { messages: [] });
      await again.expect(200, 'GET', `/agents/messages/${lamp.id}/history`, {}, []);
    },
  },
];
