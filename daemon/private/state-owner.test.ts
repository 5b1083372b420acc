import { cpSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { inState } from './private-names.js';
import { holdsState, StateOwner } from './state-owner.js';

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

const idIn = (project: string) => readFileSync(inState(join(project, '.mesh/state'), 'id'), 'utf8');

it('keeps the id of adopted state that nobody recorded, and gives a copy one of its own', () => {
  const unknown = new StateOwner(temporaryFolder());
  const present = idIn(root);
  expect([unknown.judge(root), unknown.claim(root, true), unknown.judge(root)]).toEqual(['unknown', undefined, 'own']);
  expect(idIn(root)).toBe(present);
  const copy = join(top, 'copy');
  cpSync(root, copy, { recursive: true });
  expect(owner.claim(copy, true)).toBeUndefined();
  expect([idIn(root) === present, idIn(copy) === present, owner.judge(copy)]).toEqual([true, false, 'own']);
  const other = new StateOwner(temporaryFolder());
  expect([other.claim(root), idIn(root) === present]).toEqual([undefined, false]);
});

it('keeps the present id for a user without a home, and says why nothing is recorded', () => {
  const homeless = new StateOwner(undefined);
  const present = idIn(root);
  expect([homeless.hasMemory, homeless.judge(root), homeless.claim(root)]).toEqual([
    ...[false, 'unknown', 'this user has no home folder'],
  ]);
  expect(idIn(root)).toBe(present);
  const blocked = new StateOwner(join(temporaryFolder({ file: '' }), 'file'));
  expect(blocked.claim(root)).toMatch(/ENOTDIR|EEXIST/);
});

it('records the place of a project that was moved', () => {
  renameSync(root, join(top, 'moved'));
  expect(owner.claim(join(top, 'moved'))).toBeUndefined();
  const recorded = JSON.parse(readFileSync(join(records, readdirSync(records)[0] as string), 'utf8'));
  const { dev: device, ino: inode } = lstatSync(join(top, 'moved/.mesh/state'));
  expect(recorded).toEqual({ root: join(top, 'moved'), device, inode });
});

it.each([{ root: 7 }, { device: '1' }, { inode: 1.5 }])('knows no state with %j in its record', (changes) => {
  record(changes);
  expect(owner.judge(root)).toBe('unknown');
});

it.each<[string, boolean]>([
  ['state/.gitignore', false],
  ['credentials/.gitignore', false],
  ['state/.0123456789abcdef.tmp', false],
  ['state/.0123456789abcde.tmp', true],
  ['state/id', true],
  ['credentials/api-key', true],
  ['team/keeper.md', false],
  ['state', false],
])('tells a beginning start from state by the file %s', (path, holds) => {
  expect(holdsState(temporaryFolder({ [`.mesh/${path}`]: '' }))).toBe(holds);
});
