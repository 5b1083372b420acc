import { describe, expect, it } from 'vitest';
import type { Message, Turn } from '../../../../daemon/contract/conversations.js';
import { createLines, findLastUserMessage, groupBlocks, listQueued, unanswered } from './transcript-lines.js';

function aMessage(id: string, values: Partial<Message> = {}): Message {
  return {
    id,
    conv: 'conv-1',
    turn: 't1',
    role: 'user',
    text: id,
    calls: [],
    citations: [],
    dropped_citations: 0,
    context_docs: [],
    from_outside: false,
    created_at: new Date(2026, 10, 21, 12).toISOString(),
    ...values,
  };
}

function turns(...states: [string, Turn['state']][]): Map<string, Turn> {
  return new Map(
    states.map(([turn, state]) => [
      turn,
      {
        turn,
        conv: 'conv-1',
        state,
        outcome: state === 'ended' ? 'answered' : null,
        code: null,
        reason: null,
        client: '',
        model: '',
        effort: '',
        usage: null,
        created_at: '',
        started_at: null,
        finished_at: null,
      },
    ]),
  );
}

const ids = (lines: { message: Message }[]) => lines.map(({ message }) => message.id);

describe('transcript lines', () => {
  it('put an answer below its question even when messages were sent in between', () => {
    const messages = [aMessage('u1'), aMessage('u2', { turn: 't2' }), aMessage('a1', { role: 'assistant' })];
    expect(ids(createLines(messages, turns(['t1', 'ended'], ['t2', 'running'])))).toEqual(['u1', 'a1', 'u2']);
  });

  it('leave out queued messages, which queueOf returns in order', () => {
    const messages = [aMessage('u1'), aMessage('u2', { turn: 't2' }), aMessage('u3', { turn: 't3' })];
    const state = turns(['t1', 'running'], ['t2', 'queued'], ['t3', 'queued']);
    expect(ids(createLines(messages, state))).toEqual(['u1']);
    expect(listQueued(messages, state).map(({ id }) => id)).toEqual(['u2', 'u3']);
  });

  it('end a turn once, after its last line, and only when it has ended', () => {
    const messages = [aMessage('u1'), aMessage('a1', { role: 'assistant' }), aMessage('u2', { turn: 't2' })];
    const lines = createLines(messages, turns(['t1', 'ended'], ['t2', 'running']));
    expect(lines.map(({ ending }) => ending?.turn)).toEqual([undefined, 't1', undefined]);
  });

  it('have the day only on its first line', () => {
    const yesterday = new Date(2026, 10, 20, 23, 59).toISOString();
    const messages = [
      aMessage('u1', { created_at: yesterday }),
      aMessage('a1', { created_at: yesterday, role: 'assistant' }),
      aMessage('u2', { turn: 't2' }),
      aMessage('u3', { turn: 't3' }),
    ];
    expect(createLines(messages, turns()).map(({ day }) => day !== undefined)).toEqual([true, false, true, false]);
  });

  it('include the last question without an answer once its turn has ended', () => {
    const messages = [
      aMessage('u1'),
      aMessage('a1', { role: 'assistant' }),
      aMessage('u2', { turn: 't2' }),
      aMessage('u3', { turn: 't3' }),
    ];
    const ended = (...failed: string[]) =>
      new Map(
        [...turns(['t1', 'ended'], ['t2', 'ended'], ['t3', 'queued'])].map(([id, turn]) => [
          id,
          failed.includes(id) ? { ...turn, outcome: 'failed' as const } : turn,
        ]),
      );
    expect(unanswered(messages, ended('t2'))?.id).toBe('u2');
    expect(unanswered(messages, ended('t1'))).toBeUndefined();
    expect(unanswered(messages, turns(['t1', 'ended'], ['t2', 'running'], ['t3', 'queued']))).toBeUndefined();
    expect(unanswered([], new Map())).toBeUndefined();
  });

  it('include the last message of the operator, skipping those of programs', () => {
    expect(
      findLastUserMessage([
        aMessage('u1'),
        aMessage('o1', { from_outside: true }),
        aMessage('a1', { role: 'assistant' }),
      ])?.id,
    ).toBe('u1');
  });
});

describe('groupBlocks', () => {
  const lines = (from: number, to: number) =>
    createLines(
      Array.from({ length: to - from }, (_, at) => aMessage(`m${from + at}`, { turn: `t${from + at}` })),
      turns(),
    );

  it('keeps all blocks but the topmost unchanged when older lines are prepended', () => {
    const before = groupBlocks(lines(200, 300), 0);
    const after = groupBlocks(lines(100, 300), 100, before);
    expect(after.flatMap((block) => ids([...block.lines]))).toEqual(ids(lines(100, 300)));
    expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
    for (const block of before.slice(1))
      expect(after.find(({ key }) => key === block.key)?.lines.length).toBe(block.lines.length);
  });

  it('changes only the last block when a line is appended', () => {
    const messages = Array.from({ length: 100 }, (_, at) => aMessage(`m${at}`, { turn: `t${at}` }));
    const before = groupBlocks(createLines(messages, turns()), 0);
    const after = groupBlocks(createLines([...messages, aMessage('new', { turn: 'tn' })], turns()), 0, before);
    expect(after.map((block, at) => block === before[at])).toEqual([true, true, false]);
  });
});
