import { describe, expect, it } from 'vitest';
import type { Conversation, Message } from '../../../daemon/contract/conversations.js';
import { formatAnnouncement } from './composer/announcement-format.js';
import { groupConversations } from './list/conversation-groups.js';
import { parsePlace, touchedFiles } from './transcript/touched-files.js';

const now = new Date(2026, 10, 21, 14).getTime();
const one = (conv: string, updated: Date, pinned = false) =>
  ({ conv, pinned, updated_at: updated.toISOString() }) as Conversation;

describe('groupConversations', () => {
  it('groups by pin and day and leaves out empty groups', () => {
    const groups = groupConversations(
      [
        one('p', new Date(2026, 9, 1), true),
        one('t', new Date(2026, 10, 21, 0, 1)),
        one('y', new Date(2026, 10, 20, 23, 59)),
        one('w', new Date(2026, 10, 19, 23, 59)),
        one('e', new Date(2026, 10, 14, 13, 59)),
      ],
      now,
    );
    expect(groups.map(({ name, conversations }) => [name, conversations.map(({ conv }) => conv)])).toEqual([
      ['Pinned', ['p']],
      ['Today', ['t']],
      ['Yesterday', ['y']],
      ['The last 7 days', ['w']],
      ['Earlier', ['e']],
    ]);
    expect(groupConversations([one('t', new Date(2026, 10, 21, 9))], now).map(({ name }) => name)).toEqual(['Today']);
  });
});

describe('touched files', () => {
  it('recognizes file places and rejects commands, patterns and addresses', () => {
    expect(parsePlace('src/x.ts:40-72')).toEqual({ path: 'src/x.ts', from: 40, to: 72 });
    expect(parsePlace('./README.md')).toEqual({ path: 'README.md', from: 1, to: 1 });
    for (const path of ['docs/größe.md', '設定/手順.md', 'app/[id]/(shop)/page.tsx', 'a.b.d.ts', '.github/ci.yml'])
      expect(parsePlace(`${path}:3`), path).toEqual({ path, from: 3, to: 3 });
    for (const target of [
      'npm test',
      '**/*.ts',
      '$(rm x).ts',
      'a..ts',
      'x!.ts',
      'https://example.com/a.ts',
      '/etc/passwd.txt',
      '../up.ts',
      '',
    ])
      expect(parsePlace(target), target).toBeUndefined();
  });

  it('counts the files, most used first', () => {
    const calls = ['a.ts', 'b.ts:1-2', 'b.ts:9', 'ls'].map((target, id) => ({
      id: String(id),
      name: 'read',
      target,
      state: 'done' as const,
    }));
    expect(touchedFiles([{ calls }], 5)).toEqual([
      { path: 'b.ts', from: 9, to: 9, times: 2 },
      { path: 'a.ts', from: 1, to: 1, times: 1 },
    ]);
  });
});

describe('formatAnnouncement', () => {
  const messages = (id: string, role: Message['role'], from_outside = false) =>
    ({ id, role, text: `says ${id}`, from_outside }) as Message;

  it('announces a single message with its speaker and text', () => {
    expect(formatAnnouncement([messages('a', 'user'), messages('b', 'assistant')], 'a', 'Consultant')).toBe(
      'Consultant: says b',
    );
  });

  it('announces several messages as a count, and skips the operator’s own', () => {
    const burst = [
      messages('a', 'user'),
      messages('b', 'assistant'),
      messages('c', 'user', true),
      messages('d', 'assistant'),
    ];
    expect(formatAnnouncement(burst, 'a', 'Consultant')).toBe('3 new from 2 voices');
    expect(formatAnnouncement([messages('a', 'assistant'), messages('b', 'user')], 'a', 'Consultant')).toBe('');
  });
});
