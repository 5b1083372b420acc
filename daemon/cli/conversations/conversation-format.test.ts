import { describe, expect, it } from 'vitest';
import type { Conversation, Outcome, Permission, Turn } from '../../contract/conversations.js';
import type { PermissionDetail } from '../../contract/permissions.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { EXIT } from '../exit-codes.js';
import { formatRunsOn } from '../models/runs-on.js';
import { conversationState, endingLine, exitOfOutcome, questionLines } from './conversation-format.js';

const QUIET = { permissions: [], running: null, queued: 0, last_outcome: null, member_gone: false };

it.each<[Partial<Conversation>, string]>([
  [{}, ''],
  [{ last_outcome: 'answered' }, 'answered'],
  [{ last_outcome: 'deadline' }, 'out of time'],
  [{ last_outcome: 'answered', member_gone: true }, 'member gone'],
  [{ member_gone: true, queued: 2 }, '2 waiting'],
  [{ running: 'turn-1', last_outcome: 'failed' }, 'working'],
  [{ running: 'turn-1', queued: 2 }, 'working, 2 waiting'],
  [{ running: 'turn-1', permissions: [{} as Permission] }, 'needs you'],
])('the state of a conversation with %o is "%s"', (facts, state) => {
  expect(conversationState({ ...QUIET, ...facts } as Conversation)).toBe(state);
});

it.each<[Outcome, number]>([
  ['answered', EXIT.ok],
  ['failed', EXIT.memberFailed],
  ['cancelled', EXIT.memberFailed],
  ['deadline', EXIT.deadline],
  ['needs_permission', EXIT.needsPerson],
])('a turn that ended as %s exits with %i', (outcome, exit) => {
  expect(exitOfOutcome(outcome)).toBe(exit);
});

it.each<[Partial<Turn>, string]>([
  [{ outcome: null }, ''],
  [{ outcome: 'answered', reason: 'It ended.' }, ''],
  [{ outcome: 'failed', code: 'client_failed', reason: 'It is away.' }, 'failed: It is away. (client_failed)'],
  [{ outcome: 'cancelled', code: 'cancelled', reason: 'By you.' }, 'stopped: By you.'],
  [{ outcome: 'needs_permission', code: null, reason: null }, 'needs permission'],
])('a turn that ended with %o says "%s"', (turn, line) => {
  expect(endingLine({ code: null, reason: null, ...turn } as Turn)).toBe(line);
});

describe('a permission question', () => {
  const lines = (detail: PermissionDetail | null, more: Partial<Permission> = {}) =>
    questionLines(
      recordedTerminal().terminal,
      'developer',
      { tool: 'Edit', target: 'a.ts', reason: '', expires_at: '2000-01-01T00:00:00Z', detail, ...more } as Permission,
      'ANSWERS',
    ).slice(1, -1);
  const change = { path: 'a.ts', old_text: 'one', new_text: 'two', cut: false };

  it.each<[PermissionDetail | null, string[]]>([
    [null, []],
    [{ kind: 'command', command: 'make\ntest', folder: '/lamp' }, ['$ make', '$ test', 'in /lamp']],
    [{ kind: 'fetch', method: 'POST', url: 'https://x.org' }, ['POST https://x.org']],
    [{ kind: 'input', text: '{}' }, ['{}']],
    [{ kind: 'edit', changes: [change] }, ['a.ts', '- one', '+ two']],
    [
      { kind: 'edit', changes: [{ ...change, path: '/etc/motd', old_text: null, cut: true }] },
      ['/etc/motd (outside its folder)', '+ two', '[cut: too long]'],
    ],
  ])('shows the whole of %o', (detail, shown) => {
    expect(lines(detail)).toEqual(shown.map((line) => `    ${line}`));
  });

  it.each([
    [60, []],
    [61, ['    [1 more line: see the dashboard]']],
    [62, ['    [2 more lines: see the dashboard]']],
  ])('with %i lines of a change cuts those after the sixtieth', (count, more) => {
    const new_text = Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');
    const shown = lines({ kind: 'edit', changes: [{ ...change, old_text: null, new_text }] });
    expect(shown.slice(60)).toEqual(['    + line 60', ...more]);
  });

  it('shows the reason, who asks, and when it is denied by itself', () => {
    const { terminal } = recordedTerminal();
    const asks = { tool: 'Bash', target: 'make', reason: 'to test\nit', detail: null };
    const at = (ms: number) => ({ ...asks, expires_at: new Date(Date.now() + ms).toISOString() }) as Permission;
    expect(questionLines(terminal, null, at(30_500), 'ANSWERS')).toEqual([
      '? The agent asks to use Bash make',
      '    to test\n    it',
      expect.stringMatching(/^ {4}ANSWERS \(denied by itself in (?:30|29) s\)$/),
    ]);
    expect(questionLines(terminal, 'ada', at(-1), 'ANSWERS').at(-1)).toBe('    ANSWERS');
  });
});

it.each([
  [{ client_resolved: 'builtin', model_resolved: 'x' }, 'builtin: search only'],
  [{ client_resolved: 'acp', model_resolved: '' }, 'acp'],
  [{ client_resolved: 'acp', model_resolved: 'large', effort_resolved: 'high' }, 'acp, large, high'],
])('%o runs on "%s"', (resolved, words) => {
  expect(formatRunsOn(resolved)).toBe(words);
});
