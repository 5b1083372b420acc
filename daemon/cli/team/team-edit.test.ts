import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { meshdIn } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { userFolders } from '../../testing/user-folders.js';

const ENTRY = fileURLToPath(new URL('../meshd.ts', import.meta.url));
const EDITOR = `
  const { writeFileSync } = require('node:fs');
  process.on('SIGINT', () => writeFileSync(process.argv[3], process.argv[2]));
  process.kill(0, 'SIGINT');
  setInterval(() => undefined, 60_000);
  process.on('SIGINT', () => process.exit(0));
`;

it('starts the editor as a shell does, and leaves Ctrl-C to it', async () => {
  const root = temporaryFolder({ '.mesh/team/ada.md': 'old', 'my editor/ed.cjs': EDITOR });
  const child = spawn(process.execPath, ['--import', 'tsx', ENTRY, 'team', 'edit', 'ada', '--root', root], {
    env: {
      PATH: process.env['PATH'],
      ...userFolders(),
      EDITOR: `"${process.execPath}" '${join(root, 'my editor/ed.cjs')}' --wait`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a terminal has one in the foreground.
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(out).toBe('Edited ada; no daemon runs, so the file was not checked.\n');
  expect(readFileSync(join(root, '.mesh/team/ada.md'), 'utf8')).toBe('--wait');
});

it('names an editor that the shell does not find', async () => {
  const root = temporaryFolder({ '.mesh/team/ada.md': '' });
  expect(await meshdIn(root, { editor: 'exit 127;' }, 'team', 'edit', 'ada')).toEqual({
    exit: 1,
    out: '',
    err: expect.stringContaining('The editor exit 127; could not be started.'),
  });
});
