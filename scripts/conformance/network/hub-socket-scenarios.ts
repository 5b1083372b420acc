import { expectRefusedUpgrade, FrameSocket } from './frame-socket.js';
import { newId } from './http-client.js';
import { HubAgent } from './hub-client.js';
import { epochSeconds, expectLike, holding, refusal, type Scenario, text } from './scenario.js';

/** Two agents, each with a live socket. */
async function pair(url: string) {
  const [lamp, horn] = [await HubAgent.register(url), await HubAgent.register(url)];
  return { lamp, horn, own: await lamp.live(), peer: await horn.live() };
}

const ERROR = { msg_type: 'error', error: text, message: text, payload: { detail: text } };

export const HUB_SOCKET: readonly Scenario[] = [
  {
    title: 'The live socket is /agents/ws?token=, alias /ws?token=',
    async check({ url }) {
      const lamp = await HubAgent.register(url);
      for (const path of ['/agents/ws', '/ws']) await (await lamp.live(path)).close();
    },
  },
  {
    title: 'The token may stand in the header Authorization: Bearer, and an unknown query parameter is ignored',
    async check({ url }) {
      const lamp = await HubAgent.register(url);
      const headers = { authorization: `Bearer ${lamp.token}` };
      await (await FrameSocket.open(url, '/agents/ws?v=2&client=old', headers)).close();
    },
  },
  {
    title: 'Without a valid token the socket never opens: 401',
    async check({ url }) {
      await expectRefusedUpgrade(url, '/agents/ws', 401);
      await expectRefusedUpgrade(url, '/ws?token=x.y.z', 401);
    },
  },
  {
    title: 'A plain GET of a socket route is 426 upgrade_required with the usual body',
    async check({ url }) {
      const lamp = await HubAgent.register(url);
      for (const path of ['/agents/ws', '/ws'])
        await lamp.expect(426, 'GET', `${path}?token=${lamp.token}`, {}, refusal('upgrade_required'));
    },
  },
  ...(['msg_type', 'type'] as const).flatMap((name): Scenario[] => [
    {
      title: `connect_to {to}, named by ${name}: both peers get room_created {room_id, from, to, peers}`,
      async check({ url }) {
        const { lamp, horn, own, peer } = await pair(url);
        own.say({ [name]: 'connect_to', to: horn.id });
        const peers = holding(lamp.id, horn.id);
        const like = { msg_type: 'room_created', room_id: text, from: lamp.id, to: horn.id, peers };
        const { room_id } = await own.find(like);
        await peer.find({ ...like, room_id });
      },
    },
    {
      title: `send {to, payload} without room_id, named by ${name}: room_created comes before the first message`,
      async check({ url }) {
        const { lamp, horn, own, peer } = await pair(url);
        own.say({ [name]: 'send', to: horn.id, payload: { text: 'Fog.' } });
        const { room_id } = await peer.next({ msg_type: 'room_created' });
        const like = { msg_type: 'message', from: lamp.id, to: horn.id, room_id, payload: { text: 'Fog.' } };
        await peer.next({ ...like, ts: epochSeconds, _message_id: text });
      },
    },
  ]),
  {
    title: 'msg_type is the name on the wire: it wins where a frame of an older client carries a type of its own',
    async check({ url }) {
      const { horn, own, peer } = await pair(url);
      own.say({ msg_type: 'send', type: 'chat', to: horn.id, payload: 1 });
      await peer.find({ msg_type: 'message', payload: 1 });
    },
  },
  {
    title: 'Unknown members such as ts are ignored on sockets of strangers',
    async check({ url }) {
      const { lamp, horn, own, peer } = await pair(url);
      own.say({ msg_type: 'connect_to', to: horn.id, ts: 1, from: 'someone', version: 3 });
      const { room_id } = await own.find({ msg_type: 'room_created' });
      const extra = { ts: 1.5, from: 'someone', _message_id: 'mine', reply_to: null };
      own.say({ msg_type: 'send', to: horn.id, room_id, payload: 'Fog.', ...extra });
      await peer.find({ msg_type: 'message', from: lamp.id, room_id, payload: 'Fog.', ts: epochSeconds });
    },
  },
  {
    title: 'send {to, room_id, payload} answers in the room that the first message made',
    async check({ url }) {
      const { lamp, horn, own, peer } = await pair(url);
      own.say({ msg_type: 'send', to: horn.id, payload: 'Fog?' });
      const { room_id } = await peer.find({ msg_type: 'message', payload: 'Fog?' });
      peer.say({ msg_type: 'send', to: lamp.id, room_id, payload: 'Fog.' });
      await own.find({ msg_type: 'message', from: horn.id, to: lamp.id, room_id, payload: 'Fog.' });
    },
  },
  {
    title: 'What the socket delivered is marked in GET /agents/messages (delivered: true)',
    async check({ url }) {
      const { horn, own, peer } = await pair(url);
      own.say({ msg_type: 'send', to: horn.id, payload: 1 });
      const { _message_id } = await peer.find({ msg_type: 'message' });
      await horn.expect(200, 'GET', '/agents/messages', {}, { messages: [{ _message_id, delivered: true }] });
    },
  },
  {
    title: 'A message sent over REST reaches the live socket of its receiver, and is answered delivered: true',
    async check({ url }) {
      const { lamp, horn, peer } = await pair(url);
      const body = { to: horn.id, payload: 'Fog.' };
      const { message_id } = await lamp.expect(200, 'POST', '/agents/messages', { body }, { delivered: true });
      await peer.find({ msg_type: 'message', _message_id: message_id, payload: 'Fog.' });
    },
  },
  {
    title: 'A channel message reaches the live sockets of its members with msg_type "channel_message"',
    async check({ url }) {
      const { lamp, horn, peer } = await pair(url);
      const { channel } = await lamp.expect(201, 'POST', '/agents/channels', { body: { name: 'Harbour' } });
      await horn.expect(200, 'POST', `/agents/channels/${channel.id}/join`);
      const body = { payload: 'Fog.' };
      await lamp.expect(200, 'POST', `/agents/channels/${channel.id}/send`, { body }, { delivered: 1 });
      await peer.find({ msg_type: 'channel_message', from: lamp.id, room_id: channel.id, payload: 'Fog.' });
    },
  },
  {
    title: 'presence {msg_type, payload: {agent_id, status}, agent_id, online} tells a peer who comes and goes',
    async check({ url }) {
      const { horn, own, peer } = await pair(url);
      own.say({ msg_type: 'connect_to', to: horn.id });
      await peer.find({ msg_type: 'room_created' });
      for (const [now, status] of [
        [false, 'offline'],
        [true, 'online'],
      ] as const) {
        await horn.expect(200, 'POST', '/agents/me/state', { body: { availability: { now } } });
        const payload = { agent_id: horn.id, status };
        await own.find({ msg_type: 'presence', agent_id: horn.id, online: now, payload });
      }
    },
  },
  {
    title: 'A frame that cannot be read is answered by an error frame, and the socket stays open',
    async check({ url }) {
      const { horn, own, peer } = await pair(url);
      for (const frame of ['not JSON', '[]', {}, { msg_type: 'dance' }, { msg_type: 'send', payload: 1 }]) {
        own.say(frame);
        await own.next(ERROR);
      }
      own.say({ msg_type: 'send', to: horn.id, payload: 'Still here.' });
      await peer.find({ msg_type: 'message', payload: 'Still here.' });
    },
  },
  {
    title: 'A frame to an agent that is not registered is answered by an error frame',
    async check({ url }) {
      const { own } = await pair(url);
      for (const frame of [{ msg_type: 'connect_to' }, { msg_type: 'send', payload: 1 }]) {
        own.say({ ...frame, to: newId('lamp') });
        await own.next({ ...ERROR, error: 'not_found' });
      }
    },
  },
  {
    title: 'A payload of 64 KiB is delivered; a frame over 256 KiB closes the socket with 1009 and reaches nobody',
    async check({ url }) {
      const { lamp, horn, own, peer } = await pair(url);
      own.say({ msg_type: 'send', to: horn.id, payload: 'x'.repeat(262_144) });
      expectLike('the close code', await own.closed(), 1009);
      const again = await lamp.live();
      // With its quotes, a text has two bytes more as JSON.
      const largest = 'x'.repeat(65_534);
      again.say({ msg_type: 'send', to: horn.id, payload: largest });
      await peer.next({ msg_type: 'room_created' });
      await peer.next({ msg_type: 'message', payload: largest });
    },
  },
  {
    title: 'Deregistration closes the live sockets: the token is revoked at once (4401)',
    async check({ url }) {
      const { horn, peer } = await pair(url);
      await horn.expect(200, 'DELETE', '/agents/me');
      expectLike('the close code', await peer.closed(), 4401);
      await expectRefusedUpgrade(url, `/agents/ws?token=${horn.token}`, 401);
    },
  },
];
