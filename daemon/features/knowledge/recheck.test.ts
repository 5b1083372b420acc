import { expect, it, onTestFinished } from 'vitest';
import type { Citation } from '../../contract/asks.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { AnswerRecheck } from './answer-recheck.js';
import type { Citations } from './citations.js';
import { LocalKnowledge } from './local-knowledge.js';
import { Recheck } from './recheck.js';

const DUSK = 'export const DUSK_ANGLE_DEGREES = -6;';
const cited = (path: string, changes: Partial<Citation> = {}): Citation => ({
  path,
  start_line: 1,
  end_line: 1,
  commit: null,
  sha256: 'x',
  quote: DUSK,
  status: 'checked',
  ...changes,
});
const GIVEN = { start_line: 1, end_line: 1, commit: null, status: 'checked' as const };

function getKnowledge(root: string, clock = new FakeClock()): LocalKnowledge {
  const knowledge = new LocalKnowledge(root, temporaryFolder(), { PATH: process.env['PATH'] }, clock);
  onTestFinished(() => knowledge.close());
  return knowledge;
}

/** Citations over `files`, which count how often a file is read. */
function counting(files: Readonly<Record<string, string>>) {
  const reads: string[] = [];
  const citations: Pick<Citations, 'check' | 'read'> = {
    read: (path) => {
      reads.push(path);
      const text = files[path];
      const lines = text?.split('\n') ?? [];
      return text === undefined ? undefined : { bytes: Buffer.from(text), lines, safe: lines };
    },
    check: (given, readFile) => ({ ...given, status: readFile?.(given.path) ? 'checked' : 'dropped' }),
  };
  return { recheck: new Recheck(citations), reads };
}

it('returns a citation as it was given, moved, or changed when its file is gone or may not be read', async () => {
  const root = temporaryRepository({ 'a.ts': `${DUSK}\n`, 'b.ts': `\n\n${DUSK}\n` });
  putFiles(root, { 'untracked.ts': `${DUSK}\n` });
  const knowledge = getKnowledge(root);
  await knowledge.rescan();
  const given = ['a.ts', 'b.ts', 'gone.ts', 'untracked.ts', '../a.ts'].map((path) => cited(path));
  const changed = (citation: Citation | undefined) => ({ ...citation, status: 'changed', given: GIVEN });
  const moved = { start_line: 3, end_line: 3, commit: expect.any(String), status: 'moved', given: GIVEN };
  const [a, b, gone, untracked, outside] = given;
  expect(await knowledge.recheck(given)).toEqual([a, { ...b, ...moved }, changed(gone), untracked, changed(outside)]);
  expect((await knowledge.recheck(given, 'outside'))[3]).toEqual(changed(untracked));
  expect(await knowledge.recheck([cited('gone.ts', { status: 'dropped' })])).toEqual([
    cited('gone.ts', { status: 'dropped' }),
  ]);
});

it('keeps a result until the next scan', async () => {
  const root = temporaryRepository({ 'a.ts': `${DUSK}\n` });
  const clock = new FakeClock();
  const knowledge = getKnowledge(root, clock);
  await knowledge.rescan();
  const status = async () => (await knowledge.recheck([cited('a.ts')]))[0]?.status;
  expect(await status()).toBe('checked');
  putFiles(root, { 'a.ts': `// before\n${DUSK}\n` });
  expect(await status()).toBe('checked');
  clock.advance(5_000);
  expect(await status()).toBe('moved');
});

it('does not wait for the first scan, and changes nothing while it is not known what others may read', async () => {
  const knowledge = getKnowledge(temporaryRepository({ 'b.ts': `\n${DUSK}\n` }));
  const given = [cited('b.ts')];
  expect(await knowledge.recheck(given, 'outside')).toEqual(given);
  expect((await knowledge.recheck(given))[0]?.status).toBe('moved');
  expect(knowledge.status().state).toBe('idle');
});

it('reads a file once, and at most 200 citations and 8 MiB of files', () => {
  const { recheck, reads } = counting({ 'a.ts': DUSK });
  const many = Array.from({ length: 205 }, (_, index) =>
    cited(index === 202 ? 'gone.ts' : 'a.ts', { start_line: index + 1 }),
  );
  expect(recheck.recheck(many)).toEqual(many);
  expect(reads).toEqual(['a.ts']);

  const large = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.ts`, 'x'.repeat(2 ** 20)]));
  const bounded = counting(large);
  const last = bounded.recheck.recheck([...Object.keys(large), 'gone.ts'].map((path) => cited(path))).at(-1);
  expect(bounded.reads).toHaveLength(8);
  expect(last).toEqual(cited('gone.ts'));
});

it('keeps what it found of a citation, until it forgets, and 4,000 of them', () => {
  const { recheck, reads } = counting({ 'a.ts': DUSK });
  recheck.recheck([cited('a.ts'), cited('gone.ts')]);
  expect(recheck.recheck([cited('gone.ts')])[0]?.status).toBe('changed');
  expect(reads).toEqual(['a.ts', 'gone.ts']);
  const changes: Partial<Citation>[] = [
    { start_line: 2 },
    { end_line: 2 },
    { commit: 'x' },
    { status: 'moved' },
    { sha256: 'y' },
  ];
  for (const change of changes) recheck.recheck([cited('a.ts', change)]);
  expect(reads).toHaveLength(7);
  recheck.forget();
  recheck.recheck([cited('a.ts')]);
  expect(reads).toHaveLength(8);
  for (let line = 2; line <= 4_000; line += 1) recheck.recheck([cited('a.ts', { start_line: line })]);
  const before = reads.length;
  recheck.recheck([cited('a.ts')]);
  expect(reads).toHaveLength(before);
  recheck.recheck([cited('b.ts')]);
  recheck.recheck([cited('a.ts')]);
  expect(reads).toHaveLength(before + 2);
});

it('searches for a quote of many lines in a file of many equal lines in bounded time', async () => {
  const root = temporaryRepository({ 'a.txt': `${'ab\n'.repeat(300_000)}` });
  const quote = `${'ab\n'.repeat(5_000)}the end`;
  const started = performance.now();
  const [found] = await getKnowledge(root).recheck([cited('a.txt', { quote, start_line: 300_000 })]);
  expect(found?.status).toBe('changed');
  expect(performance.now() - started).toBeLessThan(5_000);
});

it('counts the files that were searched, and those that the index left out, for each reader', async () => {
  const root = temporaryRepository({ 'a.ts': `${DUSK}\n`, 'large.txt': 'a line\n'.repeat(200_000) });
  const image = '\u0000\u0001an image';
  putFiles(root, { 'untracked.ts': 'let b;\n', 'untracked-large.txt': 'a line\n'.repeat(200_000), 'image.raw': image });
  git(root, 'status');
  const knowledge = getKnowledge(root);
  const searched = async (profile: 'operator' | 'outside') =>
    (await knowledge.answer({ text: 'Where is the dusk?', profile })).searched;
  const absent = await knowledge.answer({ text: 'Where is the kubeconfig watched?' });
  expect(absent.text).toContain('Left out: 2 too many, too large or not checked out, 1 not text.');
  expect(await searched('operator')).toEqual({ files: 2, left_out: 2, not_text: 1 });
  expect(await searched('outside')).toEqual({ files: 1, left_out: 1 });
  expect(knowledge.status()).toMatchObject({ files_total: 2, left_out: 2, not_text: 1 });
});

it('counts submodules among what the index leaves out, and names them', async () => {
  const root = temporaryRepository({ 'a.ts': `${DUSK}\n` });
  const [id] = git(root, 'rev-parse', 'HEAD').split('\n');
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${id},vendor/lib`);
  putFiles(root, { 'vendor/lib/.git': 'gitdir: away', 'vendor/lib/b.ts': 'export const kubeconfig = 1;\n' });
  const knowledge = getKnowledge(root);
  const absent = await knowledge.answer({ text: 'Where is the kubeconfig watched?', profile: 'outside' });
  expect(absent.text).toContain('Left out: the submodule `vendor/lib`.');
  expect(absent.searched).toEqual({ files: 1, left_out: 1 });
  expect(knowledge.status()).toMatchObject({ left_out: 1, message: 'Submodules are not searched: vendor/lib.' });
});

it('gives the citations of several answers back to them, the first 200 looked at', async () => {
  const asked: number[] = [];
  const recheck = async (citations: readonly Citation[]) => {
    asked.push(citations.length);
    return citations.map((citation) => ({ ...citation, status: 'changed' as const }));
  };
  const answers = new AnswerRecheck({ recheck }, new FakeClock());
  const list = (count: number) => Array.from({ length: count }, (_, index) => cited(`${index}.ts`));
  const given = [{ id: 1, citations: list(3) }, { id: 2, citations: null }, { id: 3 }, { id: 4, citations: list(199) }];
  const read = await answers.recheck(given, 'operator');
  const changed = read.map(({ citations }) => citations?.filter(({ status }) => status === 'changed').length);
  expect(changed).toEqual([3, undefined, undefined, 197]);
  expect(read.map(({ id, citations }) => [id, citations?.length])).toEqual([
    [1, 3],
    [2, undefined],
    [3, undefined],
    [4, 199],
  ]);
  expect(await answers.recheck([{ citations: [] }, { citations: null }], 'operator')).toEqual([
    { citations: [] },
    { citations: null },
  ]);
  expect(asked).toEqual([200]);
});

it('returns answers as they were given when the index is down or does not reply', async () => {
  const clock = new FakeClock();
  const given = [{ citations: [cited('a.ts')] }];
  const failing = new AnswerRecheck({ recheck: () => Promise.reject(new Error('down')) }, clock);
  expect(await failing.recheck(given, 'operator')).toEqual(given);
  const silent = new AnswerRecheck({ recheck: () => new Promise(() => undefined) }, clock).recheck(given, 'operator');
  clock.advance(2_000);
  expect(await silent).toEqual(given);
});
