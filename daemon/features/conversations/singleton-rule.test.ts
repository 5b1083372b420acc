import { expect, it } from 'vitest';
import type { ConversationRow } from './conversations-store.js';
import { findOpenConversation } from './singleton-rule.js';

const row = (conv: string, updated_ms: number, seq: number) => ({ conv, updated_ms, seq }) as ConversationRow;
const LIVE = [row('old', 1, 9), row('young', 3, 1), row('younger', 3, 2), row('middle', 2, 8)];
const find = (...running: string[]) => findOpenConversation(LIVE, (conv) => running.includes(conv))?.conv;

it('is the latest conversation, of two at the same time the one that was made later', () => {
  expect(find()).toBe('younger');
  expect(findOpenConversation([], () => true)).toBeUndefined();
});

it('is the latest of those with a running turn, if there is one', () => {
  expect(find('old')).toBe('old');
  expect(find('old', 'middle')).toBe('middle');
});

it('leaves the given order unchanged', () => {
  find();
  expect(LIVE.map(({ conv }) => conv)).toEqual(['old', 'young', 'younger', 'middle']);
});
