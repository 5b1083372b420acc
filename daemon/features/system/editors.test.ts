import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { EDITORS, type Editor, type Editors, type FileOpened } from '../../contract/code.js';
import { testApp } from '../../testing/apps/test-app.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { ProjectEditors } from './editors.js';

/** Writes down its arguments, one a line, once it has all of them. */
const SCRIPT = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.part" && mv "$0.part" "$0.args"\n';

const argumentsFor = async (editor: Editor) => {
  const started: unknown[] = [];
  const editors = new ProjectEditors({
    root: '/project',
    getChoice: () => editor,
    findProgram: async (name) => `/bin/${name}`,
    start: async (bin, args) => void started.push([bin, ...args]),
    readLines: async () => ({ total_lines: 9 }),
  });
  await editors.open({ path: '-n/a b.ts', line: 3 });
  return started;
};

it('gives each editor the line in its own way, and a file that no editor reads as an option', async () => {
  const file = '/project/-n/a b.ts';
  for (const editor of ['code', 'cursor', 'windsurf'] as const)
    expect(await argumentsFor(editor)).toEqual([[`/bin/${editor}`, '/project', '--goto', `${file}:3`]]);
  for (const editor of ['zed', 'subl'] as const)
    expect(await argumentsFor(editor)).toEqual([[`/bin/${editor}`, `${file}:3`]]);
  for (const editor of ['idea', 'webstorm'] as const)
    expect(await argumentsFor(editor)).toEqual([[`/bin/${editor}`, '--line', '3', file]]);
});

it('opens a file in the first editor on the PATH, or in the chosen one', async () => {
  const bin = temporaryFolder({});
  for (const editor of ['zed', 'subl']) writeFileSync(join(bin, editor), SCRIPT, { mode: 0o755 });
  const app = await testApp({ env: { PATH: `${bin}:/usr/bin:/bin` } });
  const open = (body: object) => app.call('POST', '/project/open', body);
  const readArguments = (editor: string) =>
    vi.waitFor(() =>
      readFileSync(join(bin, `${editor}.args`), 'utf8')
        .trim()
        .split('\n'),
    );

  const { editors, opens_in } = (await app.call('GET', '/project/editors')).body as Editors;
  expect(editors.filter(({ is_found }) => is_found).map(({ editor }) => editor)).toEqual(['zed', 'subl']);
  expect(opens_in).toBe('zed');
  expect((await open({ path: 'src/dusk.ts', line: 3 })).body as FileOpened).toEqual({
    path: 'src/dusk.ts',
    line: 3,
    editor: 'zed',
    name: 'Zed',
  });
  expect(await readArguments('zed')).toEqual([`${app.root}/src/dusk.ts:3`]);

  await app.call('PATCH', '/preferences', { editor: 'subl' });
  expect(await open({ path: 'README.md' })).toMatchObject({ status: 200, body: { line: 1, editor: 'subl' } });
  expect(await readArguments('subl')).toEqual([`${app.root}/README.md:1`]);
});

it('starts nothing for a file that may not be read, for a line that is not there, and without an editor', async () => {
  const bin = temporaryFolder({});
  for (const editor of EDITORS) writeFileSync(join(bin, editor), SCRIPT, { mode: 0o755 });
  const app = await testApp({ env: { PATH: bin } });
  const open = async (body: object) => {
    const { status, body: answer } = await app.call('POST', '/project/open', body);
    return { status, ...(answer as { error: string; message: string }) };
  };
  writeFileSync(join(app.root, '.env'), 'A=1\n');
  symlinkSync('/etc/hostname', join(app.root, 'linked.txt'));
  for (const path of [
    '.env',
    'linked.txt',
    '../x',
    '/etc/hostname',
    'src/dawn.ts',
    '.mesh/credentials/team-tokens.json',
  ])
    expect(await open({ path }), path).toMatchObject({ status: 404, error: 'not_found' });
  expect(await open({ path: 'src/dusk.ts', line: 99 })).toMatchObject({
    status: 400,
    message: '`line` (99) is after the last line of src/dusk.ts, 6.',
  });
  expect(await open({ path: 'src/dusk.ts', editor: 'sh' })).toMatchObject({ status: 400 });
  await app.call('PATCH', '/preferences', { editor: 'none' });
  expect(await open({ path: 'src/dusk.ts' })).toMatchObject({ status: 409, error: 'no_editor' });
  expect((await app.call('PATCH', '/preferences', { editor: '/bin/sh' })).status).toBe(400);
});

it('names the editors that are looked for when none is there, and takes none from the project', async () => {
  const root = temporaryRepository({ 'README.md': '# Lamp\n', 'bin/code': SCRIPT });
  chmodSync(join(root, 'bin/code'), 0o755);
  const app = await testApp({ root, env: { PATH: `${root}/bin:/usr/bin:/bin` } });
  const open = () => app.call('POST', '/project/open', { path: 'README.md' });
  expect(await open()).toMatchObject({
    status: 409,
    body: { error: 'no_editor', message: expect.stringMatching(/^None of code, cursor, .* is on the PATH/) },
  });
  await app.call('PATCH', '/preferences', { editor: 'idea' });
  expect((await open()).body).toMatchObject({
    message: expect.stringContaining('IntelliJ IDEA is chosen, and `idea` is not on the PATH of the daemon.'),
  });
});
