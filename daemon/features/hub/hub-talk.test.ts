import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HubMessage } from '../../contract/network/hub.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { Command } from '../../shared-log/shared-log.js';
import { Database } from '../../storage/database/database.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { getDirectThreadId } from './direct-thread.js';
import { HubChannels } from './hub-channels.js';
import { HubChannelsStore } from './hub-channels-store.js';
import { HubCommands } from './hub-commands.js';
import { HubContacts } from './hub-contacts.js';
import { HubContactsStore } from './hub-contacts-store.js';
import { HubDirectory, type HubRegistration } from './hub-directory.js';
import { HubMessages, type SentMessage } from './hub-messages.js';
import { HubMessagesStore } from './hub-messages-store.js';
import { HubStore } from './hub-store.js';
import { HubTalkCommands } from './hub-talk-commands.js';

const HOUR = 3_600_000;

/** Three agents with what they say to each other, over live sockets that accept what is for agents in `live`. */
function talk() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const shared = embeddedChanges(database, clock);
  const agents = new HubStore(database);
  const stores = {
    channels: new HubChannelsStore(database),
    contacts: new HubContactsStore(database),
    messages: new HubMessagesStore(database),
  };
  shared.kinds.define(new HubCommands(agents).kinds);
  shared.kinds.define(new HubTalkCommands({ agents, ...stores }).kinds);
  const directory = new HubDirectory(agents, shared, clock);
  const put = (agent_id: string): HubRegistration => {
    const rid = `rid of ${agent_id}`;
    const seq = agents.insert({
      ...{ key: agentKey(agent_id), agent_id, rid, apiKeySha256: Buffer.alloc(32), description: null },
      ...{ capabilities: [], card: null, isVerified: false, registeredMs: clock.now() },
    }) as number;
    return { seq, agent_id, rid, lastSeenMs: clock.now(), isAway: false };
  };
  const [lamp, horn, bell] = ['Lamp', 'Horn', 'bell'].map((id) => {
    const registration = put(id);
    directory.add(registration);
    return registration;
  }) as [HubRegistration, HubRegistration, HubRegistration];
  const live = new Set<string>();
  const delivered: { to: string; sender: HubRegistration; message: HubMessage }[] = [];
  const lines = {
    deliver: (receiver: HubRegistration, message: HubMessage, sender: HubRegistration) => {
      delivered.push({ to: receiver.agent_id, sender, message });
      return live.has(receiver.agent_id);
    },
  };
  const { log } = shared;
  const parts = { store: stores.messages, channels: stores.channels, shared, directory, lines, clock };
  return {
    ...{ clock, shared, directory, put, lamp, horn, bell, live, delivered, store: stores.messages },
    messages: new HubMessages(parts),
    channels: new HubChannels(stores.channels, log, directory),
    contacts: new HubContacts(stores.contacts, log, directory),
    listKinds: () => shared.commands.map(({ kind }) => kind),
  };
}

/** The pruning of old messages, by a log that returns or throws one result after another. */
function pruning(...results: (number | Error)[]) {
  const clock = new FakeClock();
  const asked: unknown[] = [];
  const submit = async (...command: unknown[]) => {
    asked.push(command);
    const result = results.shift() ?? 0;
    if (result instanceof Error) throw result;
    return result;
  };
  const shared = { kinds: { onApplied: () => undefined }, log: { submit } };
  const messages = new HubMessages({ shared, clock } as unknown as ConstructorParameters<typeof HubMessages>[0]);
  return { clock, asked, messages };
}

describe('A direct message', () => {
  it('is delivered as it is on record, with the id of its receiver as registered, and marked as delivered', async () => {
    const { messages, lamp, horn, live, delivered, listKinds, store } = talk();
    live.add('Horn');
    const { message_id, room_id, ...sent } = await messages.send(lamp, { to: 'HORN', payload: { fog: true } });
    expect([sent, room_id]).toEqual([{ delivered: true }, getDirectThreadId(lamp, horn)]);
    expect(delivered).toEqual([{ to: 'Horn', sender: lamp, message: store.find(1) }]);
    expect(store.find(1)).toMatchObject({ _message_id: message_id, msg_type: 'message', to: 'Horn', room_id });
    expect(listKinds()).toEqual(['hub.send', 'hub.delivered']);
    expect((await messages.inbox(horn, {})).messages).toMatchObject([{ _id: 1, delivered: true }]);
  });

  it('that no socket accepted is marked nowhere', async () => {
    const { messages, lamp, listKinds } = talk();
    expect(await messages.send(lamp, { to: 'Horn', payload: 1 })).toMatchObject({ delivered: false });
    expect(listKinds()).toEqual(['hub.send']);
  });

  it('is told to the listeners with its place in the thread, and one to a channel is not', async () => {
    const { messages, channels, lamp, horn } = talk();
    const told: SentMessage[] = [];
    messages.onSent((sent) => void told.push(sent));
    for (const from of [lamp, horn, horn])
      await messages.send(from, { to: from === lamp ? 'horn' : 'lamp', payload: 1 });
    await channels.create(lamp, { name: 'Quay' });
    await messages.sendToChannel(lamp, 'quay', { payload: 1 });
    expect(told).toEqual([
      { from: 'Lamp', to: 'Horn', isReply: false, isFirst: true },
      { from: 'Horn', to: 'Lamp', isReply: true, isFirst: true },
      { from: 'Horn', to: 'Lamp', isReply: false, isFirst: false },
    ]);
  });

  it('has 64 KiB of JSON at most, counted in bytes, and is refused with that limit', async () => {
    const { messages, lamp, listKinds } = talk();
    const payload = 'é'.repeat(32_767);
    await messages.send(lamp, { to: 'Horn', payload });
    await expect(messages.send(lamp, { to: 'Horn', payload: `${payload}x` })).rejects.toMatchObject({
      code: 'too_large',
      message: '"payload" is larger than 65536 bytes of JSON.',
    });
    expect(listKinds()).toEqual(['hub.send']);
  });

  it('is found in the history of both, below a number and up to a limit', async () => {
    const { messages, lamp, horn, bell } = talk();
    for (const to of ['horn', 'bell', 'horn', 'horn']) await messages.send(lamp, { to, payload: to });
    const list = (...given: Parameters<HubMessages['history']>) => messages.history(...given).map(({ _id }) => _id);
    expect([list(lamp, 'HORN', {}), list(horn, 'lamp', { limit: 2 }), list(horn, 'lamp', { before: 3 })]).toEqual([
      [4, 3, 1],
      [4, 3],
      [1],
    ]);
    expect([list(bell, 'lamp', {}), list(bell, 'horn', {})]).toEqual([[2], []]);
    expect(() => messages.history(lamp, 'nobody', {})).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('A message to a channel', () => {
  it('reaches the other members, of which those are counted whose sockets accepted it', async () => {
    const { messages, channels, lamp, horn, bell, live, delivered, shared } = talk();
    await channels.create(lamp, { id: 'quay', name: 'The quay' });
    for (const agent of [horn, bell]) await channels.join(agent, 'quay');
    live.add('bell').add('Lamp');
    const { message_id, delivered: count } = await messages.sendToChannel(lamp, 'quay', { payload: 'fog' });
    expect([count, delivered.map(({ to }) => to)]).toEqual([1, ['Horn', 'bell']]);
    expect(delivered[0]?.message).toEqual({
      ...{ _id: 1, _message_id: message_id, msg_type: 'channel_message', from: 'Lamp', to: 'quay', room_id: 'quay' },
      ...{ payload: 'fog', ts: delivered[0]?.message.ts },
    });
    const body = { message: 1, agents: [bell.seq] };
    expect(shared.commands.at(-1)).toMatchObject({ kind: 'hub.delivered', entity: message_id, body });
  });

  it('leaves out a member that has just gone, and is refused from one that is none', async () => {
    const { messages, channels, directory, lamp, horn, bell, shared } = talk();
    await channels.create(lamp, { id: 'quay', name: 'The quay' });
    await channels.join(horn, 'quay');
    directory.remove(horn);
    await messages.sendToChannel(lamp, 'quay', { payload: 1 });
    expect(shared.commands.at(-1)?.body).toMatchObject({ receivers: [], receiver: null, channel: 1 });
    await expect(messages.sendToChannel(bell, 'quay', { payload: 1 })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Join the channel "quay" before you send to it.',
    });
    await expect(messages.sendToChannel(lamp, 'pier', { payload: 1 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('A message that another daemon of the network sent', () => {
  /** Applies a `hub.send` as one that was decided before. */
  function apply({ shared, lamp, horn, bell, store }: ReturnType<typeof talk>, { sender = lamp.seq, logged = 1 } = {}) {
    const place = { receiver: horn.seq, channel: null, room_id: getDirectThreadId(lamp, horn) };
    const message_id = 'msg-from-elsewhere';
    store.insert({ message_id, sender: lamp.seq, ...place, payload: '1', sentMs: 1_000 });
    const body = { ...place, sender, receivers: [horn.seq, bell.seq], payload: '1' };
    const command = { schema: 1, id: 'x', kind: 'hub.send', entity: message_id, at: 1_000, daemon: 'd', body } as const;
    const result = { seq: logged, sentMs: 1_000, receivers: [horn.seq], isReply: false, isFirst: true };
    return shared.kinds.applied(command, result);
  }

  it('is delivered to the sockets of its receivers that are here, and said to be where one accepted it', async () => {
    const all = talk();
    all.live.add('Horn').add('bell');
    apply(all);
    expect(all.delivered).toEqual([{ to: 'Horn', sender: all.lamp, message: all.store.find(1) }]);
    await expect
      .poll(() => all.shared.commands)
      .toMatchObject([{ kind: 'hub.delivered', body: { message: 1, agents: [all.horn.seq] } }]);
  });

  it('is delivered to nobody once it was deleted, or its sender is gone', () => {
    const all = talk();
    apply(all, { logged: 99 });
    apply(all, { sender: 99 });
    expect(all.delivered).toEqual([]);
  });

  it('is told from one that this daemon sends, which is delivered once', async () => {
    const { messages, lamp, horn, live, delivered, shared } = talk();
    live.add('Horn');
    await messages.send(lamp, { to: 'Horn', payload: 1 });
    expect(delivered).toHaveLength(1);
    // Nothing is remembered of a message once it was sent.
    const [command] = shared.commands as [Command];
    shared.kinds.applied(command, { seq: 1, receivers: [horn.seq] });
    expect(delivered).toHaveLength(2);
  });
});

describe('An inbox', () => {
  it('is read without a command while nothing waits, and when it is only looked at', async () => {
    const { messages, lamp, horn, shared } = talk();
    expect(await messages.inbox(horn, {})).toEqual({ messages: [], receipts: [], next_since_id: 0 });
    expect(await messages.inbox(horn, { since_id: 7 })).toEqual({ messages: [], receipts: [], next_since_id: 7 });
    await messages.send(lamp, { to: 'Horn', payload: 'x' });
    const before = shared.commands.length;
    for (let look = 0; look < 2; look += 1)
      expect((await messages.inbox(horn, { since_id: 0 })).messages).toMatchObject([{ _id: 1, payload: 'x' }]);
    expect(await messages.inbox(horn, { since_id: 1 })).toMatchObject({ messages: [], next_since_id: 1 });
    expect(shared.commands.length).toBe(before);
  });

  it('gives messages and receipts once, also receipts alone, which name who read which message', async () => {
    const { clock, messages, lamp, horn } = talk();
    const { message_id } = await messages.send(lamp, { to: 'Horn', payload: 'x' });
    expect(await messages.inbox(horn, {})).toMatchObject({ messages: [{ payload: 'x' }], next_since_id: 1 });
    const receipt = { message_id, by: 'Horn', ts: clock.now() / 1000 };
    const looked = await messages.inbox(lamp, { since_id: 3 });
    expect(looked).toEqual({ messages: [], receipts: [receipt], next_since_id: 3 });
    for (const receipts of [[receipt], []])
      expect(await messages.inbox(lamp, {})).toEqual({ messages: [], receipts, next_since_id: 0 });
  });

  it('loses what is acknowledged, of the caller alone', async () => {
    const { messages, lamp, horn, bell } = talk();
    await messages.send(lamp, { to: 'Horn', payload: 'x' });
    expect([await messages.ack(bell, { ids: [1] }), await messages.ack(horn, { ids: [1, 2] })]).toEqual([
      { ok: true, acked: 0 },
      { ok: true, acked: 1 },
    ]);
  });
});

describe('Old messages', () => {
  it('are deleted at the start and every hour, a thousand at a time until fewer were left', async () => {
    const { clock, asked, messages } = pruning(1_000, 1_000, 999, 1_000, 0);
    messages.start();
    await expect.poll(() => asked).toEqual(Array(3).fill(['hub.prune', 'old', {}]));
    clock.advance(HOUR - 1);
    expect(asked).toHaveLength(3);
    clock.advance(1);
    await expect.poll(() => asked.length).toBe(5);
    messages.stop();
    expect(clock.pending).toBe(0);
  });

  it('are deleted an hour later when the store could not be written', async () => {
    const { clock, asked, messages } = pruning(new Error('full'), 0);
    messages.start();
    await new Promise(setImmediate);
    clock.advance(HOUR);
    expect(asked).toHaveLength(2);
    messages.stop();
  });
});

describe('Channels', () => {
  it('are listed oldest first, and the page that ends with the last one names no other', async () => {
    const { channels, lamp, horn } = talk();
    for (const name of ['d', 'c', 'b', 'a']) await channels.create(lamp, { name });
    await channels.join(horn, 'b');
    const page = (cursor?: string) => channels.list(horn, { limit: 2, ...(cursor !== undefined && { cursor }) });
    expect(page()).toMatchObject({ channels: [{ id: 'd' }, { id: 'c' }], count: 2, next_cursor: '2' });
    expect(page('2')).toMatchObject({
      channels: [
        { id: 'b', members: ['Lamp', 'Horn'] },
        { id: 'a', members: ['Lamp'] },
      ],
      count: 2,
      next_cursor: null,
    });
    expect(channels.list(lamp, {})).toMatchObject({ count: 4, next_cursor: null });
  });

  it('are created by a command with the id that is asked for, else with that of the name', async () => {
    const { channels, lamp, shared } = talk();
    await channels.create(lamp, { id: 'q-1', name: 'The  Quay!' });
    await channels.create(lamp, { name: 'The  Quay!' });
    const body = { agent: lamp.seq, name: 'The  Quay!', base: 'the-quay' };
    expect(shared.commands).toMatchObject([
      { kind: 'hub.channel-create', entity: 'q-1', body: { ...body, id: 'q-1' } },
      { kind: 'hub.channel-create', entity: 'the-quay', body: { ...body, id: null } },
    ]);
  });
});

describe('What an ended registration asks for', () => {
  it('is refused before anything is looked at or sent', async () => {
    const { messages, channels, contacts, lamp, shared } = talk();
    const ended = { ...lamp, rid: 'another' };
    const over = { code: 'unauthorized' };
    for (const ask of [
      () => messages.send(ended, { to: 'Horn', payload: 1 }),
      () => messages.sendToChannel(ended, 'quay', { payload: 1 }),
      () => messages.inbox(ended, {}),
      () => messages.ack(ended, { ids: [1] }),
      () => channels.create(ended, { name: 'x' }),
      () => channels.join(ended, 'quay'),
      () => channels.leave(ended, 'quay'),
      () => contacts.add(ended, 'Horn'),
      () => contacts.remove(ended, 'Horn'),
    ])
      await expect(ask()).rejects.toMatchObject(over);
    for (const look of [
      () => messages.history(ended, 'Horn', {}),
      () => channels.list(ended, {}),
      () => contacts.list(ended),
    ])
      expect(look).toThrow(expect.objectContaining(over));
    expect(shared.commands).toEqual([]);
  });
});

describe('Contacts', () => {
  it('are listed with since when and who is online; one that has just gone is not', async () => {
    const { clock, contacts, directory, lamp, horn, bell } = talk();
    const at = clock.now() / 1000;
    for (const id of ['BELL', 'horn']) await contacts.add(lamp, id);
    const list = () => contacts.list(lamp).contacts.map(({ agent_id, online }) => [agent_id, online]);
    expect(contacts.list(lamp)).toEqual({
      contacts: [
        { agent_id: 'bell', online: true, added_at: at },
        { agent_id: 'Horn', online: true, added_at: at },
      ],
      count: 2,
      next_cursor: null,
    });
    directory.setAway(bell, true);
    directory.remove(horn);
    expect(list()).toEqual([
      ['bell', false],
      ['Horn', false],
    ]);
  });

  it('are known to the agents that are kept as one, and nobody is to an id that is not registered', async () => {
    const { contacts, lamp, horn } = talk();
    for (const owner of [lamp, horn]) await contacts.add(owner, 'bell');
    expect([contacts.listOwners('BELL').sort(), contacts.listOwners('nobody')]).toEqual([['Horn', 'Lamp'], []]);
  });

  it('are removed by a command about the one that is named, and one that is not registered by none', async () => {
    const { contacts, lamp, horn, shared } = talk();
    await contacts.add(lamp, 'horn');
    await contacts.remove(lamp, 'HORN');
    await contacts.remove(lamp, 'nobody');
    const body = { agent: lamp.seq, contact: horn.seq };
    expect(shared.commands.map(({ kind, entity, body: sent }) => [kind, entity, sent])).toEqual([
      ['hub.contact-add', 'Horn', body],
      ['hub.contact-remove', 'Horn', body],
    ]);
    await expect(contacts.add(lamp, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  });
});
