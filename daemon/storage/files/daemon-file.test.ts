import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DaemonFile } from '../../contract/daemon-file.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { readDaemonFile, readRememberedPort, rememberPort, removeDaemonFile, writeDaemonFile } from './daemon-file.js';

const CONTENT = { pid: 7, port: 4_100 } as unknown as DaemonFile;

it('tells other programs of the user about the daemon until it is removed', async () => {
  const state = temporaryFolder();
  expect(readDaemonFile(state)).toBeUndefined();
  removeDaemonFile(state);
  await writeDaemonFile(state, CONTENT);
  const path = join(state, 'daemon.json');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([
    ...['{\n  "pid": 7,\n  "port": 4100\n}\n', 0o600],
  ]);
  expect(readDaemonFile(state)).toEqual(CONTENT);
  removeDaemonFile(state);
  expect(existsSync(path)).toBe(false);
});

it('takes a torn file, and one that is not the user’s own, for none', async () => {
  const state = temporaryFolder({ 'daemon.json': '{"pid": 7', 'other.json': '{}', port: '4100' });
  expect(readDaemonFile(state)).toBeUndefined();
  removeDaemonFile(state);
  symlinkSync('other.json', join(state, 'daemon.json'));
  expect(readDaemonFile(state)).toBeUndefined();
});

it('remembers the port for the next start', async () => {
  const state = temporaryFolder();
  expect(readRememberedPort(state)).toBeUndefined();
  await rememberPort(state, 4_100);
  const path = join(state, 'port');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['4100\n', 0o600]);
  expect(readRememberedPort(state)).toBe(4_100);
  const { ino } = statSync(path);
  await rememberPort(state, 4_100);
  expect(statSync(path).ino).toBe(ino);
  await rememberPort(state, 4_101);
  expect(readRememberedPort(state)).toBe(4_101);
});

it.each([
  ['1\n', 1],
  ['65535', 65_535],
  ['65536', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['80.5', undefined],
  ['', undefined],
  ['port', undefined],
])('a remembered port of %j is %s', (text, port) => {
  const state = temporaryFolder();
  writeFileSync(join(state, 'port'), text);
  expect(readRememberedPort(state)).toBe(port);
});

it('does not read a port through a link', () => {
  const state = temporaryFolder({ other: '4100' });
  symlinkSync('other', join(state, 'port'));
  expect(readRememberedPort(state)).toBeUndefined();
});
