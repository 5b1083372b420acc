import { expect, it } from 'vitest';
import { conversationRows } from '../../testing/parts/checkpoint-parts.js';
import type { SeqRanges } from './seq-ranges.js';

/** A conversation with the turns 1 to 4, of which each has one message with its number, and another conversation. */
async function rows() {
  const all = conversationRows();
  for (const conv of ['conv-a', 'conv-b']) await all.addConversation(conv);
  for (const turn of ['1', '2', '3', '4']) {
    await all.addTurn(`turn-${turn}`);
    await all.addMessage(`turn-${turn}`, `word${turn}`, { role: 'assistant', calls: [{ name: 'read' }] });
  }
  await all.addTurn('turn-5', { conv: 'conv-b' });
  await all.addMessage('turn-5', 'word5', { conv: 'conv-b' });
  const { transactions, aside, conversations, sql } = all;
  return {
    ...all,
    hide: (hidden: SeqRanges) => transactions.run((transaction) => aside.putHidden(transaction, 'conv-a', hidden)),
    texts: (conv = 'conv-a') => [...conversations.everyMessage(conv)].map(({ text }) => text),
    finds: (word: string) =>
      sql('SELECT rowid FROM messages_text WHERE messages_text MATCH ?').pluck().all(word) as number[],
  };
}

it('takes exactly the messages of the given turns away, and counts those that were there before', async () => {
  const { aside, hide, texts, finds } = await rows();
  expect(aside.findHidden('conv-a')).toEqual([]);
  expect(
    await hide([
      [2, 2],
      [4, 9],
    ]),
  ).toBe(2);
  expect(aside.findHidden('conv-a')).toEqual([
    [2, 2],
    [4, 9],
  ]);
  expect([texts(), finds('word2'), finds('word3')]).toEqual([['word1', 'word3'], [], [3]]);
  expect(await hide([[2, 3]])).toBe(1);
  expect(aside.findHidden('conv-a')).toEqual([[2, 3]]);
  expect(texts()).toEqual(['word1', 'word4']);
});

it('puts a message back as it was, in its place and into the search', async () => {
  const { sql, hide, texts, finds } = await rows();
  const all = () => sql('SELECT * FROM messages ORDER BY seq').all();
  const before = all();
  await hide([[1, 4]]);
  expect(texts()).toEqual([]);
  expect(sql('SELECT count(*) FROM messages_aside').pluck().get()).toBe(4);
  expect(await hide([])).toBe(0);
  expect(all()).toEqual(before);
  expect([finds('word1'), finds('word4')]).toEqual([[1], [4]]);
  expect(sql('SELECT count(*) FROM messages_aside').pluck().get()).toBe(0);
});

it('leaves other conversations alone', async () => {
  const { aside, hide, texts, finds } = await rows();
  expect(await hide([[1, 9]])).toBe(4);
  expect([texts('conv-b'), finds('word5')]).toEqual([['word5'], [5]]);
  expect(aside.findHidden('conv-b')).toEqual([]);
  expect(await hide([[1, 9]])).toBe(0);
});

it('keeps what is under way for each conversation until it is dropped', async () => {
  const { aside, transactions } = await rows();
  const one = { conv: 'conv-a', kept: 'kept-1', target: 't1', hidden: null };
  const other = { conv: 'conv-b', kept: 'kept-2', target: 't2', hidden: [[1, 2]] as const };
  await transactions.run((transaction) => {
    aside.putRewind(transaction, one);
    aside.putRewind(transaction, other);
  });
  expect(aside.listRewinds()).toEqual([one, other]);
  expect([aside.listRewinds('conv-a'), aside.listRewinds('conv-b')]).toEqual([[one], [other]]);
  await transactions.run((transaction) => aside.dropRewind(transaction, 'conv-a'));
  expect(aside.listRewinds()).toEqual([other]);
});
