import { describe, expect, it } from 'vitest';
import type { Citation } from '../../contract/asks.js';
import type { Message, Permission, ToolCall, Turn } from '../../contract/conversations.js';
import type { PermissionDetail, RuleOffer } from '../../contract/permissions.js';
import { listChoices } from './acp-permissions.js';
import { getToolKind, listSources, replayMessage, reportCall, reportQuestion } from './acp-updates.js';

const permission = (changes: Partial<Permission> = {}): Permission => ({
  pid: 'perm-1',
  conv: 'conv-1',
  turn: 'turn-1',
  tool: 'Bash',
  target: 'git diff --stat',
  reason: '',
  detail: null,
  always: [],
  scopes: ['conversation', 'member'],
  created_at: '',
  expires_at: '',
  decision: null,
  decided_by: null,
  ...changes,
});
const ask = (detail: PermissionDetail) => reportQuestion('/lamp', permission({ detail }), 'c1').content;
const said = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];

describe('the choices of a permission', () => {
  it('are once, each rule in each place with what it allows, and deny', () => {
    const offers: RuleOffer[] = [
      { match: 'command', value: 'git diff --stat' },
      { match: 'command_prefix', value: 'git diff' },
    ];
    const choices = listChoices(permission({ always: offers }));
    expect(choices.map(({ option }) => [option.kind, option.name])).toEqual([
      ['allow_once', 'Allow once'],
      ['allow_always', 'Always allow this command in this conversation'],
      ['allow_always', 'Always allow commands that begin with “git diff” in this conversation'],
      ['allow_always', 'Always allow this command for this member'],
      ['allow_always', 'Always allow commands that begin with “git diff” for this member'],
      ['reject_once', 'Deny'],
    ]);
    expect(choices[4]?.decision).toEqual({
      decision: 'allow_always',
      always: { match: 'command_prefix', value: 'git diff', scope: 'member' },
    });
    expect(new Set(choices.map(({ option }) => option.optionId)).size).toBe(choices.length);
  });

  it('name folders, files and addresses, cut when they are long', () => {
    const named = (match: RuleOffer['match'], value: string) =>
      listChoices(permission({ always: [{ match, value }], scopes: ['member'] }))[1]?.option.name;
    expect(named('folder', '')).toBe('Always allow changes in this project for this member');
    expect(named('folder', 'src')).toBe('Always allow changes below src for this member');
    expect(named('file', 'a.ts')).toBe('Always allow changes of a.ts for this member');
    expect(named('origin', 'GET https://x.org')).toBe('Always allow GET https://x.org for this member');
    expect(named('command_prefix', 'x'.repeat(500))?.length).toBeLessThan(170);
  });
});

describe('what a permission shows', () => {
  it('is a diff for each change with its absolute path, and says when there is more', () => {
    const change = { path: 'src/a.ts', old_text: 'one', new_text: 'two', cut: false };
    const outside = { path: '/etc/motd', old_text: null, new_text: 'hi', cut: true };
    expect(ask({ kind: 'edit', changes: [change] })).toEqual([
      { type: 'diff', path: '/lamp/src/a.ts', oldText: 'one', newText: 'two' },
    ]);
    expect(ask({ kind: 'edit', changes: [change, outside] })).toEqual([
      expect.objectContaining({ path: '/lamp/src/a.ts' }),
      { type: 'diff', path: '/etc/motd', oldText: null, newText: 'hi' },
      ...said('There is more than is shown here: it is too long.'),
    ]);
    expect(ask({ kind: 'edit', changes: [change], changes_left_out: 3 })).toHaveLength(2);
  });

  it('begins with the reason of the agent', () => {
    const command: PermissionDetail = { kind: 'command', command: 'rm -r x', folder: '/lamp' };
    const content = (reason: string, detail: PermissionDetail | null) =>
      reportQuestion('/lamp', permission({ reason, detail }), 'c1').content;
    expect(content('to tidy up', command)).toEqual([...said('to tidy up'), ...said('$ rm -r x\nin /lamp')]);
    expect(content('to tidy up', null)).toEqual(said('to tidy up'));
    expect(content('', null)).toBeUndefined();
  });

  it('is the whole command with its folder, the address, or the input', () => {
    expect(ask({ kind: 'command', command: 'rm -r x', folder: '/lamp/src' })).toEqual(said('$ rm -r x\nin /lamp/src'));
    expect(ask({ kind: 'fetch', method: 'POST', url: 'https://x.org/' })).toEqual(said('POST https://x.org/'));
    expect(ask({ kind: 'input', text: '{"a":1', cut: true })).toEqual(said('{"a":1\n[cut: too long]'));
  });

  it('has the kind of the tool by its name, and a place only for files', () => {
    const names = ['Read', 'Edit', 'Write', 'Bash', 'Grep', 'WebFetch', 'execute', 'delete', 'mcp__x__frob'];
    expect(names.map(getToolKind)).toEqual([
      'read',
      'edit',
      'edit',
      'execute',
      'search',
      'fetch',
      'execute',
      'delete',
      'other',
    ]);
    expect(reportQuestion('/lamp', permission(), 'c1').locations).toBeUndefined();
    const edit = permission({ tool: 'Edit', target: 'src/a.ts' });
    expect(reportQuestion('/lamp', edit, 'c1').locations).toEqual([{ path: '/lamp/src/a.ts' }]);
  });
});

it('links the sources that stand in the tree, and no others', () => {
  const citation = (path: string, status: Citation['status']) =>
    ({ path, start_line: 3, end_line: 5, status, sha256: '', quote: '' }) as Citation;
  expect(
    listSources('/lamp', [citation('a b.md', 'checked'), citation('c.md', 'moved'), citation('gone.md', 'dropped')]),
  ).toBe('\n\nVerified sources:\n- [a b.md:3-5](file:///lamp/a%20b.md#L3:5)\n- [c.md:3-5](file:///lamp/c.md#L3:5)\n');
  expect(listSources('/lamp', [citation('gone.md', 'dropped')])).toBe('');
});

it.each<[ToolCall['state'], string | undefined, string, unknown]>([
  ['running', undefined, 'in_progress', undefined],
  ['done', '', 'completed', undefined],
  ['done', '3 files', 'completed', said('3 files')],
  ['failed', 'No such file.', 'failed', said('No such file.')],
])('reports a call that is %s with the output %j', (state, output, status, content) => {
  const call: ToolCall = { id: 'c1', name: 'Read', target: 'a.ts', state, ...(output !== undefined && { output }) };
  const report = reportCall('/lamp', call, 'c9');
  expect(report).toMatchObject({ toolCallId: 'c9', status });
  expect(report.content).toEqual(content);
});

it.each<[Partial<Turn> | undefined, string, string]>([
  [{ outcome: 'answered', reason: null, code: null }, 'Yes.', 'Yes.'],
  [
    { outcome: 'failed', reason: 'It fell over.', code: 'client_failed' },
    'Half.',
    'Half.\n\nfailed: It fell over. (client_failed)',
  ],
  [{ outcome: 'cancelled', reason: null, code: 'cancelled' }, 'Half.', 'Half.\n\nstopped'],
  [undefined, 'Yes.', 'Yes.'],
])('replays how a turn ended: %j', (turn, words, shown) => {
  const message = { role: 'assistant', text: words, calls: [], citations: [] } as unknown as Message;
  expect([...replayMessage('/lamp', message, turn as Turn | undefined)]).toEqual([
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: shown } },
  ]);
});
