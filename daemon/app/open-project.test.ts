import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../config.js';
import { FakeClock } from '../testing/fake-clock.js';
import { putFiles, temporaryFolder } from '../testing/temporary-folder.js';
import { userFolders } from '../testing/user-folders.js';
import { openProject } from './open-project.js';

it('finishes a restore that was cut off, after which the ignore file is there, whatever the backup had', async () => {
  const root = temporaryFolder();
  putFiles(root, {
    '.mesh/.gitignore': 'state\n',
    '.mesh/state/restore-1/team/keeper.md': '---\nname: Keeper\n---\nKeep.\n',
    '.mesh/state/restore.json': JSON.stringify({
      ...{ from: 'restore-1', aside: 'before-restore-1', order: 1 },
      ...{ replace: ['team/keeper.md'], remove: ['.gitignore'] },
    }),
  });
  const config = readConfig(['--root', root, '--adopt'], userFolders(), root, process.getuid?.());
  const { database } = await openProject({ ...config, environment: { PATH: process.env['PATH'] } }, new FakeClock());
  database.close();
  expect(existsSync(join(root, '.mesh/state/restore.json'))).toBe(false);
  expect(readFileSync(join(root, '.mesh/team/keeper.md'), 'utf8')).toContain('Keeper');
  expect(readFileSync(join(root, '.mesh/.gitignore'), 'utf8')).toMatch(
    /state[\s\S]*credentials|credentials[\s\S]*state/,
  );
});
