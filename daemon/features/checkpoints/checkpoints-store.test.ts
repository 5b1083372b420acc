import { describe, expect, it } from 'vitest';
import { aCheckpoint, conversationRows } from '../../testing/parts/checkpoint-parts.js';
import { checkpointView } from './checkpoints-store.js';

async function rows() {
  const all = conversationRows();
  for (const conv of ['conv-a', 'conv-b']) await all.addConversation(conv);
  return all;
}

const FULL = aCheckpoint({
  ...{ checkpoint: 'turn-1', kind: 'turn', turn: 'turn-1', commit_id: 'c1', tree: 't1', files: 3, additions: 4 },
  ...{ deletions: 5, left_out: ['.env'], others: ['conv-b'], last_seq: 6, hidden: [[7, 8]], created_ms: 9 },
});

describe('checkpoints', () => {
  it('are stored whole, for their conversation alone', async () => {
    const { store, addCheckpoint } = await rows();
    await addCheckpoint(FULL);
    expect(store.find('conv-a', 'turn-1')).toEqual({ ...FULL, seq: 1 });
    expect(store.findLast('conv-a')).toEqual({ ...FULL, seq: 1 });
    expect(store.list('conv-a', 1)).toEqual([{ ...FULL, seq: 1 }]);
    expect([store.find('conv-a', 'start'), store.find('conv-b', 'turn-1')]).toEqual([undefined, undefined]);
    expect([store.findLast('conv-b'), store.list('conv-b', 1), store.count('conv-b')]).toEqual([undefined, [], 0]);
  });

  it('are listed with the oldest first, and only the newest of them', async () => {
    const { store, addCheckpoint } = await rows();
    for (const checkpoint of ['start', 'turn-2', 'turn-1']) await addCheckpoint({ checkpoint });
    await addCheckpoint({ conv: 'conv-b' });
    expect(store.list('conv-a', 2).map(({ checkpoint }) => checkpoint)).toEqual(['turn-2', 'turn-1']);
    expect(store.list('conv-a', 9).map(({ checkpoint }) => checkpoint)).toEqual(['start', 'turn-2', 'turn-1']);
    expect([store.findLast('conv-a')?.checkpoint, store.count('conv-a')]).toEqual(['turn-1', 3]);
  });

  it('that no turn makes are numbered within their conversation', async () => {
    const { store, addCheckpoint } = await rows();
    await addCheckpoint({ checkpoint: 'start' });
    await addCheckpoint({ conv: 'conv-b', checkpoint: 'kept-1' });
    expect(store.nextKept('conv-a')).toBe('kept-1');
    await addCheckpoint({ checkpoint: 'kept-1' });
    expect([store.nextKept('conv-a'), store.nextKept('conv-b')]).toEqual(['kept-2', 'kept-2']);
  });

  it('are told with the time at which they were made', () => {
    expect(checkpointView({ ...FULL, created_ms: Date.UTC(2026, 0, 2) })).toEqual({
      ...{ checkpoint: 'turn-1', kind: 'turn', turn: 'turn-1', commit: 'c1', files: 3, additions: 4, deletions: 5 },
      ...{ left_out: ['.env'], others: ['conv-b'], created_at: '2026-01-02T00:00:00.000Z' },
    });
  });
});

describe('turns that lack their checkpoint', () => {
  it('are kept once each, oldest first, with what went wrong last', async () => {
    const { store, transactions, addTurn } = await rows();
    for (const turn of ['turn-2', 'turn-1']) await addTurn(turn);
    await addTurn('turn-3', { conv: 'conv-b' });
    await transactions.run((transaction) => {
      for (const turn of ['turn-2', 'turn-1']) store.putDue(transaction, { turn, conv: 'conv-a', problem: null });
      store.putDue(transaction, { turn: 'turn-3', conv: 'conv-b', problem: null });
      store.putDue(transaction, { turn: 'turn-2', conv: 'conv-a', problem: 'No space.' });
    });
    const [second, first, third] = [
      { turn: 'turn-2', conv: 'conv-a', problem: 'No space.' },
      { turn: 'turn-1', conv: 'conv-a', problem: null },
      { turn: 'turn-3', conv: 'conv-b', problem: null },
    ];
    expect(store.listDue()).toEqual([second, first, third]);
    expect(store.listDue('conv-a')).toEqual([second, first]);
    await transactions.run((transaction) => store.dropDue(transaction, 'turn-2'));
    expect(store.listDue()).toEqual([first, third]);
  });
});

describe('conversations that worked meanwhile', () => {
  const meanwhile = async (started_ms: number, finished_ms: number | null, given: object = {}) => {
    const { store, addTurn, addCheckpoint } = await rows();
    await addCheckpoint({ conv: 'conv-b' });
    await addTurn('turn-1');
    await addTurn('turn-2', { conv: 'conv-b', started_ms, finished_ms, ...given });
    return store.listMeanwhile('conv-a', 'turn-1');
  };

  it.each<[title: string, started: number, finished: number | null, found: string[]]>([
    ['one that ended as it started', 10, 100, ['conv-b']],
    ['one that started as it ended', 200, 900, ['conv-b']],
    ['one that still runs', 150, null, ['conv-b']],
    ['not one that ended before', 10, 99, []],
    ['not one that started later', 201, 900, []],
    ['not one that started later and runs', 201, null, []],
  ])('%s', async (_title, started, finished, found) => {
    expect(await meanwhile(started, finished)).toEqual(found);
  });

  it('are those with a checkpoint, of the operator, and not its own', async () => {
    expect(await meanwhile(100, 200, { profile: 'outside' })).toEqual([]);
    expect(await meanwhile(100, 200, { conv: 'conv-a' })).toEqual([]);
    const { store, addTurn } = await rows();
    await addTurn('turn-1');
    await addTurn('turn-2', { conv: 'conv-b' });
    expect(store.listMeanwhile('conv-a', 'turn-1')).toEqual([]);
  });

  it('are told once each', async () => {
    const { store, addTurn, addCheckpoint } = await rows();
    for (const checkpoint of ['start', 'turn-2']) await addCheckpoint({ conv: 'conv-b', checkpoint });
    await addTurn('turn-1');
    for (const turn of ['turn-2', 'turn-3']) await addTurn(turn, { conv: 'conv-b' });
    expect(store.listMeanwhile('conv-a', 'turn-1')).toEqual(['conv-b']);
    expect(store.listMeanwhile('conv-b', 'turn-1')).toEqual([]);
  });
});

it('the last turn is that of the conversation, and 0 without one', async () => {
  const { store, addTurn } = await rows();
  expect(store.lastSeq('conv-a')).toBe(0);
  const own = await addTurn('turn-1');
  await addTurn('turn-2', { conv: 'conv-b' });
  expect(store.lastSeq('conv-a')).toBe(own.seq);
});

it('a deleted conversation with checkpoints is noted until its references are gone', async () => {
  const { store, transactions, conversations, addCheckpoint } = await rows();
  await addCheckpoint({});
  await transactions.run((transaction) => {
    for (const conv of ['conv-a', 'conv-b']) conversations.drop(transaction, conv);
  });
  expect(store.listGone()).toEqual(['conv-a']);
  await transactions.run((transaction) => store.dropGone(transaction, 'conv-b'));
  expect(store.listGone()).toEqual(['conv-a']);
  await transactions.run((transaction) => store.dropGone(transaction, 'conv-a'));
  expect(store.listGone()).toEqual([]);
});
