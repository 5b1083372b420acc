import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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
  expect(() => file.change((all) => all.set('a', 'mine').size > 0)).toThrow(refused('run `meshd up` first'));
  expect(readFileSync(file.path, 'utf8')).toBe('{"a":"theirs"}');
});

it('is not written through a link in place of its folder, nor read through one in its own place', () => {
  const root = ownState(temporaryFolder({ 'elsewhere/clusters.json': '{"a":"x"}' }));
  symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/credentials'));
  expect(() => open(root).change(() => true)).toThrow(refused('not a link'));
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

it('keeps the entries of every process that changes it at once', async () => {
  const root = ownState(temporaryFolder({ '.mesh/credentials/x': '' }));
  const script = `
    import { SecretsFile } from ${JSON.stringify(new URL('./secrets-file.ts', import.meta.url).href)};
    const file = new SecretsFile(${JSON.stringify(root)}, 'clusters.json', () => true);
    process.stdout.write('ready');
    for await (const _ of process.stdin);
    for (let round = 0; round < 10; round += 1) file.change((all) => all.set(process.pid + '-' + round, 'x').size > 0);
  `;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')));
  await Promise.all(children.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve))));
  const ended = children.map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const { stdin } of children) stdin.end();
  expect(await Promise.all(ended)).toEqual([0, 0, 0, 0]);
  expect(open(root).read().size).toBe(40);
});

it('is changed in spite of the lock of a process that was killed', () => {
  const root = ownState(temporaryFolder({ '.mesh/credentials/x': '' }));
  const lock = join(root, '.mesh/credentials/.clusters.json.lock');
  writeFileSync(lock, '');
  utimesSync(lock, 0, 0);
  expect(open(root).change((all) => all.set('a', 'x').size > 0)).toBe(true);
  expect([...open(root).read()]).toEqual([['a', 'x']]);
});
