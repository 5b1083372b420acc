import { describe, expect, it } from 'vitest';
import { rolledBackDatabase } from '../../testing/database-of-file.js';
import { HubMessagesStore, type NewMessage } from './hub-messages-store.js';

const SENT_MS = 1_700_000_000_999;
const [LAMP, HORN, BELL] = [1, 2, 3] as const;

const database = rolledBackDatabase();

/** A store with three agents and the channel `harbour`, which has the number 1. */
function aStore() {
  for (const id of ['Lamp', 'Horn', 'Bell']) {
    database
      .sql(
        `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms)
         VALUES (lower(?), ?, ?, x'00', '[]', 0, 0)`,
      )
      .run(id, id, id);
  }
  database.sql("INSERT INTO hub_channels (id, name, created_ms) VALUES ('harbour', 'x', 0)").run();
  const store = new HubMessagesStore(database);
  let count = 0;
  const send = (more: Partial<NewMessage> = {}) => {
    count += 1;
    const place = { sender: LAMP, receiver: HORN, channel: null, room_id: 'room-1' };
    return store.insert({ message_id: `msg-${count}`, payload: String(count), sentMs: SENT_MS, ...place, ...more });
  };
  const inbox = (agent: number, after = 0, limit = 100) =>
    store.look(agent, after, limit, 100).messages.map(({ _id }) => _id);
  const receipts = (agent: number, limit = 100) => store.look(agent, 0, 100, limit).receipts;
  return { store, send, inbox, receipts };
}

describe('The log of messages', () => {
  it('shows a direct message with the ids of both agents, and one to a channel with that of the channel', () => {
    const { store, send } = aStore();
    const direct = send({ payload: '{"a":[null]}' });
    const channel = send({ receiver: null, channel: 1, room_id: 'harbour', payload: '"fog"' });
    const shared = { from: 'Lamp', ts: 1_700_000_000 };
    expect(store.find(direct)).toEqual({
      ...{ ...shared, _id: direct, _message_id: 'msg-1', msg_type: 'message' },
      ...{ to: 'Horn', room_id: 'room-1', payload: { a: [null] } },
    });
    expect(store.find(channel)).toEqual({
      ...{ ...shared, _id: channel, _message_id: 'msg-2', msg_type: 'channel_message' },
      ...{ to: 'harbour', room_id: 'harbour', payload: 'fog' },
    });
    expect(store.find(channel + 1)).toBeUndefined();
  });

  it('shows nothing in the place of a payload that nobody can read, and what follows it', () => {
    const { store, send } = aStore();
    const sent = ['{', '['.repeat(20_000), '2'].map((payload) => send({ payload }));
    for (const message of sent) store.queue(HORN, message, 9);
    expect(store.look(HORN, 0, 9, 9).messages.map(({ payload }) => payload)).toEqual([null, null, 2]);
  });

  it('lists a thread newest first, below a number and up to a limit', () => {
    const { store, send } = aStore();
    const [one, , three, four] = [send(), send({ room_id: 'room-2' }), send(), send()];
    const list = (before: number, limit: number) => store.listThread('room-1', before, limit).map(({ _id }) => _id);
    expect([list(99, 9), list(four, 9), list(99, 2)]).toEqual([
      [four, three, one],
      [three, one],
      [four, three],
    ]);
  });

  it('knows who wrote last in a thread, and who wrote in it at all', () => {
    const { store, send } = aStore();
    send();
    send({ sender: HORN, receiver: LAMP });
    send({ sender: BELL, room_id: 'room-2' });
    expect(['room-1', 'room-2', 'room-3'].map((room) => store.findLastSender(room))).toEqual([HORN, BELL, undefined]);
    expect([store.hasSent('room-1', LAMP), store.hasSent('room-1', BELL), store.hasSent('room-3', LAMP)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('deletes the oldest messages sent before a time, so many at once, from the inboxes too', () => {
    const { store, send, inbox } = aStore();
    const [oldest, kept, old, edge] = [70, 90, 80, 90].map((sentMs) => send({ sentMs })) as [
      number,
      number,
      number,
      number,
    ];
    for (const message of [oldest, kept, old, edge]) store.queue(HORN, message, 9);
    expect([store.prune(90, 1), inbox(HORN)]).toEqual([1, [kept, old, edge]]);
    expect([store.prune(90, 9), store.prune(90, 9), inbox(HORN)]).toEqual([1, 0, [kept, edge]]);
  });
});

describe('An inbox', () => {
  it('holds the newest messages of its agent up to the limit, and leaves those of others alone', () => {
    const { store, send, inbox } = aStore();
    const sent = [send(), send(), send()];
    store.queue(BELL, sent[0] as number, 1);
    for (const message of sent) store.queue(HORN, message, 2);
    expect([inbox(HORN), store.countWaiting(HORN), inbox(BELL)]).toEqual([sent.slice(1), 2, sent.slice(0, 1)]);
    store.queue(HORN, send(), 1);
    expect([inbox(HORN), inbox(BELL)]).toEqual([[4], sent.slice(0, 1)]);
  });

  it('shows the oldest ones above a number, up to a limit', () => {
    const { store, send, inbox } = aStore();
    const [one, two, three] = [send(), send(), send()];
    for (const message of [three, one, two]) store.queue(HORN, message, 9);
    expect([inbox(HORN, 0, 2), inbox(HORN, one), inbox(HORN, three)]).toEqual([[one, two], [two, three], []]);
  });

  it('marks a message that a live socket accepted, for that agent alone', () => {
    const { store, send } = aStore();
    const [one, two] = [send(), send()];
    for (const agent of [HORN, BELL]) for (const message of [one, two]) store.queue(agent, message, 9);
    store.putDelivered(HORN, two);
    const marks = (agent: number) => store.look(agent, 0, 9, 9).messages.map((message) => 'delivered' in message);
    expect([marks(HORN), marks(BELL)]).toEqual([
      [false, true],
      [false, false],
    ]);
    expect(store.look(HORN, one, 9, 9).messages).toMatchObject([{ delivered: true }]);
  });

  it('loses what is taken, each with a receipt for its sender; what is not in it is skipped', () => {
    const { store, send, inbox, receipts } = aStore();
    const [one, two, other] = [send(), send({ sender: BELL }), send()];
    for (const message of [one, two]) store.queue(HORN, message, 9);
    store.queue(BELL, other, 9);
    expect(store.take(HORN, [one, other, 99, two, one], 5_999)).toBe(2);
    expect([inbox(HORN), inbox(BELL)]).toEqual([[], [other]]);
    expect([receipts(LAMP), receipts(BELL), receipts(HORN)]).toEqual([
      [{ seq: 1, message_id: 'msg-1', by: 'Horn', ts: 5 }],
      [{ seq: 2, message_id: 'msg-2', by: 'Horn', ts: 5 }],
      [],
    ]);
  });
});

describe('Receipts', () => {
  it('are shown oldest first, so many at once, until they were read', () => {
    const { store, send, receipts } = aStore();
    const sent = [send(), send(), send()];
    for (const message of sent) store.queue(HORN, message, 9);
    store.take(HORN, [...sent].reverse(), 5_000);
    const ids = (limit?: number) => receipts(LAMP, limit).map(({ message_id }) => message_id);
    expect([ids(), ids(2)]).toEqual([
      ['msg-3', 'msg-2', 'msg-1'],
      ['msg-3', 'msg-2'],
    ]);
    store.putReceiptsRead(LAMP, 1);
    expect(ids()).toEqual(['msg-2', 'msg-1']);
    store.putReceiptsRead(LAMP, 3);
    expect(ids()).toEqual([]);
  });
});
