import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { KnowledgeStatus } from '../../contract/system.js';
import { PassageDatabase } from '../../storage/database/passage-database.js';
import { PassageReader } from '../../storage/database/passage-reader.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { countRounds } from '../../testing/processes/event-loop.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { LocalKnowledge } from './local-knowledge.js';

const environment = { PATH: process.env['PATH'] };
const ANCHORS = { 'docs/anchors.md': '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n' };

function getKnowledge(root: string, state = temporaryFolder(), clock?: FakeClock) {
  const knowledge = new LocalKnowledge(root, state, environment, clock);
  onTestFinished(() => knowledge.close());
  const seen: KnowledgeStatus[] = [];
  knowledge.onStatus((status) => seen.push(status));
  return { knowledge, seen };
}

it('answers a question that arrives during indexing, once the index is ready', async () => {
  const { knowledge, seen } = getKnowledge(temporaryRepository(ANCHORS));
  expect(knowledge.status().state).toBe('idle');
  knowledge.start();
  const answer = await knowledge.answer({ text: 'When are anchor chains inspected?' });
  expect(answer.citations[0]?.path).toBe('docs/anchors.md');
  expect([...new Set(seen.map((status) => status.state))]).toEqual(['indexing', 'ready']);
  expect(seen.at(-1)).toMatchObject({ files_done: 1, files_total: 1, passages: 1 });
});

it('another program gets the places of names that begin like a token', async () => {
  const sql = 'CREATE TABLE tt_content (\n  header varchar(255)\n);\n';
  const guide = '# Content\n\nThe table tt_content is extended in the class Teaser.\n';
  const { knowledge } = getKnowledge(temporaryRepository({ 'ext_tables.sql': sql, 'docs/content.md': guide }));
  const answer = await knowledge.answer({ text: 'Where is the table tt_content extended?', profile: 'outside' });
  expect(answer).toMatchObject({
    confidence: 'found',
    citations: [{ path: 'ext_tables.sql' }, { path: 'docs/content.md' }],
  });
});

it('a search for names waits for no scan, and starts the one with which a later search finds what is new', async () => {
  const clock = new FakeClock();
  const root = temporaryRepository(ANCHORS);
  const { knowledge } = getKnowledge(root, undefined, clock);
  await knowledge.structured();
  putFiles(root, { 'docs/buoys.md': '# Buoys\n' });
  clock.advance(60_000);
  const find = async () => (await knowledge.findNames('docs', 5)).files;
  expect(await find()).toEqual(['docs/anchors.md']);
  await expect.poll(find).toEqual(['docs/buoys.md', 'docs/anchors.md']);
});

it('tells the state of the structure graph until it is ready', async () => {
  const { knowledge, seen } = getKnowledge(temporaryRepository({ ...ANCHORS, 'a.py': 'def a():\n    pass\n' }));
  await knowledge.structured();
  await new Promise((resume) => setImmediate(resume));
  expect(seen.map(({ structure }) => structure.state)).toContain('idle');
  expect(seen.at(-1)?.structure).toEqual({
    state: 'ready',
    files_done: 1,
    files_total: 1,
    left_out: [],
    languages: [{ language: 'Python', files: 1 }],
  });
});

/** Each look at the time takes 30 ms, so that a slice of a scan reads four files. */
class SlowClock extends FakeClock {
  isSlow = true;

  override elapsed(): number {
    if (this.isSlow) this.advance(30);
    return super.elapsed();
  }
}

it('answers from the files near the root when the first index takes longer than five seconds', async () => {
  const far = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`src/far/part${index}.md`, `# Part ${index}\n\nNothing of note.\n`]),
  );
  const root = temporaryRepository({ ...far, ...ANCHORS, 'src/far/zz.md': '# Buoys\n\nBuoys are painted red.\n' });
  const { knowledge } = getKnowledge(root, undefined, new SlowClock());
  knowledge.start();
  const answer = await knowledge.answer({ text: 'When are anchor chains inspected?' });
  expect(answer.citations[0]?.path).toBe('docs/anchors.md');
  const { files, pending = 0 } = answer.searched;
  expect(files + pending).toBe(1_002);
  expect(pending).toBeGreaterThan(500);
  expect(answer.text).toContain(`still being built: ${pending} of 1002 files were not read yet`);

  const absent = await knowledge.answer({ text: 'Where is the kubeconfig watched?' });
  expect(absent).toMatchObject({ confidence: 'none', searched: { pending: expect.any(Number) } });
  expect(absent.text).toMatch(/^Not found in the files that were read so far\./);
  expect(absent.text).not.toContain('Nowhere in it');

  while (knowledge.status().state !== 'ready') await new Promise((resume) => setImmediate(resume));
  const complete = await knowledge.answer({ text: 'Where is the kubeconfig watched?' });
  expect(complete.searched).toEqual({ files: 1_002, left_out: 0 });
  expect(complete.text).toContain('Nowhere in it: `kubeconfig`');
});

it('scans the tree again when the last scan is too old, and on request', async () => {
  const root = temporaryRepository(ANCHORS);
  const clock = new FakeClock();
  const { knowledge } = getKnowledge(root, undefined, clock);
  const found = async () =>
    (await knowledge.answer({ text: 'What does the lighthouse beacon do?' })).confidence !== 'none';
  expect(await found()).toBe(false);
  putFiles(root, { 'light.md': '# Lighthouse\n\nThe lighthouse beacon blinks while a ship waits.\n' });
  expect(await found()).toBe(false);
  clock.advance(1_000);
  expect(await found()).toBe(true);
  putFiles(root, { 'light.md': '# Nothing\n\nNothing is here any more at all.\n' });
  await knowledge.rescan();
  expect(await found()).toBe(false);
});

it.runIf(process.platform === 'linux')('finds what was changed a moment ago in a project that it follows', async () => {
  const parts = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`src/part${index}.md`, `# Part ${index}\n\nNothing of note.\n`]),
  );
  const root = temporaryRepository({ ...parts, ...ANCHORS });
  const { knowledge } = getKnowledge(root, undefined, new FakeClock());
  const says = async (text: string) => (await knowledge.answer({ text })).text;
  await knowledge.rescan();
  await knowledge.rescan();
  for (const colour of ['red', 'green']) {
    putFiles(root, { 'docs/buoys.md': `# Buoys\n\nBuoys are painted ${colour} each year.\n` });
    expect(await says('How are buoys painted?')).toContain(`painted ${colour} each year`);
  }
  unlinkSync(join(root, 'docs/buoys.md'));
  const { confidence, searched } = await knowledge.answer({ text: 'How are buoys painted?' });
  expect([confidence, searched.files]).toEqual(['none', 2_001]);
  putFiles(root, { 'docs/piers/east.md': '# Piers\n\nThe eastern pier is closed in winter.\n' });
  expect(await says('When is the eastern pier closed?')).toContain('closed in winter');
  expect(knowledge.status()).toMatchObject({ state: 'ready', files_done: 2_002, files_total: 2_002 });
});

it.runIf(process.platform === 'linux')('finds what was changed while a scan was under way', async () => {
  const parts = (length: number, text: string) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`src/part${index}.md`, `# Part ${index}\n\n${text}\n`]));
  const root = temporaryRepository(parts(2_000, 'Nothing of note.'));
  const clock = new SlowClock();
  clock.isSlow = false;
  const { knowledge } = getKnowledge(root, undefined, clock);
  await knowledge.rescan();
  await knowledge.rescan();
  putFiles(root, parts(40, 'Nothing at all.'));
  clock.isSlow = true;
  const scanning = knowledge.rescan();
  await new Promise((resume) => setImmediate(resume));
  await new Promise((resume) => setImmediate(resume));
  putFiles(root, { 'docs/buoys.md': '# Buoys\n\nBuoys are painted red each year.\n' });
  const answer = await knowledge.answer({ text: 'How are buoys painted?' });
  expect(answer.text).toContain('painted red each year');
  await scanning;
});

it('yields to the event loop while it indexes ten thousand files', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [
      `src/part${index % 100}/file${index}.ts`,
      `export const value${index} = ${index};\n`,
    ]),
  );
  const { knowledge } = getKnowledge(temporaryFolder({ ...files, ...ANCHORS }));
  const counted = countRounds();
  await knowledge.rescan();
  counted.stop();
  expect(knowledge.status()).toMatchObject({ state: 'ready', files_done: 10_001, files_total: 10_001 });
  expect(counted.rounds).toBeGreaterThan(5);
  const answer = await knowledge.answer({ text: 'When are anchor chains inspected?' });
  expect(answer.citations[0]?.path).toBe('docs/anchors.md');
}, 60_000);

it('keeps its index across restarts', async () => {
  const root = temporaryRepository(ANCHORS);
  const state = temporaryFolder();
  // Later than the files, so that none of them counts as modified too recently.
  const clock = new FakeClock(Date.now() + 60_000);
  const first = getKnowledge(root, state, clock).knowledge;
  await first.rescan();
  await first.close();
  const { knowledge, seen } = getKnowledge(root, state, clock);
  await knowledge.rescan();
  expect(seen[0]).toMatchObject({ state: 'indexing', files_done: 1, files_total: 1 });
});

describe('an index whose file is damaged', () => {
  const PAGE = 4_096;
  const files = {
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`docs/part${at}.md`, `# Part ${at}\n\nBuoy ${at} is painted red.\n`]),
    ),
    ...ANCHORS,
    'a.py': 'def moor():\n    pass\n\n\ndef sail():\n    moor()\n',
  };
  /** Later than the files, so that none of them counts as modified too recently. */
  const getClock = () => new FakeClock(Date.now() + 60_000);

  async function makeIndex(root: string) {
    const state = temporaryFolder();
    const { knowledge } = getKnowledge(root, state, getClock());
    await knowledge.structured();
    await knowledge.close();
    const path = join(state, 'knowledge.db');
    const whole = readFileSync(path);
    const damage = (page: number) =>
      writeFileSync(
        path,
        Buffer.concat([whole.subarray(0, page * PAGE), Buffer.alloc(PAGE, 0xff), whole.subarray((page + 1) * PAGE)]),
      );
    return { state, path, pages: whole.length / PAGE, damage };
  }

  async function expectAnswers(knowledge: LocalKnowledge) {
    const answer = await knowledge.answer({ text: 'When are anchor chains inspected?' });
    expect(answer.citations[0]?.path).toBe('docs/anchors.md');
    expect((await knowledge.answer({ text: 'Who calls moor?' })).citations[0]).toMatchObject({ path: 'a.py' });
    await knowledge.structured();
    expect(knowledge.status()).toMatchObject({ state: 'ready', files_total: 62, structure: { state: 'ready' } });
  }

  it('answers, with an index that is made anew, whichever page it is', async () => {
    const root = temporaryRepository(files);
    const { state, pages, damage } = await makeIndex(root);
    expect(pages).toBeGreaterThan(30);
    const seen: string[] = [];
    for (let page = 1; page < pages; page += 3) {
      damage(page);
      const { knowledge, seen: states } = getKnowledge(root, state, getClock());
      await expectAnswers(knowledge);
      await knowledge.close();
      seen.push(...states.map((one) => one.state));
    }
    expect(seen).not.toContain('failed');
  });

  it('is made anew once in ten minutes', async () => {
    const root = temporaryRepository(files);
    const clock = getClock();
    const { knowledge } = getKnowledge(root, undefined, clock);
    await knowledge.structured();
    const damaged = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' });
    const search = vi.spyOn(PassageReader.prototype, 'search').mockImplementation(() => {
      throw damaged;
    });
    onTestFinished(() => search.mockRestore());
    const discard = vi.spyOn(PassageDatabase.prototype, 'discard');
    onTestFinished(() => discard.mockRestore());
    const ask = () => knowledge.answer({ text: 'When are anchor chains inspected?' });
    await expect(ask()).rejects.toBe(damaged);
    await expect(ask()).rejects.toBe(damaged);
    expect(discard).toHaveBeenCalledTimes(1);
    clock.advance(600_000);
    await expect(ask()).rejects.toBe(damaged);
    expect(discard).toHaveBeenCalledTimes(2);
    search.mockRestore();
    await expectAnswers(knowledge);
  });
});

it('throws when the signal of the question has fired, and `overloaded` after close', async () => {
  const { knowledge } = getKnowledge(temporaryRepository(ANCHORS));
  await expect(knowledge.answer({ text: 'anchors', signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await knowledge.close();
  await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
});

it('reports the state `failed` when its database cannot be created', async () => {
  const state = join(temporaryFolder(), 'not-a-folder');
  writeFileSync(state, '');
  const { knowledge, seen } = getKnowledge(temporaryRepository(ANCHORS), state);
  knowledge.start();
  await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
  expect(knowledge.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('.mesh/state') });
  expect(seen.at(-1)?.state).toBe('failed');
});

describe('the status', () => {
  it('is told of once, to each listener until it leaves', async () => {
    const { knowledge, seen } = getKnowledge(temporaryFolder(ANCHORS), undefined, new FakeClock());
    const left: string[] = [];
    const leave = knowledge.onStatus(({ state }) => left.push(state));
    leave();
    await knowledge.structured();
    await knowledge.rescan();
    expect(left).toEqual([]);
    const told = seen.map((status) => JSON.stringify(status));
    expect(told.filter((one, at) => one === told[at - 1])).toEqual([]);
    const before = seen.length;
    await knowledge.rescan();
    expect(seen).toHaveLength(before);
    await knowledge.close();
    expect(knowledge.status()).toMatchObject({ state: 'idle', files_total: 0 });
  });

  it('is told of at most every 200 ms, unless it is another state', async () => {
    const clock = new SlowClock();
    const files = Array.from({ length: 60 }, (_, at) => [`part${at}.md`, `# Part ${at}\n\nNothing of note.\n`]);
    const { knowledge } = getKnowledge(temporaryFolder(Object.fromEntries(files)), undefined, clock);
    const told: [state: string, at: number][] = [];
    knowledge.onStatus(({ state }) => told.push([state, FakeClock.prototype.elapsed.call(clock)]));
    await knowledge.rescan();
    const indexing = told.flatMap(([state, at]) => (state === 'indexing' ? [at] : []));
    expect(indexing.length).toBeGreaterThan(3);
    expect(indexing.length).toBeLessThan(20);
    const gaps = indexing.slice(1).map((at, index) => at - (indexing[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
    expect(told.at(-1)?.[0]).toBe('ready');
  });

  it('is `failed` with its reason while the index cannot be written, and `ready` once it can', async () => {
    const { knowledge, seen } = getKnowledge(temporaryFolder(ANCHORS), undefined, new FakeClock());
    const together = vi.spyOn(PassageDatabase.prototype, 'together').mockImplementationOnce(() => {
      throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
    });
    onTestFinished(() => together.mockRestore());
    const message = 'The index cannot be written: check the space and permissions of `.mesh/state`.';
    await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded', message });
    expect(knowledge.status()).toMatchObject({ state: 'failed', message });
    expect(seen.at(-1)).toMatchObject({ state: 'failed', message });
    await knowledge.rescan();
    expect(knowledge.status().state).toBe('ready');
    expect(knowledge.status()).not.toHaveProperty('message');
  });

  it('says what to look at when the index cannot be opened', async () => {
    const state = join(temporaryFolder(), 'not-a-folder');
    writeFileSync(state, '');
    const { knowledge } = getKnowledge(temporaryFolder(ANCHORS), state, new FakeClock());
    const message = 'The index cannot be opened: check the space and permissions of `.mesh/state`.';
    await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded', message });
    await expect(knowledge.check([])).rejects.toMatchObject({ code: 'overloaded', message });
    expect(knowledge.status()).toMatchObject({ state: 'failed', message, files_total: 0 });
  });
});

describe('before the first scan', () => {
  it('names and paths are looked for in nothing, and start no scan', async () => {
    const { knowledge } = getKnowledge(temporaryFolder(ANCHORS), undefined, new FakeClock());
    expect(await knowledge.findPaths('anchors', 5)).toEqual([]);
    expect(await knowledge.findNames('anchors', 5)).toEqual({ files: [], symbols: [] });
    await new Promise((resume) => setImmediate(resume));
    expect(knowledge.status().state).toBe('idle');
    await knowledge.rescan();
    expect(await knowledge.findPaths('anchors', 5)).toEqual(['docs/anchors.md']);
  });

  it('the operator can read lines; others wait for what Git tracks', async () => {
    const { knowledge } = getKnowledge(temporaryRepository(ANCHORS), undefined, new FakeClock());
    expect((await knowledge.readLines('docs/anchors.md', 1, 1)).lines).toEqual(['# Anchors']);
    expect(knowledge.status().state).toBe('idle');
    expect((await knowledge.readLines('docs/anchors.md', 1, 1, 'outside')).lines).toEqual(['# Anchors']);
    expect(knowledge.status().state).toBe('ready');
  });

  it('citations are checked once their files were read', async () => {
    const { knowledge } = getKnowledge(temporaryRepository(ANCHORS), undefined, new FakeClock());
    const quote = 'Anchor chains are inspected every spring by the harbour office.';
    const cited = { path: 'docs/anchors.md', start_line: 3, end_line: 3, commit: null, sha256: 'x', quote };
    const [checked] = await knowledge.check([{ ...cited, status: 'dropped' }]);
    expect(checked).toMatchObject({ status: 'checked', commit: expect.any(String) });
    expect(knowledge.status().state).toBe('ready');
  });

  it('a question about structure waits for the graph', async () => {
    const files = { 'a.py': 'def moor():\n    pass\n\n\ndef sail():\n    moor()\n' };
    const { knowledge } = getKnowledge(temporaryFolder(files));
    const { trace, citations } = await knowledge.answer({ text: 'Who calls moor?' });
    expect(trace).toMatchObject({ source: 'structure', form: 'callers' });
    expect(trace?.stages.map(({ stage }) => stage)).toEqual(['index', 'graph', 'question', 'facts']);
    expect(citations[0]).toMatchObject({ path: 'a.py' });
    expect(await knowledge.findCode('refs', 'moor')).toMatchObject({ state: 'ready', is_known: true });
  });
});

it('a later scan is made when the last is too old, for paths and citations too', async () => {
  const clock = new FakeClock();
  const root = temporaryFolder(ANCHORS);
  const { knowledge } = getKnowledge(root, undefined, clock);
  await knowledge.rescan();
  putFiles(root, { 'docs/buoys.md': '# Buoys\n' });
  expect(await knowledge.findPaths('buoys', 5)).toEqual([]);
  clock.advance(2_000);
  expect(await knowledge.findPaths('buoys', 5)).toEqual(['docs/buoys.md']);
  putFiles(root, { 'docs/piers.md': '# Piers\n' });
  clock.advance(2_000);
  await knowledge.check([]);
  expect(knowledge.status().files_total).toBe(3);
});

it.each(['defs', 'refs', 'imports'] as const)('a query for %s needs a name', async (query) => {
  const { knowledge } = getKnowledge(temporaryFolder(ANCHORS), undefined, new FakeClock());
  await expect(knowledge.findCode(query)).rejects.toMatchObject({
    ...{ code: 'bad_request', details: { path: 'name' } },
    message: `\`name\` is missing: say what \`${query}\` is to be found for.`,
  });
});

it.each(['env', 'routes'] as const)('a query for %s needs none', async (query) => {
  const { knowledge } = getKnowledge(temporaryFolder(ANCHORS));
  expect(await knowledge.findCode(query)).toMatchObject({ state: 'ready', total: 0 });
});

it('a question whose signal fires while it waits is not answered', async () => {
  const { knowledge } = getKnowledge(temporaryFolder(ANCHORS), undefined, new FakeClock());
  const abort = new AbortController();
  const asked = knowledge.answer({ text: 'When are anchor chains inspected?', signal: abort.signal });
  abort.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

it('ends a scan at its next pause when it is closed', async () => {
  const files = Array.from({ length: 40 }, (_, at) => [`part${at}.md`, `# Part ${at}\n`]);
  const clock = new SlowClock();
  const { knowledge, seen } = getKnowledge(temporaryFolder(Object.fromEntries(files)), undefined, clock);
  const scanning = expect(knowledge.rescan()).rejects.toMatchObject({
    ...{ code: 'overloaded', message: 'The daemon is shutting down.' },
  });
  await new Promise((resume) => setImmediate(resume));
  await knowledge.close();
  await scanning;
  expect(seen.map(({ state }) => state)).not.toContain('ready');
  await knowledge.close();
  await expect(knowledge.rescan()).rejects.toMatchObject({ message: 'The daemon is shutting down.' });
  expect(() => knowledge.start()).not.toThrow();
});
