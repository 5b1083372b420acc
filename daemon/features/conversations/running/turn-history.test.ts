import { describe, expect, it } from 'vitest';
import type { Message } from '../../../contract/conversations.js';
import type { TurnRow } from '../turns-store.js';
import { readHistory } from './turn-history.js';

const said = (turn: string, role: string, text: string) => ({ turn, role, text }) as Message;
const begun = (turn: string, profile = 'operator', started_ms: number | null = 0) =>
  ({ turn, profile, started_ms }) as TurnRow;

/** The history of `asking` before the turn `now`, with what was asked of the stores. */
function historyOf(messages: readonly Message[] | undefined, turns: TurnRow[], profile = 'operator') {
  const read: unknown[] = [];
  const conversations = {
    page: (conv: string, before: string | undefined, limit: number) => {
      read.push([conv, before, limit]);
      return messages && [...messages];
    },
  };
  const named = {
    listNamed: (conv: string, ids: ReadonlySet<string>) => {
      read.push([conv, [...ids]]);
      return turns;
    },
  };
  const now = { conv: 'conv-1', turn: 'now', profile } as TurnRow;
  const history = readHistory({ conversations, turns: named }, now).map(({ role, text }) => `${role} ${text}`);
  return { history, read };
}

describe('the history of a turn', () => {
  it('is in the order of the turns, whatever was written meanwhile', () => {
    const messages = [said('a', 'user', '1'), said('b', 'user', '3'), said('a', 'assistant', '2')];
    const { history, read } = historyOf(
      [...messages, said('now', 'user', '4')],
      [begun('a'), begun('b'), begun('now')],
    );
    expect(history).toEqual(['user 1', 'assistant 2', 'user 3']);
    expect(read).toEqual([
      ['conv-1', undefined, 200],
      ['conv-1', ['a', 'b', 'now']],
    ]);
  });

  it('has neither notices, nor turns that never began, nor those of another conversation', () => {
    const messages = [said('a', 'system', 'told'), said('a', 'tool', 'used'), said('b', 'user', 'waits')];
    const turns = [begun('a'), begun('b', 'operator', null)];
    expect(historyOf([...messages, said('a', 'user', 'said')], turns).history).toEqual(['user said']);
    expect(historyOf(undefined, []).history).toEqual([]);
  });

  it('hides the turns of the operator from other programs, and none from the operator', () => {
    const messages = [said('a', 'user', 'mine'), said('b', 'user', 'theirs')];
    const turns = [begun('a'), begun('b', 'outside')];
    expect(historyOf(messages, turns, 'outside').history).toEqual(['user theirs']);
    expect(historyOf(messages, turns).history).toEqual(['user mine', 'user theirs']);
  });

  it('marks what another program asked, not what it was answered', () => {
    const messages = [said('a', 'user', 'mine'), said('b', 'user', 'theirs'), said('b', 'assistant', 'told')];
    const turns = [begun('a'), begun('b', 'outside')];
    const stores = { conversations: { page: () => messages }, turns: { listNamed: () => turns } };
    expect(readHistory(stores, begun('now')).map(({ from }) => from)).toEqual([undefined, 'outside', undefined]);
  });

  it('is the newest 48,000 characters, whole messages only', () => {
    const messages = (first: string) => [said('a', 'user', first), said('b', 'user', 'y'.repeat(40_000))];
    const turns = [begun('a'), begun('b')];
    expect(historyOf(messages('x'.repeat(8_000)), turns).history).toHaveLength(2);
    expect(historyOf(messages('x'.repeat(8_001)), turns).history).toEqual([`user ${'y'.repeat(40_000)}`]);
    const older = [said('o', 'user', 'short'), ...messages('x'.repeat(8_001))];
    expect(historyOf(older, [begun('o'), ...turns]).history).toHaveLength(1);
  });
});
