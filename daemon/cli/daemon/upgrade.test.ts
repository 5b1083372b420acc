import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { REVISION } from './upgrade.js';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it('is synced to disk before it takes the place of the old revision', async () => {
  const root = temporaryFolder();
  const path = join(root, '.mesh/STANDARD_VERSION');
  mkdirSync(join(root, '.mesh'));
  writeFileSync(path, '29\n');
  const seen: string[] = [];
  const sync = fs.fsyncSync;
  vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
    sync(file);
    seen.push(readFileSync(path, 'utf8'));
  });
  syncBuiltinESMExports();
  const { exit } = await meshd(root, 'upgrade');
  expect([exit, readFileSync(path, 'utf8'), seen]).toEqual([0, `${REVISION}\n`, ['29\n']]);
});

it('says that a running daemon reads it when it starts, once', async () => {
  const { root } = await daemon();
  writeFileSync(join(root, '.mesh/STANDARD_VERSION'), '29\n');
  const note = 'The running daemon reads it when it starts: `meshd down && meshd up`.\n';
  expect((await meshd(root, 'upgrade')).err).toBe(note);
  expect((await meshd(root, 'upgrade')).err).toBe('');
});

it('leaves no file behind when it cannot take its place', async () => {
  const root = temporaryFolder({ '.mesh/STANDARD_VERSION': '29\n' });
  vi.spyOn(fs, 'renameSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, rename'), { code: 'ENOSPC', syscall: 'rename' });
  });
  syncBuiltinESMExports();
  expect((await meshd(root, 'upgrade')).exit).not.toBe(0);
  expect(readdirSync(join(root, '.mesh'))).toEqual(['STANDARD_VERSION']);
});
