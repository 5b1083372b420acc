import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { ownState } from '../testing/user-folders.js';
import { SecretsFile } from './secrets-file.js';

const isText = (value: unknown): value is string => typeof value === 'string';
const open = (root: string) => new SecretsFile(root, 'clusters.json', isText);
const refused = (message: string) =>
  expect.objectContaining({ exit: 5, code: 'forbidden', message: expect.stringContaining(message) });

it('is neither read nor replaced where this machine did not make the state', () => {
  const root = temporaryFolder({ '.mesh/state/mesh.db': '', '.mesh/credentials/clusters.json': '{"a":"theirs"}' });
  const file = open(root);
  expect(file.read()).toEqual(new Map());
  expect(() => file.write(new Map([['a', 'mine']]))).toThrow(refused('run `meshd up` first'));
  expect(readFileSync(file.path, 'utf8')).toBe('{"a":"theirs"}');
});

it('is not written through a link in place of its folder, nor read through one in its own place', () => {
  const root = ownState(temporaryFolder({ 'elsewhere/clusters.json': '{"a":"x"}' }));
  symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/credentials'));
  expect(() => open(root).write(new Map())).toThrow(refused('not a link'));
  const other = ownState(temporaryFolder({ 'a.json': '{"a":"x"}' }));
  mkdirSync(join(other, '.mesh/credentials'));
  symlinkSync(join(other, 'a.json'), open(other).path);
  expect(() => open(other).read()).toThrow(expect.objectContaining({ exit: 5, name: 'CommandError' }));
});

it.each(['', '[', 'null', '{"a":1}'])('is damaged, and not quoted, when it holds %j', (text) => {
  const root = ownState(temporaryFolder({ '.mesh/credentials/clusters.json': text }));
  const { path } = open(root);
  const message = `${path} is damaged: fix it, or remove it to start it anew.`;
  expect(() => open(root).read()).toThrow(expect.objectContaining({ exit: 1, code: 'damaged', message }));
});
