import { describe, expect, it } from 'vitest';
import {
  type HubMessage,
  INBOX_MAX,
  INBOX_RETENTION_DAYS,
  type Inbox,
  type MessageSent,
  PAYLOAD_LIMIT,
} from '../../contract/network/hub.js';
import { type Agent, anAgent } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { FakeClock } from '../../testing/fake-clock.js';

async function twoAgents() {
  const app = await hubApp();
  return { app, lamp: await anAgent(app, 'lamp-agent'), horn: await anAgent(app, 'Horn-Agent') };
}

/** Returns the response body of a request that must succeed. */
async function got<T>(agent: Agent, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await agent.call(method, path, body);
  expect([method, path, reply.status, reply.status < 300 ? '' : reply.text]).toEqual([
    method,
    path,
    expect.any(Number),
    '',
  ]);
  return reply.body;
}

const send = (from: Agent, to: string, payload: unknown) =>
  got<MessageSent>(from, 'POST', '/agents/messages', { to, payload });
const inbox = (agent: Agent, query = '') => got<Inbox>(agent, 'GET', `/agents/messages${query}`);
const payloads = ({ messages }: { messages: HubMessage[] }) => messages.map(({ payload }) => payload);
describe('POST /agents/messages', () => {
  it("returns message_id, room_id and delivered, and puts the message into the receiver's inbox", async () => {
    const { app, lamp, horn } = await twoAgents();
    const sent = await send(lamp, 'horn-agent', { hello: ['world', 1, null] });
    expect(sent).toEqual({
      message_id: expect.stringMatching(/^msg-[\w-]{16}$/),
      room_id: expect.stringMatching(/^room-[0-9a-f]{20}$/),
      delivered: false,
    });
    expect(await inbox(horn)).toEqual({
      messages: [
        {
          _id: expect.any(Number),
          _message_id: sent.message_id,
          msg_type: 'message',
          from: 'lamp-agent',
          to: 'Horn-Agent',
          room_id: sent.room_id,
          payload: { hello: ['world', 1, null] },
          ts: Math.floor(app.clock.now() / 1000),
        },
      ],
      receipts: [],
      next_since_id: expect.any(Number),
    });
    expect((await send(horn, 'lamp-agent', 1)).room_id).toBe(sent.room_id);
  });

  it.each([null, false, 0, '', 'text', [], {}, { a: { b: [{}] } }])(
    'delivers the payload %j unchanged',
    async (payload) => {
      const { lamp, horn } = await twoAgents();
      await send(lamp, 'Horn-Agent', payload);
      expect(payloads(await inbox(horn))).toEqual([payload]);
    },
  );

  it('accepts a payload of 64 KiB and responds 413 to a larger one', async () => {
    const { lamp, horn } = await twoAgents();
    const payload = 'x'.repeat(PAYLOAD_LIMIT - 2);
    expect((await send(lamp, 'Horn-Agent', payload)).message_id).toBeDefined();
    expect(await lamp.call('POST', '/agents/messages', { to: 'Horn-Agent', payload: `${payload}x` })).toMatchObject({
      status: 413,
      body: { error: 'too_large' },
    });
    expect(payloads(await inbox(horn))).toEqual([payload]);
  });

  it.each<[string, object, number]>([
    ['to nobody', { to: 'nobody', payload: 1 }, 404],
    ['without a payload', { to: 'Horn-Agent' }, 400],
    ['without a receiver', { payload: 1 }, 400],
    ['to no id', { to: 'a b', payload: 1 }, 400],
    ['with an unknown key', { to: 'Horn-Agent', payload: 1, from: 'other' }, 400],
  ])('responds with the expected status to a message %s (case %#)', async (_name, body, status) => {
    const { lamp } = await twoAgents();
    expect((await lamp.call('POST', '/agents/messages', body)).status).toBe(status);
  });
});

describe('GET /agents/messages', () => {
  it('consumes the returned messages, oldest first', async () => {
    const { lamp, horn } = await twoAgents();
    for (const payload of [1, 2, 3]) await send(lamp, 'Horn-Agent', payload);
    expect(payloads(await inbox(horn, '?limit=2'))).toEqual([1, 2]);
    expect(payloads(await inbox(horn))).toEqual([3]);
    expect(payloads(await inbox(horn))).toEqual([]);
  });

  it('only reads the messages after since_id when that is given', async () => {
    const { lamp, horn } = await twoAgents();
    for (const payload of [1, 2, 3]) await send(lamp, 'Horn-Agent', payload);
    const first = await inbox(horn, '?since_id=0&limit=2');
    expect(payloads(first)).toEqual([1, 2]);
    const second = await inbox(horn, `?since_id=${first.next_since_id}`);
    expect(payloads(second)).toEqual([3]);
    expect(await inbox(horn, `?since_id=${second.next_since_id}`)).toMatchObject({
      messages: [],
      next_since_id: second.next_since_id,
    });
    expect(payloads(await inbox(horn))).toEqual([1, 2, 3]);
  });

  it('returns each message to exactly one of many concurrent requests', async () => {
    const { app, lamp, horn } = await twoAgents();
    const all = Array.from({ length: 60 }, (_, i) => i);
    await Promise.all(all.map((payload) => send(lamp, 'Horn-Agent', payload)));
    const met = await Promise.all(Array.from({ length: 20 }, () => inbox(horn, '?limit=7')));
    expect(met.flatMap(payloads).sort((a, b) => Number(a) - Number(b))).toEqual(all);
    expect(app.database.sql('SELECT count(*) AS n FROM hub_inbox').get()).toEqual({ n: 0 });
  });

  it("never returns another agent's messages", async () => {
    const { app, lamp } = await twoAgents();
    const bell = await anAgent(app, 'bell-agent');
    const sent = await send(lamp, 'Horn-Agent', 'secret');
    expect(payloads(await inbox(bell, '?since_id=0'))).toEqual([]);
    expect((await bell.call('POST', '/agents/messages/ack', { ids: [1, 2, 3] })).body).toEqual({ ok: true, acked: 0 });
    expect((await bell.call('GET', '/agents/messages/lamp-agent/history')).body).toEqual([]);
    expect(sent.delivered).toBe(false);
  });

  it('returns each read receipt to the sender once', async () => {
    const { app, lamp, horn } = await twoAgents();
    const one = await send(lamp, 'Horn-Agent', 1);
    const two = await send(lamp, 'Horn-Agent', 2);
    expect((await inbox(lamp)).receipts).toEqual([]);
    await inbox(horn, '?limit=1');
    const receipt = { message_id: one.message_id, by: 'Horn-Agent', ts: Math.floor(app.clock.now() / 1000) };
    expect((await inbox(lamp, '?since_id=0')).receipts).toEqual([receipt]);
    expect((await inbox(lamp)).receipts).toEqual([receipt]);
    expect((await inbox(lamp)).receipts).toEqual([]);
    await horn.call('POST', '/agents/messages/ack', { ids: [(await inbox(horn, '?since_id=0')).next_since_id] });
    expect((await inbox(lamp)).receipts).toMatchObject([{ message_id: two.message_id, by: 'Horn-Agent' }]);
  });

  it('keeps messages over a restart, and _id only increases', async () => {
    const clock = new FakeClock();
    const app = await hubApp({ clock });
    const lamp = await anAgent(app, 'lamp-agent');
    await send(lamp, 'lamp-agent', 'before');
    const { next_since_id: last } = await inbox(lamp, '?since_id=0');
    await app.stop();
    const again = await hubApp({ root: app.root, clock });
    const call = (method: string, path: string, body?: unknown) =>
      again.call(method, path, body, { authorization: `Bearer ${lamp.token}` });
    const same: Agent = { ...lamp, call };
    expect(payloads(await inbox(same))).toEqual(['before']);
    again.clock.advance(INBOX_RETENTION_DAYS * 86_400_000);
    await send({ ...lamp, call: (await fresh(again, lamp)).call }, 'lamp-agent', 'after');
    expect((await inbox(await fresh(again, lamp), '?since_id=0')).next_since_id).toBeGreaterThan(last);
  });
});

/** The agent with a newly minted token. */
async function fresh(app: HubApp, agent: Agent): Promise<Agent> {
  const { token } = (await app.call('POST', '/agents/token', { agent_id: agent.id, api_key: agent.apiKey })).body as {
    token: string;
  };
  return {
    ...agent,
    token,
    call: (method, path, body) => app.call(method, path, body, { authorization: `Bearer ${token}` }),
  };
}

describe('POST /agents/messages/ack', () => {
  it('removes messages by _id and returns how many were removed', async () => {
    const { lamp, horn } = await twoAgents();
    for (const payload of [1, 2, 3]) await send(lamp, 'Horn-Agent', payload);
    const ids = (await inbox(horn, '?since_id=0')).messages.map(({ _id }) => _id);
    const ack = async (some: (number | undefined)[]) =>
      (await horn.call('POST', '/agents/messages/ack', { ids: some })).body;
    expect(await ack([ids[0], ids[2], 999_999])).toEqual({ ok: true, acked: 2 });
    expect(await ack([ids[0]])).toEqual({ ok: true, acked: 0 });
    expect(payloads(await inbox(horn))).toEqual([2]);
  });

  it.each([{ ids: [] }, { ids: ['1'] }, { ids: [0] }, {}, { ids: Array.from({ length: 1001 }, (_, i) => i + 1) }])(
    'responds 400 to the invalid body %#',
    async (body) => {
      const { lamp } = await twoAgents();
      expect((await lamp.call('POST', '/agents/messages/ack', body)).status).toBe(400);
    },
  );
});

describe('GET /agents/messages/:peer/history', () => {
  it('returns the messages between the two agents, newest first, in pages, read or unread', async () => {
    const { app, lamp, horn } = await twoAgents();
    await anAgent(app, 'bell-agent');
    for (const payload of [1, 2, 3, 4])
      await send(payload % 2 ? lamp : horn, payload % 2 ? 'Horn-Agent' : 'lamp-agent', payload);
    await send(lamp, 'bell-agent', 'other');
    await inbox(horn);
    const history = async (agent: Agent, peer: string, query = '') =>
      (await agent.call('GET', `/agents/messages/${peer}/history${query}`)).body as HubMessage[];
    const [newest, second] = await history(lamp, 'horn-agent', '?limit=2');
    expect([newest?.payload, second?.payload]).toEqual([4, 3]);
    expect((await history(lamp, 'horn-agent', `?before=${second?._id}`)).map(({ payload }) => payload)).toEqual([2, 1]);
    expect(await history(horn, 'LAMP-agent')).toEqual(await history(lamp, 'Horn-Agent'));
    expect((await lamp.call('GET', '/agents/messages/nobody/history')).status).toBe(404);
  });
});

describe('Hub inbox', () => {
  it('drops the oldest messages beyond 10,000', async () => {
    const { app, lamp, horn } = await twoAgents();
    const [from, to] = [getSeq(app, 'lamp-agent'), getSeq(app, 'Horn-Agent')];
    await app.database.write(() => {
      app.database
        .sql(
          `INSERT INTO hub_messages (message_id, sender, receiver, room_id, payload, sent_ms)
           WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'm' || i, ?, ?, 'r', i, ? FROM n`,
        )
        .run(INBOX_MAX, from, to, app.clock.now());
      app.database.sql('INSERT INTO hub_inbox (agent, message) SELECT ?, seq FROM hub_messages').run(to);
    });
    expect(payloads(await inbox(horn, '?since_id=0&limit=1'))).toEqual([1]);
    await send(lamp, 'Horn-Agent', 'last');
    expect(app.database.sql('SELECT count(*) AS n FROM hub_inbox WHERE agent = ?').get(to)).toEqual({ n: INBOX_MAX });
    expect(payloads(await inbox(horn, '?since_id=0&limit=1'))).toEqual([2]);
    expect(payloads(await inbox(horn, `?since_id=${INBOX_MAX}`))).toEqual(['last']);
  });

  it('keeps a message for 7 days', async () => {
    const { app, lamp, horn } = await twoAgents();
    await send(lamp, 'Horn-Agent', 'old');
    app.clock.advance(INBOX_RETENTION_DAYS * 86_400_000 - 3_600_000);
    await send(await fresh(app, lamp), 'Horn-Agent', 'young');
    await app.database.write(() => undefined);
    const reader = await fresh(app, horn);
    expect(payloads(await inbox(reader, '?since_id=0'))).toEqual(['old', 'young']);
    app.clock.advance(2 * 3_600_000);
    await app.database.write(() => undefined);
    expect(payloads(await inbox(reader, '?since_id=0'))).toEqual(['young']);
    expect(app.database.sql('SELECT count(*) AS n FROM hub_messages').get()).toEqual({ n: 1 });
  });
});

const getSeq = (app: HubApp, id: string) =>
  (app.database.sql('SELECT seq FROM hub_agents WHERE agent_id = ?').get(id) as { seq: number }).seq;
