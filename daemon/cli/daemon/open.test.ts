import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { beFound, meshd } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const SCRIPT = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.part" && mv "$0.part" "$0.args"\n';

it('opens a file of the project by a path from here or from the project, with the line that was typed', async () => {
  const bin = temporaryFolder({});
  writeFileSync(join(bin, 'zed'), SCRIPT, { mode: 0o755 });
  const app = await testApp({ clock: new FakeClock(Date.now()), env: { PATH: `${bin}:/usr/bin:/bin` } });
  beFound(app);
  const open = (...words: string[]) => meshd(app.root, 'open', ...words);
  expect(await open('src/dusk.ts:4')).toMatchObject({ exit: 0, out: 'Opened src/dusk.ts:4 in Zed.\n' });
  await vi.waitFor(() =>
    expect(readFileSync(join(bin, 'zed.args'), 'utf8')).toBe(`${join(app.root, 'src/dusk.ts')}:4\n`),
  );
  expect((await open('src/dusk.ts:2-5')).out).toBe('Opened src/dusk.ts:2 in Zed.\n');
  expect((await open('src/dusk.ts:2:9')).out).toBe('Opened src/dusk.ts:2 in Zed.\n');
  expect((await open(join(app.root, 'README.md'))).out).toBe('Opened README.md:1 in Zed.\n');
  expect(JSON.parse((await open('README.md', '--json')).out)).toEqual({
    path: 'README.md',
    line: 1,
    editor: 'zed',
    name: 'Zed',
  });

  putFiles(app.root, { 'notes:3': 'a file whose name ends like a line' });
  expect((await open(join(app.root, 'notes:3'))).out).toBe('Opened notes:3:1 in Zed.\n');
  const lost = await open(join(app.root, 'src/dawn.ts:2'));
  expect([lost.exit, lost.err.includes(app.root), lost.err.includes('src/dawn.ts')]).toEqual([4, false, true]);

  const address = { exit: 0, out: `${app.address}\n` };
  const err = 'No display here: open the address in a browser of this machine.\n';
  expect(await open()).toEqual({ ...address, err });
  expect(JSON.parse((await open('--json')).out)).toEqual({ address: app.address, opened: false });

  expect(await open('src/dusk.ts:0')).toMatchObject({ exit: 2, err: expect.stringContaining('Lines begin at 1') });
  expect(await open('src/dawn.ts')).toMatchObject({ exit: 4, err: expect.stringContaining('src/dawn.ts') });
  expect(await open('/etc/passwd')).toMatchObject({ exit: 4 });
  await app.call('PATCH', '/preferences', { editor: 'none' });
  expect(await open('README.md')).toMatchObject({ exit: 6, err: expect.stringContaining('Choose an editor') });
});
