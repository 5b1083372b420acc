import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { EDITORS, type Editor, type Editors, type FileOpened } from '../../contract/code.js';
import { MeshError } from '../../lib/errors.js';
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

describe('Editors over stand-ins', () => {
  type Parts = ConstructorParameters<typeof ProjectEditors>[0];

  /** Editors of which zed and subl are there. Every file has nine lines. */
  function withZedAndSubl(parts: Partial<Parts> = {}) {
    const started: unknown[] = [];
    const editors = new ProjectEditors({
      root: '/project',
      getChoice: () => 'automatic',
      findProgram: async (name) => (['zed', 'subl'].includes(name) ? `/bin/${name}` : undefined),
      start: async (bin, args) => void started.push([bin, ...args]),
      readLines: async () => ({ total_lines: 9 }),
      ...parts,
    });
    return { editors, started };
  }

  it('are listed with their names and whether they are there', async () => {
    expect(await withZedAndSubl().editors.list()).toEqual({
      editors: [
        { editor: 'code', name: 'Visual Studio Code', is_found: false },
        { editor: 'cursor', name: 'Cursor', is_found: false },
        { editor: 'zed', name: 'Zed', is_found: true },
        { editor: 'windsurf', name: 'Windsurf', is_found: false },
        { editor: 'subl', name: 'Sublime Text', is_found: true },
        { editor: 'idea', name: 'IntelliJ IDEA', is_found: false },
        { editor: 'webstorm', name: 'WebStorm', is_found: false },
      ],
      opens_in: 'zed',
    });
  });

  it.each([
    ['automatic', 'zed'],
    ['subl', 'subl'],
    ['idea', null],
    ['none', null],
  ] as const)('open files, with the choice %s, in %s', async (choice, opensIn) => {
    expect((await withZedAndSubl({ getChoice: () => choice }).editors.list()).opens_in).toBe(opensIn);
  });

  it('open the first line without one, and none after the last', async () => {
    const { editors, started } = withZedAndSubl();
    await editors.open({ path: 'a.ts' });
    await editors.open({ path: 'a.ts', line: 9 });
    await expect(editors.open({ path: 'a.ts', line: 10 })).rejects.toMatchObject({
      ...{ code: 'bad_request', message: '`line` (10) is after the last line of a.ts, 9.', details: { path: 'line' } },
    });
    expect(started).toEqual([
      ['/bin/zed', '/project/a.ts:1'],
      ['/bin/zed', '/project/a.ts:9'],
    ]);
  });

  it('look at a file before they open it, and say when it may not be read', async () => {
    const read: unknown[] = [];
    const failing = (error: Error) => async (path: string, start: number, end: number) => {
      read.push([path, start, end]);
      throw error;
    };
    const missing = withZedAndSubl({ readLines: failing(new MeshError('not_found', 'No such file.')) });
    await expect(missing.editors.open({ path: '.env' })).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'No text file of this project that may be read has the path ".env".' },
    });
    const broken = new MeshError('store_readonly', 'The index is damaged.');
    await expect(withZedAndSubl({ readLines: failing(broken) }).editors.open({ path: 'a.ts' })).rejects.toBe(broken);
    expect(read).toEqual([
      ['.env', 1, 1],
      ['a.ts', 1, 1],
    ]);
    expect(missing.started).toEqual([]);
  });

  it.each([
    ['none', 'Opening files in an editor is off. Choose an editor in Settings, Preferences.'],
    [
      'idea',
      'IntelliJ IDEA is chosen, and `idea` is not on the PATH of the daemon. Install the command, or choose another ' +
        'editor in Settings, Preferences.',
    ],
  ] as const)('say why none opens with the choice %s', async (choice, message) => {
    const { editors, started } = withZedAndSubl({ getChoice: () => choice });
    await expect(editors.open({ path: 'a.ts' })).rejects.toMatchObject({ code: 'no_editor', message });
    expect(started).toEqual([]);
  });

  it('say which they look for when none is there', async () => {
    const { editors } = withZedAndSubl({ findProgram: async () => undefined });
    await expect(editors.open({ path: 'a.ts' })).rejects.toMatchObject({
      code: 'no_editor',
      message:
        'None of code, cursor, zed, windsurf, subl, idea, webstorm is on the PATH of the daemon. Install the command of ' +
        'your editor, and restart the daemon from a shell that finds it.',
    });
  });

  it('say how to see why one could not be started', async () => {
    const cause = new Error('EACCES');
    const { editors } = withZedAndSubl({ start: () => Promise.reject(cause) });
    await expect(editors.open({ path: 'a.ts' })).rejects.toMatchObject({
      ...{ code: 'no_editor', message: 'Zed could not be started. Run `zed` in a terminal to see why.', cause },
    });
  });
});
