import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SOCKET_FRAME_LIMIT } from '../../contract/limits.js';
import { TOKEN_SECONDS } from '../../contract/network/agents.js';
import {
  type HubServerFrame,
  type Inbox,
  type MessageSent,
  PAYLOAD_LIMIT,
  SOCKETS_MAX,
} from '../../contract/network/hub.js';
import { type Agent, anAgent } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { rawRequest, UPGRADE } from '../../testing/processes/raw-request.js';
import { SocketClient } from '../../testing/processes/socket-client.js';

type Client = SocketClient<HubServerFrame>;

/** Opens a live socket of `agent`. */
async function live(app: HubApp, agent: Agent, path = '/agents/ws'): Promise<Client> {
  const client: Client = new SocketClient(`${app.address.replace('http', 'ws')}${path}?token=${agent.token}`);
  await new Promise((resolve, reject) => {
    client.socket.once('open', resolve);
    client.socket.once('error', reject);
  });
  return client;
}

const say = (client: Client, frame: unknown) =>
  client.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));

async function twoAgents() {
  const app = await hubApp();
  const lamp = await anAgent(app, 'lamp-agent');
  const horn = await anAgent(app, 'Horn-Agent');
  return { app, lamp, horn };
}

describe.each(['/agents/ws', '/ws'])('Live socket at %s', (path) => {
  it('opens with a token in the query or in the header', async () => {
    const { app, lamp } = await twoAgents();
    await live(app, lamp, path);
    const client = new SocketClient(`${app.address.replace('http', 'ws')}${path}`, {
      authorization: `Bearer ${lamp.token}`,
    });
    await new Promise((resolve) => client.socket.once('open', resolve));
    await live(app, lamp, path);
    expect(app.surface.sockets).toBe(3);
  });

  it('responds 401 before the upgrade without a valid token', async () => {
    const { app, lamp, horn } = await twoAgents();
    const port = Number(new URL(app.address).port);
    const attempt = async (query: string, ...headers: string[]) =>
      (await rawRequest(port, [`GET ${path}${query} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...UPGRADE, ...headers]))
        .status;
    expect(await attempt('')).toBe(401);
    expect(await attempt('?token=')).toBe(401);
    expect(await attempt('?token=garbage')).toBe(401);
    expect(await attempt(`?token=${lamp.token}x`)).toBe(401);
    expect(await attempt(`?token=${lamp.token}&token=${lamp.token}`)).toBe(401);
    expect(await attempt(`?token=${lamp.token}`, `Authorization: Bearer ${horn.token}`)).toBe(401);
    expect(await attempt(`?token=${lamp.token}`, `Authorization: Bearer ${lamp.token}`)).toBe(101);
    await lamp.call('DELETE', '/agents/me');
    expect(await attempt(`?token=${lamp.token}`)).toBe(401);
  });

  it('a plain GET of a socket route is 426 upgrade_required with the usual body; it rejects other origins', async () => {
    const { app, lamp } = await twoAgents();
    const port = Number(new URL(app.address).port);
    expect(await app.call('GET', `${path}?token=${lamp.token}`)).toMatchObject({
      status: 426,
      body: { error: 'upgrade_required', message: expect.any(String) },
    });
    expect((await app.call('GET', path)).status).toBe(401);
    const line = [`GET ${path}?token=${lamp.token} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...UPGRADE];
    expect((await rawRequest(port, [...line, 'Origin: https://evil.example'])).status).toBe(403);
  });
});

describe('Message on a live socket', () => {
  it('reaches every socket of its receiver after room_created and stays in the inbox until acknowledged', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [one, two, own] = [await live(app, horn), await live(app, horn), await live(app, lamp)];
    const sent = (await lamp.call('POST', '/agents/messages', { to: 'horn-agent', payload: { n: 1 } }))
      .body as MessageSent;
    expect(sent.delivered).toBe(true);
    const created = {
      type: 'room_created',
      msg_type: 'room_created',
      room_id: sent.room_id,
      from: 'lamp-agent',
      to: 'Horn-Agent',
      peers: ['lamp-agent', 'Horn-Agent'],
    };
    for (const client of [one, two]) {
      expect(await client.next()).toEqual(created);
      expect(await client.next()).toMatchObject({
        type: 'message',
        msg_type: 'message',
        _message_id: sent.message_id,
        payload: { n: 1 },
      });
    }
    expect(await own.next()).toEqual(created);
    await lamp.call('POST', '/agents/messages', { to: 'horn-agent', payload: { n: 2 } });
    const second = await one.next();
    expect(second).toMatchObject({ type: 'message', payload: { n: 2 } });
    const { messages } = (await horn.call('GET', '/agents/messages?since_id=0')).body as Inbox;
    expect(messages.map(({ payload, delivered }) => [payload, delivered])).toEqual([
      [{ n: 1 }, true],
      [{ n: 2 }, true],
    ]);
    const ids = messages.map(({ _id }) => _id);
    expect((await horn.call('POST', '/agents/messages/ack', { ids })).body).toEqual({ ok: true, acked: 2 });
  });

  it('reaches the sockets of channel members, which delivered counts', async () => {
    const { app, lamp, horn } = await twoAgents();
    const bell = await anAgent(app, 'bell-agent');
    await lamp.call('POST', '/agents/channels', { id: 'harbour', name: 'Harbour' });
    for (const agent of [horn, bell]) await agent.call('POST', '/agents/channels/harbour/join');
    const client = await live(app, horn);
    expect((await lamp.call('POST', '/agents/channels/harbour/send', { payload: 'fog' })).body).toMatchObject({
      delivered: 1,
    });
    expect(await client.next()).toMatchObject({
      type: 'message',
      msg_type: 'channel_message',
      to: 'harbour',
      room_id: 'harbour',
      payload: 'fog',
    });
    const inbox = async (agent: typeof horn) =>
      ((await agent.call('GET', '/agents/messages')).body as Inbox).messages.map(({ delivered }) => delivered);
    expect([await inbox(horn), await inbox(bell)]).toEqual([[true], [undefined]]);
  });

  it('is not delivered live when the receiver has no open socket', async () => {
    const { app, lamp, horn } = await twoAgents();
    const client = await live(app, horn);
    client.socket.close();
    await client.closed;
    expect((await lamp.call('POST', '/agents/messages', { to: 'horn-agent', payload: 1 })).body).toMatchObject({
      delivered: false,
    });
    const { messages } = (await horn.call('GET', '/agents/messages')).body as Inbox;
    expect(messages.map(({ delivered }) => delivered)).toEqual([undefined]);
  });
});

describe('Client frame', () => {
  it('sends room_created to both peers for connect_to', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [own, peer] = [await live(app, lamp), await live(app, horn)];
    say(own, { type: 'connect_to', to: 'horn-agent' });
    const created = await own.next();
    expect(created).toMatchObject({ type: 'room_created', peers: ['lamp-agent', 'Horn-Agent'] });
    expect(await peer.next()).toEqual(created);
    say(own, { type: 'connect_to', to: 'horn-agent' });
    expect(await own.next()).toEqual(created);
  });

  it('is read with msg_type or type, and unknown members such as ts are ignored', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [own, peer] = [await live(app, lamp), await live(app, horn)];
    say(own, { msg_type: 'connect_to', to: 'Horn-Agent', ts: 1, from: 'x' });
    expect(await peer.next()).toMatchObject({ type: 'room_created', from: 'lamp-agent', to: 'Horn-Agent' });
    say(own, { msg_type: 'send', to: 'Horn-Agent', payload: 1, ts: 2 });
    say(own, { type: 'send', to: 'Horn-Agent', payload: 2, ts: 3 });
    expect(await peer.next()).toMatchObject({ msg_type: 'message', payload: 1 });
    expect(await peer.next()).toMatchObject({ msg_type: 'message', payload: 2 });
  });

  it('sends the peer room_created and then the messages in order, all of them durable, for send', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [own, peer] = [await live(app, lamp), await live(app, horn)];
    for (let n = 0; n < 50; n += 1) say(own, { type: 'send', to: 'Horn-Agent', payload: n });
    const created = await peer.next();
    expect(created.type).toBe('room_created');
    for (let n = 0; n < 50; n += 1)
      expect(await peer.next()).toMatchObject({ type: 'message', from: 'lamp-agent', payload: n });
    expect(((await horn.call('GET', '/agents/messages')).body as Inbox).messages).toHaveLength(50);
    const { room_id } = created as { room_id: string };
    say(own, { type: 'send', to: 'Horn-Agent', room_id, payload: 'again' });
    expect(await peer.next()).toMatchObject({ type: 'message', room_id, payload: 'again' });
  });

  it.each<[string, unknown, string]>([
    ['no JSON', 'hello', 'bad_request'],
    ['no object', '[]', 'bad_request'],
    ['no type', { to: 'Horn-Agent' }, 'bad_request'],
    ['an unknown type', { type: 'shout', to: 'Horn-Agent' }, 'bad_request'],
    ['no receiver', { type: 'send', payload: 1 }, 'bad_request'],
    ['a receiver that is no id', { type: 'send', to: ['Horn-Agent'], payload: 1 }, 'bad_request'],
    ['nobody as receiver', { type: 'send', to: 'nobody', payload: 1 }, 'not_found'],
    ['no payload', { type: 'send', to: 'Horn-Agent' }, 'bad_request'],
    ['another room', { type: 'send', to: 'Horn-Agent', room_id: 'room-1', payload: 1 }, 'bad_request'],
    ['a room that is no text', { type: 'send', to: 'Horn-Agent', room_id: 1, payload: 1 }, 'bad_request'],
    [
      'too deep a payload',
      `{"type":"send","to":"Horn-Agent","payload":${'['.repeat(40)}${']'.repeat(40)}}`,
      'bad_request',
    ],
  ])('results in an error frame and keeps the socket open with %s', async (_name, frame, error) => {
    const { app, lamp } = await twoAgents();
    const client = await live(app, lamp);
    say(client, frame);
    expect(await client.next()).toEqual({
      type: 'error',
      msg_type: 'error',
      error,
      message: expect.any(String),
      payload: { detail: expect.any(String) },
    });
    say(client, { type: 'connect_to', to: 'Horn-Agent' });
    expect(await client.next()).toMatchObject({ type: 'room_created' });
  });
});

describe('Presence', () => {
  it('is sent to its end, only to agents that have the agent as a contact or a direct thread with it', async () => {
    const { app, lamp, horn } = await twoAgents();
    const bell = await anAgent(app, 'bell-agent');
    const stranger = await anAgent(app, 'a-stranger');
    await lamp.call('PUT', '/agents/contacts/horn-agent');
    const [contact, roommate, other] = [await live(app, lamp), await live(app, bell), await live(app, stranger)];
    say(roommate, { type: 'connect_to', to: 'Horn-Agent' });
    expect((await roommate.next()).type).toBe('room_created');
    await horn.call('POST', '/agents/me/state', { availability: { now: false } });
    const offline = {
      type: 'presence',
      msg_type: 'presence',
      payload: { agent_id: 'Horn-Agent', status: 'offline' },
      agent_id: 'Horn-Agent',
      online: false,
    };
    expect(await contact.next()).toEqual(offline);
    expect(await roommate.next()).toEqual(offline);
    await horn.call('POST', '/agents/me/state', { availability: { now: true } });
    expect(await contact.next()).toEqual({
      ...offline,
      payload: { agent_id: 'Horn-Agent', status: 'online' },
      online: true,
    });
    await horn.call('DELETE', '/agents/me');
    expect(await contact.next()).toEqual(offline);
    expect([await roommate.next(), await roommate.next()]).toEqual([
      expect.objectContaining({ online: true }),
      offline,
    ]);
    say(other, 'x');
    expect(await other.next()).toMatchObject({ type: 'error' });
    expect(other.frames).toHaveLength(1);
  });
});

describe('Live socket closing', () => {
  it('closes all sockets of a deleted registration with 4401 and keeps those of other agents open', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [one, two, other] = [await live(app, lamp), await live(app, lamp, '/ws'), await live(app, horn)];
    await lamp.call('DELETE', '/agents/me');
    expect((await one.closed).code).toBe(4401);
    expect((await two.closed).code).toBe(4401);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
    await anAgent(app, 'lamp-agent');
    expect(app.surface.sockets).toBe(1);
  });

  it('closes with 4401 when the token expires', async () => {
    const { app, lamp } = await twoAgents();
    const client = await live(app, lamp);
    app.clock.step(TOKEN_SECONDS * 1000);
    app.clock.advance(5_000);
    expect((await client.closed).code).toBe(4401);
  });

  it('closes with 1001 when the daemon stops', async () => {
    const { app, lamp } = await twoAgents();
    const client = await live(app, lamp);
    await app.stop();
    expect((await client.closed).code).toBe(1001);
  });

  it('takes every payload that a message over HTTP may have, however its JSON is written, and no larger one', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [client, peer] = [await live(app, lamp), await live(app, horn)];
    const full = 'é'.repeat((PAYLOAD_LIMIT - 2) / 2);
    const body = JSON.stringify({ msg_type: 'send', to: 'Horn-Agent', payload: full });
    const escaped = body.replaceAll('é', '\\u00e9');
    for (const frame of [body, escaped]) {
      say(client, frame);
      expect(await peer.until(({ type }) => type === 'message')).toMatchObject({ payload: full });
    }
    const more = { to: 'Horn-Agent', payload: `${full}x` };
    say(client, { type: 'send', ...more });
    expect(await client.until(({ type }) => type === 'error')).toMatchObject({ error: 'too_large' });
    expect((await lamp.call('POST', '/agents/messages', { ...more, payload: full })).status).toBe(200);
    expect((await lamp.call('POST', '/agents/messages', more)).status).toBe(413);
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('closes with 1009 for a frame over 256 KiB and with 1003 for a binary frame', async () => {
    const { app, lamp } = await twoAgents();
    const [big, binary] = [await live(app, lamp), await live(app, lamp)];
    say(big, 'x'.repeat(SOCKET_FRAME_LIMIT + 1));
    binary.socket.send(Buffer.from('{}'));
    expect((await big.closed).code).toBe(1009);
    expect((await binary.closed).code).toBe(1003);
  });

  it('closes with 1008 when the agent already has 32 sockets', async () => {
    const { app, lamp, horn } = await twoAgents();
    const clients = await Promise.all(Array.from({ length: SOCKETS_MAX }, () => live(app, lamp)));
    expect((await (await live(app, lamp)).closed).code).toBe(1008);
    await live(app, horn);
    clients[0]?.socket.close();
    await clients[0]?.closed;
    await live(app, lamp);
    expect(app.surface.sockets).toBe(SOCKETS_MAX + 1);
  });

  it('closes with 1008 after one error frame when the client exceeds the rate limit', async () => {
    const { app, lamp } = await twoAgents();
    const client = await live(app, lamp);
    const isLimit = (frame: HubServerFrame) => frame.type === 'error' && frame.error === 'too_many_requests';
    for (let i = 0; i < 402; i += 1) say(client, 'x');
    await client.until(isLimit);
    app.clock.advance(1_000);
    expect((await client.closed).code).toBe(1008);
    const errors = client.frames.filter(isLimit);
    expect(errors).toHaveLength(1);
  });

  it('terminates a socket that has missed two pings', async () => {
    const { app, lamp } = await twoAgents();
    const client = await live(app, lamp);
    client.socket.pause();
    for (let i = 0; i < 3; i += 1) app.clock.advance(25_000);
    client.socket.resume();
    expect((await client.closed).code).toBe(1006);
  });

  it('closes a stalled reader that is a megabyte behind with 4408, without delaying the sender and other receivers', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [slow, quick] = [await live(app, horn), await live(app, horn)];
    slow.socket.pause();
    const payload = 'x'.repeat(60_000);
    let taken = 0;
    quick.socket.on('message', () => {
      taken += 1;
    });
    let sent = 0;
    while (app.surface.sockets === 2) {
      const frame = quick.until(({ type }) => type === 'message');
      expect((await lamp.call('POST', '/agents/messages', { to: 'horn-agent', payload })).body).toMatchObject({
        delivered: true,
      });
      await frame;
      sent += 1;
      expect(sent).toBeLessThan(400);
    }
    expect(taken).toBeGreaterThanOrEqual(sent);
    app.clock.advance(25_000);
    slow.socket.resume();
    expect((await slow.closed).code).toBe(4408);
    expect(quick.socket.readyState).toBe(WebSocket.OPEN);
  });
});

it('closes a reader that has stalled for ten seconds with 4408, which it reads once it reads again', async () => {
  const { app, lamp, horn } = await twoAgents();
  const slow = await live(app, horn);
  slow.socket.pause();
  for (let sent = 0; app.surface.queuedBytes === 0; sent += 1) {
    await lamp.call('POST', '/agents/messages', { to: 'horn-agent', payload: 'x'.repeat(60_000) });
    expect(sent).toBeLessThan(400);
  }
  for (let look = 0; look < 3 && app.surface.sockets > 0; look += 1) app.clock.advance(5_000);
  expect(app.surface.sockets).toBe(0);
  app.clock.advance(15_000);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 4408, reason: 'too slow' });
});

it('logs no token from a socket URL', async () => {
  const { app, lamp } = await twoAgents();
  const client = await live(app, lamp);
  say(client, 'x'.repeat(SOCKET_FRAME_LIMIT + 1));
  await client.closed;
  await app.call('GET', `/agents/ws?token=${lamp.token}`);
  const port = Number(new URL(app.address).port);
  await rawRequest(port, [`GET /ws?token=${lamp.token}x HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...UPGRADE]);
  expect(app.log.length).toBeGreaterThan(2);
  expect(app.log.join('\n')).not.toContain(lamp.token.slice(0, 60));
});
