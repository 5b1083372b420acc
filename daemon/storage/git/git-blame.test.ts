import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { type Blame, blameFile } from './git-blame.js';

const environment = { PATH: process.env['PATH'] };

/** One, two and four are of the first commit, three of the second. */
function aRepository(): string {
  const root = temporaryRepository({ 'src/lamp.ts': 'one\ntwo\nfour\n' });
  putFiles(root, { 'src/lamp.ts': 'one\ntwo\nthree\nfour\n' });
  git(root, 'commit', '-qam', 'author of three');
  return root;
}

const blame = (root: string, path = 'src/lamp.ts', to = 4) => blameFile(root, environment, { path, from: 1, to });

function bySubject(found: Blame): string[] {
  if (found.state !== 'blamed') return [found.state];
  return found.lines.map(({ start, end, commit }) => {
    const known = found.commits.find(({ hash }) => hash === commit);
    return `${start}-${end} ${known === undefined ? 'not committed' : `${known.author}: ${known.subject}`}`;
  });
}

it('names the commit of each run of lines', async () => {
  const found = await blame(aRepository());
  expect(bySubject(found)).toEqual(['1-2 Test: first', '3-3 Test: author of three', '4-4 Test: first']);
  expect(found.state === 'blamed' && found.commits.every(({ at }) => at > Date.UTC(2000, 0))).toBe(true);
});

it('follows lines over insertions, changes and removals that are not committed', async () => {
  const root = aRepository();
  putFiles(root, { 'src/lamp.ts': 'zero\none\nthree\nFOUR\n' });
  expect(bySubject(await blame(root))).toEqual([
    '1-1 not committed',
    '2-2 Test: first',
    '3-3 Test: author of three',
    '4-4 not committed',
  ]);
  putFiles(root, { 'src/lamp.ts': 'new\n' });
  expect(bySubject(await blame(root, 'src/lamp.ts', 1))).toEqual(['1-1 not committed']);
});

it('says when there is no commit of the file, or no repository', async () => {
  const root = aRepository();
  putFiles(root, { 'new.ts': 'a\n' });
  expect(bySubject(await blame(root, 'new.ts', 1))).toEqual(['not_in_head']);
  expect(bySubject(await blame(root, 'src/*.ts', 1))).toEqual(['not_in_head']);
  expect(bySubject(await blame(temporaryFolder({ 'src/lamp.ts': 'one\n' })))).toEqual(['no_repository']);
});

it('runs no program of the repository', async () => {
  const root = aRepository();
  git(root, 'config', 'diff.evil.textconv', 'touch ran; cat');
  git(root, 'config', 'filter.evil.clean', 'touch ran; cat');
  putFiles(root, { '.gitattributes': '* diff=evil filter=evil\n', 'src/lamp.ts': 'one\ntwo\nthree\nfive\n' });
  expect(bySubject(await blame(root))).toEqual(['1-2 Test: first', '3-3 Test: author of three', '4-4 not committed']);
  expect(existsSync(join(root, 'ran'))).toBe(false);
});
