import { cpSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { StateOwner } from './state-owner.js';

let owner: StateOwner;
let records: string;
let top: string;
let root: string;

beforeEach(() => {
  const folder = temporaryFolder();
  records = join(folder, 'states');
  owner = new StateOwner(folder);
  top = temporaryFolder({ 'project/.mesh/state/mesh.db': 'rows' });
  root = join(top, 'project');
  expect(owner.claim(root)).toBeUndefined();
});

/** Changes what is recorded of the project. */
function record(changes: object): void {
  const path = join(records, readdirSync(records)[0] as string);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
}

it('knows the state that it claimed, also once its project was moved', () => {
  expect(owner.judge(root)).toBe('own');
  renameSync(root, join(top, 'moved'));
  expect(owner.judge(join(top, 'moved'))).toBe('own');
});

it('takes the same folder under another path for the project itself, and no folder of another device', () => {
  const copy = join(top, 'copy');
  cpSync(root, copy, { recursive: true });
  expect(owner.judge(copy)).toBe('copy');
  // The place that is recorded has the same id, as with a second mount of the project.
  const { dev: device, ino: inode } = lstatSync(join(copy, '.mesh/state'));
  record({ device, inode });
  expect(owner.judge(copy)).toBe('own');
  record({ device: device + 1, inode });
  expect(owner.judge(copy)).toBe('copy');
  record({ device, inode: inode + 1 });
  expect(owner.judge(copy)).toBe('copy');
});
