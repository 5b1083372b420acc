import { expect, it } from 'vitest';
import { aCheckpoint, conversationRows } from '../../testing/parts/checkpoint-parts.js';
import { ForksStore } from './forks-store.js';

/** A conversation with the turns 1 to 4, of which each has a message, and an empty one for the copy. */
async function rows() {
  const all = conversationRows();
  for (const conv of ['conv-a', 'conv-b']) await all.addConversation(conv);
  for (const turn of ['1', '2', '3', '4']) {
    await all.addTurn(`turn-${turn}`);
    await all.addMessage(`turn-${turn}`, `word${turn}`, { role: 'assistant', doc_names: ['a.md'], created_ms: 7 });
  }
  const { transactions, sql } = all;
  const store = new ForksStore(all.database);
  return {
    ...{ ...all, store },
    copy: (given: object) =>
      transactions.run((transaction) => store.copyMessages(transaction, aCheckpoint(given), 'conv-b')),
    turns: () => sql("SELECT * FROM turns WHERE conv = 'conv-b' ORDER BY seq").all() as Record<string, unknown>[],
    messages: () => sql("SELECT * FROM messages WHERE conv = 'conv-b' ORDER BY seq").all() as Record<string, unknown>[],
  };
}

it('copies the messages up to the checkpoint, with ids of their own', async () => {
  const { copy, turns, messages, sql } = await rows();
  sql("UPDATE turns SET outcome = 'answered', client = 'acp', usage = '{}'").run();
  await copy({ last_seq: 2 });
  const facts = { conv: 'conv-b', state: 'ended', profile: 'operator', started_ms: 100, finished_ms: 200 };
  expect(turns()).toMatchObject([
    { ...facts, seq: 5, outcome: 'answered', client: 'acp', usage: null },
    { ...facts, seq: 6 },
  ]);
  const [first, second] = turns().map(({ turn }) => turn);
  const copied = { conv: 'conv-b', role: 'assistant', doc_names: '["a.md"]', created_ms: 7 };
  expect(messages()).toMatchObject([
    { ...copied, seq: 5, text: 'word1', turn: first },
    { ...copied, seq: 6, text: 'word2', turn: second },
  ]);
  const ids = [...turns().map(({ turn }) => turn), ...messages().map(({ id }) => id)];
  expect(ids.map((id) => String(id).replace(/-.*/, ''))).toEqual(['turn', 'turn', 'msg', 'msg']);
  expect(new Set(ids).size).toBe(4);
  expect(sql("SELECT conv FROM turns WHERE turn = 'turn-1'").pluck().get()).toBe('conv-a');
});

it('what is copied is found in a search, and read', async () => {
  const { copy, sql, conversations } = await rows();
  await copy({ last_seq: 2 });
  const find = (word: string) =>
    sql('SELECT rowid FROM messages_text WHERE messages_text MATCH ?').pluck().all(word) as number[];
  expect([find('word1'), find('word2'), find('word3')]).toEqual([[1, 5], [2, 6], [3]]);
  expect([conversations.find('conv-b')?.read_seq, conversations.find('conv-a')?.read_seq]).toEqual([6, 0]);
});

it('leaves out the turns that were set aside and those that have not ended', async () => {
  const { copy, messages, sql } = await rows();
  sql("UPDATE turns SET state = 'running' WHERE turn = 'turn-4'").run();
  await copy({
    last_seq: 9,
    hidden: [
      [1, 1],
      [3, 3],
    ],
  });
  expect(messages().map(({ text }) => text)).toEqual(['word2']);
});

it('a range that was set aside counts with its ends', async () => {
  const { copy, messages } = await rows();
  await copy({ last_seq: 9, hidden: [[2, 3]] });
  expect(messages().map(({ text }) => text)).toEqual(['word1', 'word4']);
});

it('what is set aside now and was not then is copied, in its place', async () => {
  const { copy, messages, aside, transactions } = await rows();
  await transactions.run((transaction) =>
    aside.putHidden(transaction, 'conv-a', [
      [1, 1],
      [4, 4],
    ]),
  );
  await copy({ last_seq: 4 });
  // The number of a message that is set aside is not given away.
  expect(messages().map(({ seq, text }) => [seq, text])).toEqual([
    [5, 'word1'],
    [6, 'word2'],
    [7, 'word3'],
    [8, 'word4'],
  ]);
});

it('a copy of nothing is read up to the newest message', async () => {
  const { copy, turns, messages, conversations } = await rows();
  await copy({ last_seq: 0 });
  expect([turns(), messages(), conversations.find('conv-b')?.read_seq]).toEqual([[], [], 4]);
});

it('the files of a fork are given until they are there', async () => {
  const { store, transactions } = await rows();
  expect(store.findTree('conv-b')).toBeUndefined();
  await transactions.run((transaction) => {
    store.putTree(transaction, 'conv-a', 'tree-a');
    store.putTree(transaction, 'conv-b', 'tree-b');
  });
  expect(store.findTree('conv-b')).toBe('tree-b');
  await transactions.run((transaction) => store.putDone(transaction, 'conv-b'));
  expect([store.findTree('conv-a'), store.findTree('conv-b')]).toEqual(['tree-a', undefined]);
});
