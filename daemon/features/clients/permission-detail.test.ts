import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { acpDetail, claudeDetail } from './permission-detail.js';

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
