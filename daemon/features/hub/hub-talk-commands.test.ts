import { describe, expect, it } from 'vitest';
import { CHANNEL_MEMBERS_MAX, CHANNELS_MAX, CONTACTS_MAX } from '../../contract/network/hub.js';
import type { CommandKind } from '../../shared-log/command-kinds.js';
import { rolledBackDatabase } from '../../testing/database-of-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { getDirectThreadId } from './direct-thread.js';
import { HubChannelsStore } from './hub-channels-store.js';
import { editAgent, HubCommands } from './hub-commands.js';
import { HubContactsStore } from './hub-contacts-store.js';
import { HubMessagesStore } from './hub-messages-store.js';
import { type AgentRow, HubStore } from './hub-store.js';
import { HubTalkCommands } from './hub-talk-commands.js';

const NOW = new FakeClock().now();
const DAY = 86_400_000;
const [LAMP, HORN, BELL, ENDED] = [1, 2, 3, 99] as const;
const OVER = { code: 'unauthorized', message: expect.stringContaining('This registration is over') };

const database = rolledBackDatabase();

/** The kinds of commands of the hub over a store with three agents. */
function kindsOfHub() {
  const agents = new HubStore(database);
  const channels = new HubChannelsStore(database);
  const contacts = new HubContactsStore(database);
  const messages = new HubMessagesStore(database);
  const gone: string[] = [];
  const kinds: Record<string, CommandKind> = {
    ...new HubCommands(agents, (agentId) => void gone.push(agentId)).kinds,
    ...new HubTalkCommands({ agents, channels, contacts, messages }).kinds,
  };
  const toCommand = (kind: string, entity: string, body: object, at: number) => ({
    ...{ schema: 1 as const, id: 'command', daemon: 'daemon', kind, entity, at },
    body: { ...body },
  });
  const decide = <Result = unknown>(kind: string, entity: string, body: object, at = NOW) =>
    (kinds[kind] as CommandKind).decide(toCommand(kind, entity, body, at)) as Result;
  const register = (id: string) =>
    decide('hub.register', id, {
      ...{ rid: `rid of ${id}`, api_key_sha256: Buffer.alloc(32).toString('base64url'), description: null },
      ...{ capabilities: [], card: null, is_verified: false },
    });
  for (const id of ['Lamp', 'Horn', 'bell']) register(id);
  /** Runs SQL once for each number from 1 to `count`, as `i`. */
  const fill = (sql: string, count: number) =>
    database
      .sql(`${sql} FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT i FROM n)`)
      .run(count);
  const fillAgents = (count: number) =>
    fill(
      'INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms) ' +
        "SELECT 'x-' || i, 'x-' || i, 'r', x'00', '[]', 0, 0",
      count,
    );
  const create = (agent: number, id: string) =>
    decide('hub.channel-create', id, { agent, name: 'Harbour', id, base: 'harbour' });
  const send = (sender: number, receiver: number, more: object = {}, at = NOW) => {
    const room = [sender, receiver].map((seq) => ({ rid: agents.findRid(seq) ?? 'none' }));
    const room_id = getDirectThreadId(...(room as [{ rid: string }, { rid: string }]));
    const body = { sender, receiver, channel: null, room_id, receivers: [receiver], payload: '1', ...more };
    return decide<{ seq: number }>('hub.send', 'msg-1', body, at);
  };
  const stores = { agents, channels, contacts, messages };
  return { ...stores, gone, kinds, toCommand, decide, register, fill, fillAgents, create, send };
}

describe('In a network, a command of the hub', () => {
  const lamp = { area: 'hub', id: 'lamp' };
  const horn = { area: 'hub', id: 'horn' };

  it.each([
    ['hub.register', { rid: 'r' }, { takes: [{ area: 'hub', id: 'x-agent' }] }],
    ['hub.change', { agent: LAMP }, { requires: [lamp] }],
    ['hub.deregister', { agent: LAMP }, { requires: [lamp], frees: [lamp] }],
    ['hub.seen', { seen: [{ agent: LAMP }, { agent: ENDED }, { agent: HORN }] }, { requires: [lamp, horn] }],
    ['hub.channel-create', { agent: HORN }, { requires: [horn] }],
    ['hub.channel-join', { agent: HORN }, { requires: [horn] }],
    ['hub.channel-leave', { agent: HORN }, { requires: [horn] }],
    ['hub.contact-add', { agent: LAMP, contact: HORN }, { requires: [lamp] }],
    ['hub.contact-remove', { agent: LAMP, contact: HORN }, { requires: [lamp] }],
    ['hub.send', { sender: LAMP, receiver: HORN, receivers: [HORN] }, { requires: [lamp] }],
    ['hub.delivered', { message: 1, agents: [HORN, LAMP, ENDED] }, { requires: [horn, lamp] }],
    ['hub.consume', { agent: HORN }, { requires: [horn] }],
    ['hub.ack', { agent: HORN, ids: [1] }, { requires: [horn] }],
    ['hub.prune', {}, {}],
  ])('%s is about agents of its sender alone', (kind, body, owned) => {
    const { kinds, toCommand } = kindsOfHub();
    const { ownership } = kinds[kind] as CommandKind;
    const command = toCommand(kind, 'X-Agent', body, NOW);
    const asked = Object.entries(ownership).map(([name, list]) => [name, list(body, command)]);
    expect(Object.fromEntries(asked)).toEqual(owned);
  });
});

describe('A registration', () => {
  it('is refused by name when the id is taken', () => {
    const { register } = kindsOfHub();
    expect(() => register('LAMP')).toThrow(
      expect.objectContaining({
        code: 'agent_id_claimed',
        message: '"LAMP" is registered already: choose another id.',
        details: { path: 'agent_id' },
      }),
    );
  });

  it('is refused with the limit when the hub is full', () => {
    const full = { holds: (count: number) => count === 100_000 } as unknown as HubStore;
    const { toCommand } = kindsOfHub();
    const register = new HubCommands(full).kinds['hub.register'] as CommandKind;
    expect(() => register.decide(toCommand('hub.register', 'lamp', {}, NOW))).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        message: 'The hub holds 100000 agents, which is all it can.',
      }),
    );
  });

  it('takes with it what else is about the agent, by its id as registered, and then is over', () => {
    const { agents, gone, decide } = kindsOfHub();
    expect(decide('hub.deregister', 'lamp', { agent: LAMP })).toMatchObject({ seq: LAMP, agent_id: 'Lamp' });
    expect([gone, agents.isRegistered(LAMP)]).toEqual([['Lamp'], false]);
    for (const [kind, body] of [
      ['hub.deregister', { agent: LAMP }],
      ['hub.change', { agent: LAMP, edit: { description: 'x' } }],
    ] as const)
      expect(() => decide(kind, 'Lamp', body)).toThrow(expect.objectContaining(OVER));
    expect(gone).toEqual(['Lamp']);
  });

  it('was seen at the latest when that was said', () => {
    const { agents, decide } = kindsOfHub();
    const seen = [
      { agent: LAMP, ms: NOW + 5 },
      { agent: HORN, ms: NOW - 5 },
      { agent: ENDED, ms: NOW },
    ];
    decide('hub.seen', 'seen', { seen }, NOW + 1);
    expect(Array.from(agents.listRegistrations(), ({ lastSeenMs }) => lastSeenMs)).toEqual([NOW + 1, NOW - 5, NOW]);
  });
});

describe('An edit of an agent', () => {
  const row: AgentRow = {
    ...{ seq: 1, agent_id: 'lamp', description: 'Lights.', capabilities: ['a'], isVerified: false },
    ...{ registeredMs: NOW, card: { tags: ['x'], availability: { now: false } } },
  };

  it.each([
    ['replaces what it names', { description: 'x', capabilities: ['b'] }, { description: 'x', capabilities: ['b'] }],
    ['replaces the card as a whole', { card: { tags: ['y'] } }, { card: { tags: ['y'] } }],
    [
      'merges the availability into the card',
      { availability: { now: true } },
      { card: { tags: ['x'], availability: { now: true } } },
    ],
    ['ends being away', { is_back: true }, { card: { tags: ['x'], availability: { now: true } } }],
    ['changes nothing for one that is not back', { is_back: false }, {}],
    ['changes nothing without content', {}, {}],
  ])('%s', (_name, edit, changed) => {
    expect(editAgent(row, edit)).toEqual({ ...row, ...changed });
  });

  it('makes a card of the availability alone, and none for being back', () => {
    const bare = { ...row, card: null };
    expect(editAgent(bare, { availability: { now: false } })).toEqual({
      ...row,
      card: { availability: { now: false } },
    });
    expect(editAgent(bare, { is_back: true })).toEqual(bare);
  });
});

describe('An agent whose registration has ended', () => {
  it.each([
    ['hub.channel-create', { name: 'x', id: null, base: 'x' }],
    ['hub.channel-join', {}],
    ['hub.contact-add', { contact: HORN }],
    ['hub.send', { sender: ENDED, receiver: HORN, channel: null, room_id: 'r', receivers: [], payload: '1' }],
    ['hub.consume', { limit: 1 }],
    ['hub.ack', { ids: [1] }],
  ])('does nothing more: %s', (kind, body) => {
    const { create, decide } = kindsOfHub();
    create(LAMP, 'harbour');
    expect(() => decide(kind, 'harbour', { agent: ENDED, ...body })).toThrow(expect.objectContaining(OVER));
  });
});

describe('A channel', () => {
  it('has the id that was asked for, which is refused when it is taken, or the next free one of its name', () => {
    const { decide } = kindsOfHub();
    const make = (id: string | null) =>
      decide('hub.channel-create', id ?? 'harbour', { agent: LAMP, name: 'Harbour', id, base: 'harbour' }, 5_999);
    const channel = { name: 'Harbour', members: ['Lamp'], created_at: 5 };
    expect([make('quay'), make(null), make(null)]).toEqual([
      { ...channel, id: 'quay' },
      { ...channel, id: 'harbour' },
      { ...channel, id: 'harbour-2' },
    ]);
    expect(() => make('quay')).toThrow(
      expect.objectContaining({
        code: 'slug_taken',
        message: 'There is a channel "quay" already: join it or choose another id.',
        details: { path: 'id' },
      }),
    );
  });

  it('is refused once there are a thousand', () => {
    const { fill, create } = kindsOfHub();
    fill("INSERT INTO hub_channels (id, name, created_ms) SELECT 'c-' || i, 'x', 0", CHANNELS_MAX - 1);
    create(LAMP, 'last');
    expect(() => create(LAMP, 'more')).toThrow(
      expect.objectContaining({ code: 'limit_reached', message: 'The hub holds at most 1000 channels.' }),
    );
  });

  it('takes 256 members, who may join again', () => {
    const { fill, fillAgents, create, decide, channels } = kindsOfHub();
    create(LAMP, 'harbour');
    fillAgents(CHANNEL_MEMBERS_MAX - 2);
    fill('INSERT INTO hub_channel_members (channel, agent, joined_ms) SELECT 1, 3 + i, 0', CHANNEL_MEMBERS_MAX - 2);
    const enter = (agent: number) => decide('hub.channel-join', 'harbour', { agent });
    enter(HORN);
    expect(channels.countMembers(1)).toBe(CHANNEL_MEMBERS_MAX);
    expect(() => enter(BELL)).toThrow(
      expect.objectContaining({ code: 'limit_reached', message: 'A channel has at most 256 members.' }),
    );
    enter(HORN);
    expect(channels.countMembers(1)).toBe(CHANNEL_MEMBERS_MAX);
  });

  it('lists its members in the order in which they joined, and goes with the last one', () => {
    const { create, decide, channels } = kindsOfHub();
    create(HORN, 'harbour');
    create(LAMP, 'quay');
    for (const agent of [BELL, LAMP, BELL]) decide('hub.channel-join', 'harbour', { agent });
    expect(channels.listMembers(1)).toEqual(['Horn', 'bell', 'Lamp']);
    const leave = (agent: number) => decide('hub.channel-leave', 'harbour', { agent });
    for (const agent of [HORN, HORN, BELL]) leave(agent);
    expect([channels.listMembers(1), channels.isMember(1, LAMP), channels.isMember(1, HORN)]).toEqual([
      ['Lamp'],
      true,
      false,
    ]);
    leave(LAMP);
    expect([channels.find('harbour'), channels.count(), channels.find('quay')?.seq]).toEqual([undefined, 1, 2]);
    const missing = expect.objectContaining({ code: 'not_found', message: 'There is no such channel.' });
    expect(() => leave(LAMP)).toThrow(missing);
    expect(() => decide('hub.channel-join', 'harbour', { agent: LAMP })).toThrow(missing);
  });
});

describe('The contacts of an agent', () => {
  it('are a thousand at most; one that it has may be added again', () => {
    const { fill, fillAgents, decide, contacts } = kindsOfHub();
    fillAgents(CONTACTS_MAX - 1);
    fill('INSERT INTO hub_contacts (owner, contact, added_ms) SELECT 1, 3 + i, 0', CONTACTS_MAX - 1);
    const add = (contact: number) => decide('hub.contact-add', 'x', { agent: LAMP, contact });
    add(HORN);
    expect(() => add(BELL)).toThrow(
      expect.objectContaining({ code: 'limit_reached', message: 'An agent has at most 1000 contacts.' }),
    );
    add(HORN);
    expect([contacts.count(LAMP), contacts.has(LAMP, HORN), contacts.has(LAMP, BELL)]).toEqual([1_000, true, false]);
  });

  it('are agents that are registered, in the order in which they were added, each with who has it', () => {
    const { decide, contacts } = kindsOfHub();
    const add = (agent: number, contact: number, at: number) => decide('hub.contact-add', 'x', { agent, contact }, at);
    expect(() => add(LAMP, ENDED, NOW)).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'No agent is registered here under this id.' }),
    );
    for (const [agent, contact, at] of [
      [LAMP, BELL, 1],
      [LAMP, HORN, 2],
      [LAMP, BELL, 3],
      [HORN, BELL, 4],
    ] as const)
      add(agent, contact, at);
    expect(contacts.list(LAMP, 0, 9)).toMatchObject([
      { agent_id: 'bell', added_ms: 1 },
      { agent_id: 'Horn', added_ms: 2 },
    ]);
    expect([contacts.listOwners(BELL).sort(), contacts.count(HORN)]).toEqual([['Horn', 'Lamp'], 1]);
    decide('hub.contact-remove', 'bell', { agent: LAMP, contact: BELL });
    expect([contacts.list(LAMP, 0, 9).length, contacts.listOwners(BELL)]).toEqual([1, ['Horn']]);
  });
});

describe('A message that is sent', () => {
  it('is the first of its sender in the thread or not, and a reply when the other one wrote last', () => {
    const { send } = kindsOfHub();
    expect([
      send(LAMP, HORN, {}, NOW + 5),
      send(LAMP, HORN),
      send(HORN, LAMP),
      send(HORN, LAMP),
      send(LAMP, HORN),
      send(BELL, LAMP),
    ]).toMatchObject([
      { seq: 1, sentMs: NOW + 5, isReply: false, isFirst: true },
      { seq: 2, sentMs: NOW, isReply: false, isFirst: false },
      { seq: 3, sentMs: NOW, isReply: true, isFirst: true },
      { seq: 4, sentMs: NOW, isReply: false, isFirst: false },
      { seq: 5, sentMs: NOW, isReply: true, isFirst: false },
      { seq: 6, sentMs: NOW, isReply: false, isFirst: true },
    ]);
  });

  it('is neither in a channel, which takes it from members alone and gives it to members alone', () => {
    const { create, decide, send, messages } = kindsOfHub();
    create(LAMP, 'harbour');
    decide('hub.channel-join', 'harbour', { agent: HORN });
    const toChannel = { receiver: null, channel: 1, room_id: 'harbour', receivers: [ENDED, BELL, HORN, HORN] };
    expect(send(LAMP, HORN, toChannel)).toMatchObject({ isReply: false, isFirst: false, receivers: [HORN] });
    expect([HORN, ENDED, BELL].map((agent) => messages.countWaiting(agent))).toEqual([1, 0, 0]);
    expect(() => send(BELL, HORN, toChannel)).toThrow(
      expect.objectContaining({
        code: 'forbidden',
        message: 'Join the channel "harbour" before you send to it.',
      }),
    );
  });

  it.each([
    ['a payload that is no JSON', { payload: '{' }, 'The payload is not JSON of at most 32 levels.'],
    ['one that is too deep', { payload: `${'['.repeat(33)}${']'.repeat(33)}` }, 'at most 32 levels'],
    ['neither an agent nor a channel', { receiver: null }, 'either to an agent or to a channel'],
    ['both', { channel: 1 }, 'either to an agent or to a channel'],
    ['the thread of others', { room_id: 'room-1' }, '"room-1" is not the thread of the message, which is "room-'],
    ['another channel', { receiver: null, channel: 1, room_id: 'quay' }, 'which is "harbour"'],
  ])('is refused, and not kept, with %s', (_, more, message) => {
    const { create, send, messages } = kindsOfHub();
    create(LAMP, 'harbour');
    expect(() => send(LAMP, HORN, more)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringContaining(message) }),
    );
    expect(messages.find(1)).toBeUndefined();
  });

  it('to one agent waits for no other one', () => {
    const { send, messages } = kindsOfHub();
    expect(send(LAMP, HORN, { receivers: [BELL, HORN] })).toMatchObject({ receivers: [HORN] });
    expect(messages.countWaiting(BELL)).toBe(0);
  });

  it('is refused, and not kept, when its receiver has ended', () => {
    const { send, messages } = kindsOfHub();
    expect(() => send(LAMP, ENDED)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(messages.find(1)).toBeUndefined();
  });
});

describe('An inbox', () => {
  it('is consumed oldest first, with the receipts, which are read then', () => {
    const { send, decide, messages } = kindsOfHub();
    for (const payload of ['1', '2', '3']) send(LAMP, HORN, { payload });
    const consume = (agent: number, limit: number) =>
      decide<{ messages: { payload: unknown }[]; receipts: object[] }>('hub.consume', 'x', { agent, limit }, 7_000);
    expect(consume(HORN, 2).messages.map(({ payload }) => payload)).toEqual([1, 2]);
    expect(consume(LAMP, 9)).toMatchObject({ messages: [], receipts: [{ ts: 7 }, { ts: 7 }] });
    expect([consume(LAMP, 9).receipts, consume(HORN, 9).messages.length]).toEqual([[], 1]);
    expect([consume(LAMP, 9).receipts.length, messages.countWaiting(HORN)]).toEqual([1, 0]);
  });

  it('loses what is acknowledged, at the time of the command, and shows which message a socket accepted', () => {
    const { send, decide, messages } = kindsOfHub();
    const [one, two] = [send(LAMP, HORN), send(LAMP, HORN)] as const;
    decide('hub.delivered', 'x', { message: two.seq, agents: [BELL, HORN] });
    expect(decide('hub.ack', 'x', { agent: HORN, ids: [one.seq, 99] }, 8_000)).toBe(1);
    expect(messages.look(HORN, 0, 9, 9).messages).toMatchObject([{ _id: two.seq, delivered: true }]);
    expect(messages.look(LAMP, 0, 9, 9).receipts).toMatchObject([{ ts: 8 }]);
  });

  it('keeps messages for seven days; a thousand old ones are deleted at once', () => {
    const { fill, send, decide, messages } = kindsOfHub();
    const kept = send(LAMP, HORN).seq;
    const prune = (at: number) => decide('hub.prune', 'old', {}, at);
    expect(prune(NOW + 7 * DAY)).toBe(0);
    fill(
      'INSERT INTO hub_messages (message_id, sender, receiver, room_id, payload, sent_ms) ' +
        "SELECT 'm' || i, 1, 2, 'room-1', '1', 5",
      1_001,
    );
    expect([prune(NOW), prune(NOW), prune(NOW)]).toEqual([1_000, 1, 0]);
    expect(messages.find(kept)).toBeDefined();
    expect([prune(NOW + 7 * DAY + 1), messages.find(kept)]).toEqual([1, undefined]);
  });
});
