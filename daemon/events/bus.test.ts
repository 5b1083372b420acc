import { describe, expect, it } from 'vitest';
import type { Message, Permission, ToolCall } from '../contract/conversations.js';
import { EVENT_RING } from '../contract/limits.js';
import { FakeClock } from '../testing/fake-clock.js';
import { Bus } from './bus.js';
import { coalesce } from './slow-reader.js';

describe('event bus', () => {
  it('numbers events consecutively and returns those after a number without a gap', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    for (const id of ['a', 'b', 'c']) bus.publish('team.updated', { id });
    expect(bus.seq).toBe(start + 3);
    expect(bus.since(start + 1)?.map((event) => event.seq)).toEqual([start + 2, start + 3]);
    expect(bus.since(start + 3)).toEqual([]);
    expect(bus.since(start)?.length).toBe(3);
  });

  it('returns undefined when the ring lacks missed events or the number is from another run', () => {
    const clock = new FakeClock();
    const earlier = new Bus(clock);
    for (let i = 0; i < 500; i += 1) earlier.publish('team.updated', { id: 'a' });
    clock.advance(1_000);
    const bus = new Bus(clock);
    const start = bus.seq;
    for (let i = 0; i < EVENT_RING + 10; i += 1) bus.publish('team.updated', { id: 'a' });
    expect(bus.since(start + 9)).toBeUndefined();
    expect(bus.since(start + 10)?.length).toBe(EVENT_RING);
    expect(bus.since(start + EVENT_RING + 11)).toBeUndefined();
    expect(bus.since(earlier.seq)).toBeUndefined();
  });

  it('calls listeners until they unsubscribe', () => {
    const bus = new Bus(new FakeClock());
    const seen: number[] = [];
    const start = bus.seq;
    const stop = bus.watch((event) => seen.push(event.seq));
    bus.publish('team.created', { id: 'a' });
    stop();
    bus.publish('team.created', { id: 'b' });
    expect(seen).toEqual([start + 1]);
  });
});

describe('a reader that fell behind', () => {
  it('receives the newest event of each kind per entity and the full text of a turn, ordered by the newest', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    bus.publish('team.updated', { id: 'a' });
    bus.publish('turn.delta', { conv: 'c', turn: 't', index: 0, text: 'Hello ' });
    bus.publish('team.updated', { id: 'b' });
    bus.publish('turn.delta', { conv: 'c', turn: 't', index: 1, text: 'world' });
    bus.publish('team.updated', { id: 'a' });
    bus.publish('turn.ended', { conv: 'c', turn: 't', outcome: 'answered' });
    const kept = coalesce(bus.since(start) ?? []);
    expect(kept.map(({ seq, type }) => [seq - start, type])).toEqual([
      [3, 'team.updated'],
      [4, 'turn.delta'],
      [5, 'team.updated'],
      [6, 'turn.ended'],
    ]);
    expect(kept[1]).toMatchObject({ index: 0, text: 'Hello world' });
  });

  it('loses no message, tool call or permission request of a conversation', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    const message = (id: string) => ({ id, conv: 'c' }) as Message;
    const call = (id: string, state: ToolCall['state']) => ({ id, name: 'read', target: '', state });
    for (const id of ['m1', 'm2']) bus.publish('message.added', { conv: 'c', message: message(id) });
    bus.publish('turn.tool', { conv: 'c', turn: 't', call: call('a', 'running') });
    bus.publish('turn.tool', { conv: 'c', turn: 't', call: call('b', 'running') });
    bus.publish('turn.tool', { conv: 'c', turn: 't', call: call('a', 'done') });
    for (const pid of ['p1', 'p2'])
      bus.publish('turn.permission', { conv: 'c', turn: 't', permission: { pid } as Permission });
    expect(coalesce(bus.since(start) ?? []).map(({ seq }) => seq - start)).toEqual([1, 2, 4, 5, 6, 7]);
  });

  it('loses nothing of one of two turns of a conversation, whose calls may have the same id', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    const call = { id: 'a', name: 'read', target: '', state: 'done' } as const;
    for (const turn of ['t1', 't2']) {
      bus.publish('turn.tool', { conv: 'c', turn, call });
      bus.publish('turn.delta', { conv: 'c', turn, index: 0, text: turn });
      bus.publish('turn.ended', { conv: 'c', turn, outcome: 'answered' });
    }
    const kept = coalesce(bus.since(start) ?? []);
    expect(kept).toEqual(bus.since(start));
  });

  it('loses nothing of one of several clusters, boards, calls, budgets, checkpoints or reports', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    for (const it of ['a', 'b']) {
      bus.publish('cluster.deleted', { cluster: it });
      for (const board of ['x', 'y']) bus.publish('board.changed', { cluster: it, board });
      bus.publish('room.changed', { cluster: it });
      bus.publish('call.changed', { call_id: it });
      bus.publish('payment.balance', { agent: it });
      bus.publish('budget.reached', { scope: it });
      bus.publish('checkpoint.made', { conv: 'c', checkpoint: it });
      bus.publish('reputation.filed', { agent_id: 'lamp-agent', report: it.charCodeAt(0) });
    }
    expect(coalesce(bus.since(start) ?? [])).toEqual(bus.since(start));
  });

  it('receives one event per agent and surface', () => {
    const bus = new Bus(new FakeClock());
    const start = bus.seq;
    bus.publish('agent.updated', { agent_id: 'lamp-agent', surface: 'hub' });
    bus.publish('agent.updated', { agent_id: 'horn-agent', surface: 'hub' });
    bus.publish('agent.updated', { agent_id: 'lamp-agent', surface: 'v1' });
    bus.publish('agent.updated', { agent_id: 'horn-agent', surface: 'hub' });
    expect(coalesce(bus.since(start) ?? []).map(({ seq }) => seq - start)).toEqual([1, 3, 4]);
  });
});
