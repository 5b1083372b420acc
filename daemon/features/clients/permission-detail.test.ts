import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { acpDetail, claudeDetail, commandDetail, editDetail, readCommand } from './permission-detail.js';

function aPlace() {
  const root = temporaryFolder({ 'src/a.ts': 'a\n' });
  return { root, environment: { PATH: '/usr/bin', ANTHROPIC_API_KEY: 'sk-secret' } };
}

it('a command of Claude Code is whole, with its folder and names without values', () => {
  const place = aPlace();
  const command = `echo ${'x'.repeat(20_000)}; rm -rf /`;
  const detail = claudeDetail('Bash', { command, file_path: 'innocent.ts' }, place);
  expect(detail).toEqual({
    kind: 'command',
    command,
    folder: place.root,
    environment: ['ANTHROPIC_API_KEY', 'PATH'],
  });
  expect(JSON.stringify(detail)).not.toContain('sk-secret');
});

it('edits of Claude Code carry old and new text, by paths with links followed, and say when they are cut', () => {
  const place = aPlace();
  const outside = temporaryFolder({});
  mkdirSync(join(place.root, 'lib'));
  symlinkSync(outside, join(place.root, 'lib/out'));
  const paths = (detail: ReturnType<typeof claudeDetail>) => detail?.changes?.map(({ path }) => path);
  const edit = { file_path: join(place.root, 'src/../src/a.ts'), old_string: 'a', new_string: 'b' };
  expect(claudeDetail('Edit', edit, place)?.changes).toEqual([
    { path: 'src/a.ts', old_text: 'a', new_text: 'b', cut: false },
  ]);
  expect(paths(claudeDetail('Write', { file_path: 'lib/out/x.ts', content: '' }, place))).toEqual([
    join(outside, 'x.ts'),
  ]);
  const many = { file_path: 'src/a.ts', edits: Array.from({ length: 23 }, () => ({ old_string: 'a' })) };
  expect(claudeDetail('MultiEdit', many, place)).toMatchObject({ changes_left_out: 3 });
  const [long] = claudeDetail('Write', { file_path: 'b', content: 'y'.repeat(70_000) }, place)?.changes ?? [];
  expect([long?.new_text.length, long?.cut, long?.old_text]).toEqual([65_536, true, null]);
});

it('a command, an address, a folder and a path that are too long are cut, and end with an ellipsis', () => {
  const place = aPlace();
  const long = (start: string) => `${start}${'x/'.repeat(100_000)}`;
  const command = acpDetail('execute', [], { command: long('ls '), cwd: long('src/') }, place);
  expect([command?.command, command?.folder]).toEqual([
    `${long('ls ').slice(0, 32_768)}…`,
    `${long('src/').slice(0, 4_096)}…`,
  ]);
  const url = acpDetail('fetch', [], { url: long('https://a.example/') }, place)?.url;
  expect(url).toBe(`${long('https://a.example/').slice(0, 8_192)}…`);
  const [change] = claudeDetail('Write', { file_path: long('src/'), content: '' }, place)?.changes ?? [];
  expect([change?.path, change?.cut]).toEqual([`${long('src/').slice(0, 4_096)}…`, true]);
  expect(claudeDetail('Bash', { command: 'x'.repeat(32_768) }, place)?.command).toBe('x'.repeat(32_768));
});

it('a tool use of an ACP agent is shown by its diffs, command, address or input', () => {
  const place = aPlace();
  const diff = { type: 'diff', path: join(place.root, 'src/a.ts'), oldText: 'a', newText: 'b' };
  expect(acpDetail('edit', [diff], {}, place)?.changes).toMatchObject([{ path: 'src/a.ts', old_text: 'a' }]);
  // A diff beside a command must not take its place.
  expect(acpDetail('execute', [diff], { command: ['sh', '-c', "rm 'x y'"], cwd: 'src' }, place)).toMatchObject({
    kind: 'command',
    command: `sh -c 'rm '\\''x y'\\'''`,
    folder: join(place.root, 'src'),
  });
  expect(acpDetail('fetch', [], { url: 'https://a.example', method: 'post' }, place)).toEqual({
    kind: 'fetch',
    method: 'POST',
    url: 'https://a.example',
  });
  expect(acpDetail('other', undefined, { deed: 'x' }, place)).toEqual({ kind: 'input', text: '{\n  "deed": "x"\n}' });
  expect(acpDetail('other', undefined, {}, place)).toBeNull();
});

describe('what a tool of Claude Code would do', () => {
  const edit = (path: string, old_text: string | null, new_text: string) => ({
    kind: 'edit',
    changes: [{ path, old_text, new_text, cut: false }],
  });

  it.each([
    ['Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b', content: 'x' }, edit('a.ts', 'a', 'b')],
    ['Write', { file_path: 'a.ts', old_string: 'a', content: 'b' }, edit('a.ts', null, 'b')],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'b', content: 'x' }, edit('a.ipynb', null, 'b')],
    ['WebFetch', { url: 'https://a.example' }, { kind: 'fetch', method: 'GET', url: 'https://a.example' }],
    ['Task', { prompt: 'Look.' }, { kind: 'input', text: '{\n  "prompt": "Look."\n}' }],
    ['Task', {}, null],
  ])('is read from the input of %s', (tool, input, detail) => {
    expect(claudeDetail(tool, input, aPlace())).toEqual(detail);
  });

  it('is every change of several in one file', () => {
    const edits = [{ old_string: 'a', new_string: 'b' }, 'no edit', { old_string: 'c', new_string: 'd' }];
    expect(claudeDetail('MultiEdit', { file_path: 'a.ts', edits }, aPlace())).toEqual({
      kind: 'edit',
      changes: [
        { path: 'a.ts', old_text: 'a', new_text: 'b', cut: false },
        { path: 'a.ts', old_text: '', new_text: '', cut: false },
        { path: 'a.ts', old_text: 'c', new_text: 'd', cut: false },
      ],
    });
  });
});

describe('the limits of what is shown', () => {
  const change = (old: string | null, text: string) => editDetail([{ path: 'a', old, text }], { root: '/project' });

  it('cut a text of more than 65,536 characters, the old one and the new one', () => {
    const [most, more] = ['x'.repeat(65_536), 'x'.repeat(65_537)];
    expect(change(most, most).changes).toEqual([{ path: 'a', old_text: most, new_text: most, cut: false }]);
    expect(change(more, 'y').changes).toEqual([{ path: 'a', old_text: most, new_text: 'y', cut: true }]);
    expect(change(null, more).changes).toEqual([{ path: 'a', old_text: null, new_text: most, cut: true }]);
  });

  it('leave out what is beyond 20 changes, and say how much', () => {
    const detail = (count: number) =>
      editDetail(
        Array.from({ length: count }, (_, index) => ({ path: `${index}`, old: null, text: '' })),
        { root: '/project' },
      );
    expect(detail(20)).not.toHaveProperty('changes_left_out');
    expect(detail(21)).toMatchObject({ changes_left_out: 1 });
    expect(detail(21).changes?.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`));
  });

  it('cut an input of more than 16,384 characters, and say so', () => {
    const frame = '{\n  "a": ""\n}'.length;
    const shown = (chars: number) => claudeDetail('Other', { a: 'x'.repeat(chars - frame) }, aPlace());
    expect(shown(16_384)).toEqual({ kind: 'input', text: expect.stringMatching(/^\{\n {2}"a": "x+"\n\}$/) });
    expect(shown(16_385)).toEqual({ kind: 'input', text: expect.stringMatching(/x"\n$/), cut: true });
    expect(shown(16_385)?.text).toHaveLength(16_384);
  });

  it('leave a folder, an address and a path of the greatest length whole', () => {
    const place = aPlace();
    const folder = `/${'f'.repeat(4_095)}`;
    expect(commandDetail('ls', { root: folder, environment: {} }).folder).toBe(folder);
    const url = `https://a.example/${'u'.repeat(8_192 - 18)}`;
    expect(acpDetail('fetch', [], { url }, place)?.url).toBe(url);
    const path = `${'./'.repeat(2_044)}src/a.ts`;
    expect(path).toHaveLength(4_096);
    expect(editDetail([{ path, old: null, text: '' }], place).changes?.[0]).toMatchObject({
      path: 'src/a.ts',
      cut: false,
    });
    expect(editDetail([{ path: `./${path}`, old: null, text: '' }], place).changes?.[0]).toMatchObject({
      path: `${`./${path}`.slice(0, 4_096)}…`,
      cut: true,
    });
  });
});

describe('the place of a change', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['src/../b.ts', 'b.ts'],
    ['src\\b.ts', 'src/b.ts'],
    ['..x/b.ts', '..x/b.ts'],
    ['../b.ts', '<above>/b.ts'],
    ['..', '<above>'],
    ['.', '<root>'],
    ['/elsewhere/b.ts', '/elsewhere/b.ts'],
    ['file:///elsewhere/b.ts', '/elsewhere/b.ts'],
    ['FILE:///elsewhere/b.ts', '/elsewhere/b.ts'],
    ['src/file://b.ts', 'src/file:/b.ts'],
  ])('%j is shown as %j', (path, shown) => {
    const { root } = aPlace();
    const expected = shown.replace('<root>', root).replace('<above>', join(root, '..'));
    expect(editDetail([{ path, old: null, text: '' }], { root }).changes?.[0]?.path).toBe(expected);
  });

  it('is in the project where the project itself is reached by a link', () => {
    const { root } = aPlace();
    const link = join(temporaryFolder(), 'project');
    symlinkSync(root, link);
    const shown = (path: string) => editDetail([{ path, old: null, text: '' }], { root: link }).changes?.[0]?.path;
    expect([shown('src/a.ts'), shown(join(link, 'b.ts')), shown(join(root, 'b.ts'))]).toEqual([
      'src/a.ts',
      'b.ts',
      'b.ts',
    ]);
  });

  it('is the one that is written where links go in a circle', () => {
    const { root } = aPlace();
    symlinkSync('round', join(root, 'round'));
    expect(editDetail([{ path: 'round/a', old: null, text: '' }], { root }).changes?.[0]?.path).toBe('round/a');
    const circle = editDetail([{ path: 'a', old: null, text: '' }], { root: join(root, 'round') });
    expect(circle.changes?.[0]?.path).toBe('a');
  });
});

it.each([
  ['make test; make', 'make test; make'],
  [['make', 'test'], 'make test'],
  [['a b', '', 'c;', ';d', "e'f"], `'a b' '' 'c;' ';d' 'e'\\''f'`],
  [['w0_@%+=:,./-'], 'w0_@%+=:,./-'],
  [['a', 1, 'b'], "a '' b"],
  [[], ''],
  [{ command: 'make' }, ''],
  [undefined, ''],
])('the command line of %j is %j', (command, line) => {
  expect(readCommand(command)).toBe(line);
});

describe('what an agent of the Agent Client Protocol would do', () => {
  const diff = { type: 'diff', path: 'src/a.ts', oldText: 'a', newText: 'b' };
  const changes = [{ path: 'src/a.ts', old_text: 'a', new_text: 'b', cut: false }];

  it.each(['', 'edit', 'delete', 'move'])('is its diffs where the kind %j may change files', (kind) => {
    expect(acpDetail(kind, [diff], { command: 'rm a' }, aPlace())).toEqual({ kind: 'edit', changes });
  });

  it.each(['read', 'other', 'fetch', 'execute'])('is its input where the kind is %j', (kind) => {
    expect(acpDetail(kind, [diff], { a: 1 }, aPlace())).toEqual({ kind: 'input', text: '{\n  "a": 1\n}' });
  });

  it('has no diff without a path or of another type, and a new file no old text', () => {
    const content = [
      { ...diff, type: 'content' },
      { ...diff, path: '' },
      'text',
      { type: 'diff', path: 'new.ts', oldText: null, newText: 'b' },
      { type: 'diff', path: 'old.ts', oldText: 'a' },
    ];
    expect(acpDetail('edit', content, {}, aPlace())).toEqual({
      kind: 'edit',
      changes: [
        { path: 'new.ts', old_text: null, new_text: 'b', cut: false },
        { path: 'old.ts', old_text: 'a', new_text: '', cut: false },
      ],
    });
    expect(acpDetail('edit', [{ ...diff, type: 'content' }], {}, aPlace())).toBeNull();
  });

  it.each([
    [{ command: 'ls' }, ''],
    [{ command: 'ls', cwd: 'src' }, '/src'],
    [{ command: 'ls', workdir: 'src' }, '/src'],
    [{ command: 'ls', cwd: 'src', workdir: 'other' }, '/src'],
    [{ command: 'ls', cwd: './'.repeat(2_048) }, ''],
  ])('is a command in the folder that it names: %#', (input, folder) => {
    const place = aPlace();
    expect(acpDetail('execute', [], input, place)).toEqual({
      kind: 'command',
      command: 'ls',
      folder: `${place.root}${folder}`,
      environment: ['ANTHROPIC_API_KEY', 'PATH'],
    });
  });

  it('is no command and no address where the kind is another or none is named', () => {
    for (const [kind, input] of [
      ['execute', { cwd: 'src' }],
      ['read', { command: 'ls' }],
      ['fetch', { method: 'POST' }],
      ['read', { url: 'https://a.example' }],
    ] as const)
      expect(acpDetail(kind, [], input, aPlace())?.kind).toBe('input');
  });

  it('is a GET where no method is named, and at most 20 characters of the one that is', () => {
    const method = (name?: string) => acpDetail('fetch', [], { url: 'https://a', method: name }, aPlace())?.method;
    expect([method(), method(''), method('m'.repeat(21))]).toEqual(['GET', 'GET', 'M'.repeat(20)]);
  });
});
