import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Citation } from '../../../contract/asks.js';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { systemClock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { plantedSecrets } from '../../../testing/planted-secrets.js';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { NO_MODEL_LINE } from '../knowledge.js';
import { Structuring } from '../structure/structuring.js';
import { type Parsing, SyntaxParser } from '../structure/syntax-parser.js';
import { ProjectIndex } from './project-index.js';

const TOKEN = `mk_${'a1B2'.repeat(10)}`;
const PROJECT = {
  'README.md':
    '# Harbour\n\n[![build](https://x/y.svg)](https://x)\n\nHarbour is a small scheduler that moves containers ' +
    'between ships.\nIt keeps no state of its own.\n\n## Settings\n\nThe scheduler reads its settings from the ' +
    'environment at start.\n\n- `HARBOUR_PORT`: where it listens, 8080 when not given.\n- `HARBOUR_RETRIES`: ' +
    'how often a failed move is tried again, 3 by default.\n',
  'package.json':
    '{\n  "name": "harbour",\n  "description": "Moves containers between ships.",\n  "scripts": {\n    "build": ' +
    '"tsc -p .",\n    "test": "vitest run"\n  }\n}\n',
  'src/crane-queue.ts':
    '/** Puts a container on the ship with the most free slots. Throws when every ship is full. */\nexport ' +
    'function assignContainer(ships: Ship[], container: Container): Ship {\n  const best = ships.filter((ship) ' +
    "=> ship.free > 0).sort((a, b) => b.free - a.free)[0];\n  if (!best) throw new Error('no ship has a free " +
    "slot');\n  best.load(container);\n  return best;\n}\n",
  'src/berth.ts':
    'export const BERTH_TIMEOUT_MS = 45_000;\n\n/** Waits until a berth is free, then reserves it for the ship. ' +
    '*/\nexport class BerthReservation {\n  reserve(ship: Ship): Promise<void> {\n    return ' +
    'this.waitForBerth(ship, BERTH_TIMEOUT_MS);\n  }\n}\n',
  'test/crane-queue.test.ts':
    "it('assigns a container to a ship', () => {\n  expect(assignContainer(ships, " +
    'container)).toBe(ships[1]);\n});\n',
};

function index(root: string, database = join(temporaryFolder(), 'knowledge.db'), followedFrom?: number): ProjectIndex {
  const environment = { PATH: process.env['PATH'] };
  const made = new ProjectIndex({ root, database, environment, clock: systemClock, followedFrom });
  onTestFinished(() => made.close());
  scan(made);
  return made;
}

function scan(made: ProjectIndex): void {
  for (const _ of made.scan()) {
    // Runs the scan to its end without pauses.
  }
}

function expectCited(root: string, citations: readonly Citation[], made: ProjectIndex): void {
  for (const citation of citations) {
    const lines = made.readLines(citation.path, citation.start_line, citation.end_line);
    expect(citation.quote).toBe(lines.lines.join('\n'));
    expect(citation.sha256).toBe(sha256Hex(citation.quote));
  }
  expect(made.check(citations)).toEqual(citations);
  expect(root).not.toBe('');
}

describe('an answer', () => {
  it.each([
    ['Which environment variable sets the port?', 'README.md', 'HARBOUR_PORT'],
    ['What is the timeout for a berth?', 'src/berth.ts', '45_000'],
  ])('to "%s", for which the evidence is only probable, names %s and states nothing', (text, path, quoted) => {
    const root = temporaryRepository(PROJECT);
    const made = index(root);
    const answer = made.answer({ text });
    expect(answer.confidence).toBe('likely');
    expect(answer.text.startsWith(`Probably here: \`${path}:`)).toBe(true);
    expect(answer.text).toContain(quoted);
    expectCited(root, answer.citations, made);
  });

  it.each([
    ['Where does a container get put on a ship?', 'src/crane-queue.ts', 'assignContainer'],
    ['How often is a move that failed repeated?', 'README.md', '3 by default'],
    ['Where is BerthReservation defined?', 'src/berth.ts', 'line 4'],
    ['where is asignContainer implemented', 'src/crane-queue.ts', 'assignContainer'],
    ['How do I run the tests?', 'package.json', 'npm test'],
    ['What is this project?', 'package.json', 'Moves containers between ships.'],
  ])('to "%s" cites %s', (text, path, said) => {
    const root = temporaryRepository(PROJECT);
    const made = index(root);
    const answer = made.answer({ text });
    expect(answer.confidence).not.toBe('none');
    expect(answer.citations[0]?.path).toBe(path);
    expect(answer.text).toContain(said);
    expect(answer.text.endsWith(NO_MODEL_LINE)).toBe(true);
    expect(answer.text.split('\n\n')[0]).toMatch(/\[1\]$/);
    expectCited(root, answer.citations, made);
    expect(index(root).answer({ text })).toEqual(answer);
  });

  it.each([
    'How do I configure the GraphQL gateway?',
    'What colour is the login button?',
    'Where are invoices sent to customers?',
    '???',
    'the of and',
    '"* OR NEAR(',
  ])('to "%s" reports that nothing was found, without citations', (text) => {
    const answer = index(temporaryRepository(PROJECT)).answer({ text });
    expect(answer).toMatchObject({ confidence: 'none', citations: [] });
    expect(answer.text).toMatch(/^Not found in this project\.\n/);
    expect(answer.text.endsWith(NO_MODEL_LINE)).toBe(true);
  });

  it.each<[string, boolean]>([
    ['protobuf', true],
    ['Zephyrio', true],
    ['zephyrio', false],
    ['gantries', false],
  ])('finds nothing about %s, which is not here, when it names a technology: %s', (name, isNone) => {
    const text = `Can a berth for containers be reserved by a ship over ${name}?`;
    expect(index(temporaryRepository(PROJECT)).answer({ text }).confidence === 'none').toBe(isNone);
  });

  it('cites the commit for unmodified files, and no commit for modified ones', () => {
    const root = temporaryRepository(PROJECT);
    const made = index(root);
    const question = { text: 'What is the timeout for a berth?' };
    expect(made.answer(question).citations[0]?.commit).toBe(git(root, 'rev-parse', 'HEAD').trim());
    putFiles(root, { 'src/berth.ts': `// a new line\n${PROJECT['src/berth.ts']}` });
    scan(made);
    expect(made.answer(question).citations[0]).toMatchObject({ path: 'src/berth.ts', commit: null });
  });

  it('includes a file that was just written, and excludes a deleted one', () => {
    const root = temporaryRepository(PROJECT);
    const made = index(root);
    const question = { text: 'What does the lighthouse beacon do?' };
    expect(made.answer(question).confidence).toBe('none');
    putFiles(root, {
      'src/lighthouse.ts':
        '/** The lighthouse beacon blinks while a ship waits. */\nexport function blinkBeacon() {}\n',
    });
    scan(made);
    expect(made.answer(question).citations[0]?.path).toBe('src/lighthouse.ts');
    unlinkSync(join(root, 'src/lighthouse.ts'));
    scan(made);
    expect(made.answer(question).confidence).toBe('none');
  });

  it('reports from the Git log when and by whom something was changed', () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, { 'src/berth.ts': `${PROJECT['src/berth.ts']}// tides\n` });
    git(root, 'commit', '-q', '-a', '-m', 'fix(berth): respect the tides');
    const made = index(root);
    for (const text of ['When was src/berth.ts last changed?', 'Who changed the tides?']) {
      const answer = made.answer({ text });
      expect(answer.text).toContain('fix(berth): respect the tides');
      expect(answer.text).toContain('by Test');
      expect(answer.citations[0]?.path).toBe('src/berth.ts');
    }
  });

  it('quotes the documents that came with the question, but does not cite them', () => {
    const made = index(temporaryRepository(PROJECT));
    const context_docs = [
      { filename: '../../etc/notes.md', content: '# Quarantine\n\nQuarantine lasts forty days for every vessel.\n' },
    ];
    const answer = made.answer({ text: 'How long does quarantine last for a vessel?', context_docs });
    expect(answer).toMatchObject({ confidence: 'none', citations: [] });
    expect(answer.text).toContain('Quarantine lasts forty days');
    expect(answer.text).toContain('not a file of this project');
  });

  it('prefers files that the refs of the member name', () => {
    const same = '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n';
    const made = index(temporaryRepository({ 'docs/a.md': same, 'docs/b.md': same }));
    expect(made.answer({ text: 'When are anchor chains inspected?' }).citations[0]?.path).toBe('docs/a.md');
    expect(made.answer({ text: 'When are anchor chains inspected?', refs: ['docs/b.md'] }).citations[0]?.path).toBe(
      'docs/b.md',
    );
  });
});

describe('citations', () => {
  const cite = (root: string) => {
    const made = index(root);
    const [citation] = made.answer({ text: 'What is the timeout for a berth?' }).citations;
    return { made, citation: citation as Citation };
  };

  it('end with a line that says something, so that they stand when they are looked at again', () => {
    const permission = 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software.';
    const lines = [
      'MIT License',
      '',
      'Copyright (c) 2026 The harbour',
      '',
      permission,
      ...'abcdef',
      '',
      ...'ghijklmnop',
    ];
    const made = index(temporaryRepository({ ...PROJECT, LICENSE: `${lines.join('\n')}\n` }));
    const { citations } = made.answer({ text: 'Which licence does this project have?' });
    expect(citations.map(({ path, end_line }) => [path, end_line])).toContainEqual(['LICENSE', 11]);
    expect(made.check(citations).map(({ status }) => status)).toEqual(citations.map(() => 'checked'));
  });

  it('are `moved` when the quote moved, and `dropped` when it is gone', () => {
    const root = temporaryRepository(PROJECT);
    const { made, citation } = cite(root);
    putFiles(root, { 'src/berth.ts': `// one\n// two\n${PROJECT['src/berth.ts']}` });
    expect(made.check([citation])[0]).toMatchObject({
      status: 'moved',
      start_line: citation.start_line + 2,
      end_line: citation.end_line + 2,
      commit: null,
    });
    putFiles(root, { 'src/berth.ts': 'nothing of it\n' });
    expect(made.check([citation])[0]).toMatchObject({ status: 'dropped', commit: null });
  });

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    '.env',
    '.mesh/credentials/team-tokens.json',
    'node_modules/x/index.js',
    'link.ts',
    'no/such.ts',
    '__proto__',
  ])('of %s are dropped', (path) => {
    const root = temporaryRepository({ ...PROJECT, '.env': 'A=1 and more text\n' });
    putFiles(root, {
      '.mesh/credentials/team-tokens.json': 'A=1 and more text\n',
      'node_modules/x/index.js': 'A=1 and more text\n',
    });
    symlinkSync('/etc/passwd', join(root, 'link.ts'));
    const given = {
      path,
      start_line: 1,
      end_line: 1,
      commit: null,
      sha256: '',
      quote: 'A=1 and more text',
      status: 'checked',
    } as const;
    expect(index(root).check([given])[0]?.status).toBe('dropped');
  });

  it('from any source are accepted when the quote matches, with their digest corrected', () => {
    const made = index(temporaryRepository(PROJECT));
    const given = {
      path: 'src/berth.ts',
      start_line: 1,
      end_line: 1,
      commit: 'f00',
      sha256: 'wrong',
      quote: '  export const BERTH_TIMEOUT_MS = 45_000;',
      status: 'checked',
    } as const;
    const quote = 'export const BERTH_TIMEOUT_MS = 45_000;';
    expect(made.check([given])[0]).toMatchObject({ status: 'checked', quote, sha256: sha256Hex(quote) });
    expect(made.check([{ ...given, start_line: -7, end_line: Number.NaN }])[0]).toMatchObject({
      status: 'moved',
      start_line: 1,
      end_line: 1,
    });
    for (const quote of ['', '\n\n', '}'])
      expect(made.check([{ ...given, quote, start_line: 900 }])[0]?.status).toBe('dropped');
  });
});

describe('readLines', () => {
  it('returns the lines from start to end with their digest', () => {
    const made = index(temporaryRepository({ 'a.ts': 'one\r\ntwo\r\nthree\r\n' }));
    expect(made.readLines('a.ts', 2, 9)).toEqual({
      path: 'a.ts',
      start_line: 2,
      end_line: 3,
      total_lines: 3,
      lines: ['two', 'three'],
      sha256: sha256Hex('two\nthree'),
    });
    expect(() => made.readLines('a.ts', 3, 2)).toThrowError(expect.objectContaining({ code: 'bad_request' }));
  });

  it.each([
    [0, 1],
    [1.5, 2],
    [1, 1.5],
    [2, 1],
    [-1, 5],
  ])('throws `bad_request` for lines %d to %d', (start, end) => {
    const made = index(temporaryFolder({ 'a.ts': 'one\ntwo\n' }));
    expect(() => made.readLines('a.ts', start, end)).toThrowError(
      expect.objectContaining({
        ...{ code: 'bad_request', message: '`start` must be 1 or more and `end` not before it.' },
        details: { path: 'end' },
      }),
    );
  });

  it('returns one line, and none behind the last', () => {
    const made = index(temporaryFolder({ 'a.ts': 'one\ntwo\n', 'b.bin': '\u0000' }));
    expect(made.readLines('a.ts', 1, 1)).toMatchObject({ start_line: 1, end_line: 1, total_lines: 2, lines: ['one'] });
    expect(made.readLines('a.ts')).toMatchObject({ start_line: 1, end_line: 2, lines: ['one', 'two'] });
    expect(made.readLines('a.ts', 5, 9)).toMatchObject({ start_line: 5, end_line: 5, total_lines: 2, lines: [] });
    expect(() => made.readLines('b.bin')).toThrowError(
      expect.objectContaining({
        ...{ code: 'not_found', message: 'No text file of this project that may be read has this path.' },
      }),
    );
  });

  it('withholds from others what only resembles a secret', () => {
    const text = `one\n${plantedSecrets(11).find(({ id }) => id === 'meshd/jwt')?.text}\n`;
    const made = index(temporaryFolder({ 'a.txt': text }));
    expect(made.readLines('a.txt').lines.join('\n')).toBe(text.trimEnd());
    expect(made.readLines('a.txt', 1, 9, 'outside').lines.join('\n')).not.toBe(text.trimEnd());
  });

  it('returns at most 2,000 lines per call', () => {
    const made = index(temporaryRepository({ 'a.txt': 'line\n'.repeat(3_000) }));
    expect(made.readLines('a.txt').lines).toHaveLength(2_000);
    expect(made.readLines('a.txt', 2_900, 9_000).lines).toHaveLength(101);
  });

  it.each(['.env', '../x', '/etc/passwd', '.git/config', 'none.ts', 'a.png'])('throws `not_found` for %s', (path) => {
    const root = temporaryRepository({ '.env': 'A=1\n', 'a.png': 'x\n' });
    expect(() => index(root).readLines(path)).toThrowError(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('the state of the index', () => {
  const LAMP = { 'docs/lamp.md': '# Lamp\n\nThe lamp is lit by hand each evening.\n' };
  const open = (files: Record<string, string>, clock = new FakeClock()) => {
    const database = join(temporaryFolder(), 'knowledge.db');
    const environment = { PATH: process.env['PATH'] };
    const root = temporaryFolder(files);
    const made = new ProjectIndex({ root, database, environment, clock });
    onTestFinished(() => made.close());
    return { made, clock, root };
  };

  it('is fresh for ten times as long as its scan worked, a quarter of a second to two', () => {
    const { made, clock } = open(LAMP);
    expect(made.isFresh).toBe(false);
    // Time at a pause is not work.
    for (const _ of made.scan()) clock.advance(10_000);
    expect(made.isFresh).toBe(false);
    scan(made);
    clock.advance(249);
    expect(made.isFresh).toBe(true);
    clock.advance(1);
    expect(made.isFresh).toBe(false);
  });

  it.each([
    [100, 1_000],
    [300, 2_000],
  ])('that took %i ms to be read is fresh for %i ms', (workMs, freshMs) => {
    const { made, clock } = open(LAMP);
    scan(made);
    const together = vi.spyOn(PassageDatabase.prototype, 'files').mockImplementationOnce(() => {
      clock.advance(workMs);
      return new Map();
    });
    onTestFinished(() => together.mockRestore());
    scan(made);
    clock.advance(freshMs - workMs - 1);
    expect(made.isFresh).toBe(true);
    clock.advance(1);
    expect(made.isFresh).toBe(false);
  });

  it('is not fresh during a scan, nor after one that failed', () => {
    const { made } = open(LAMP);
    const scanning = made.scan();
    scanning.next();
    expect(made.isFresh).toBe(false);
    for (const _ of scanning) expect(made.isFresh).toBe(false);
    expect(made.isFresh).toBe(true);
    expect(made.isFollowing).toBe(false);
    expect(made.isWorthFollowing).toBe(false);
  });

  it('tells whether the structure graph is behind, and that it failed', () => {
    const { made, root } = open(LAMP);
    expect(made.structure).toMatchObject({ state: 'idle' });
    scan(made);
    expect([made.isStructurePending, made.needsParser]).toEqual([true, false]);
    const names = () => made.findCode('env', undefined);
    const none = { is_known: false, total: 0, files: 0, by_name: false, places: [], near: [] };
    expect(names()).toEqual({ state: 'building', ...none });
    const parser: Parsing = {
      // biome-ignore lint/correctness/useYield: it is never used
      *parse() {
        throw new Error('nothing to parse');
      },
    };
    for (const _ of made.readStructure(parser)) expect(made.structure.state).not.toBe('failed');
    expect(made.isStructurePending).toBe(false);
    expect(made.status.structure).toEqual(made.structure);
    expect(names()).toMatchObject({ state: 'ready' });
    putFiles(root, { 'a.py': 'x = 1\n' });
    scan(made);
    expect([made.isStructurePending, made.needsParser]).toEqual([true, true]);
    const update = vi.spyOn(Structuring.prototype, 'update').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    onTestFinished(() => update.mockRestore());
    expect(() => [...made.readStructure(parser)]).toThrow('disk full');
    expect(names()).toEqual({ state: 'failed', ...none });
    expect(made.findNames('lamp', 5)).toEqual({ files: ['docs/lamp.md'], symbols: [] });
  });

  it('holds citations of files that were read', () => {
    const { made } = open(LAMP);
    const at = (path: string): Citation => ({
      ...{
        path,
        start_line: 3,
        end_line: 3,
        commit: null,
        sha256: 'x',
        quote: 'The lamp is lit by hand each evening.',
      },
      status: 'checked',
    });
    expect(made.holds([at('docs/lamp.md')])).toBe(false);
    scan(made);
    expect(made.holds([at('docs/lamp.md')])).toBe(true);
    expect(made.holds([at('docs/lamp.md'), at('gone.md')], 'outside')).toBe(false);
    const many = made.check(Array.from({ length: 201 }, () => ({ ...at('docs/lamp.md'), commit: 'c' })));
    expect(many.map(({ status, commit }) => [status, commit]).slice(198)).toEqual([
      ['checked', null],
      ['checked', null],
      ['dropped', null],
    ]);
  });

  it('finds names by at most eight words, of files and of what they define', async () => {
    const { made } = open({ 'src/lampOil.py': 'class Wick:\n    def burnLamp(self):\n        pass\n', 'b.md': 'x\n' });
    scan(made);
    expect(made.findNames('  ', 5)).toEqual({ files: [], symbols: [] });
    expect(made.findNames('LAMP', 5)).toEqual({ files: ['src/lampOil.py'], symbols: [] });
    const parser = await SyntaxParser.open(systemClock);
    onTestFinished(() => parser.close());
    for (const _ of made.readStructure(parser)) expect(made.structure.state).not.toBe('failed');
    const method = {
      name: 'burnLamp',
      kind: 'method',
      container: 'Wick',
      path: 'src/lampOil.py',
      start_line: 2,
      end_line: 3,
    };
    expect(made.findNames('lamp', 5)).toEqual({ files: ['src/lampOil.py'], symbols: [method] });
    expect(made.findNames(' Burn  lamp ', 5).symbols).toEqual([method]);
    expect(made.findNames('', 5)).toEqual({ files: [], symbols: [] });
    const eight = 'l a m p o i y .';
    expect(made.findNames(`${eight} zebra`, 5).files).toEqual(['src/lampOil.py']);
    expect(made.findNames(`${eight.slice(0, -2)} zebra`, 5).files).toEqual([]);
    expect(made.needsStructure('Who calls burnLamp?')).toBe(false);
  });

  it('needs the structure graph for what only that answers', () => {
    const { made } = open({ 'a.py': 'def burn_lamp():\n    pass\n' });
    scan(made);
    expect(made.needsStructure('Who calls burn_lamp?')).toBe(true);
    expect(made.needsStructure('Who calls burn_lamp?', 'outside')).toBe(true);
    expect(made.needsStructure('What does the lamp do?')).toBe(false);
  });

  it('quotes a file as it is after the next scan', () => {
    const { made, clock, root } = open(LAMP);
    scan(made);
    const text = () => made.answer({ text: 'How is the lamp lit each evening?' }).text;
    expect(text()).toContain('lit by hand');
    putFiles(root, { 'docs/lamp.md': '# Lamp\n\nThe lamp is lit by itself each evening.\n' });
    clock.advance(1_000);
    scan(made);
    expect(text()).toContain('lit by itself');
  });

  it('removes its file when it is discarded', () => {
    const database = join(temporaryFolder(), 'knowledge.db');
    const made = new ProjectIndex({
      ...{ root: temporaryFolder(LAMP), database, environment: { PATH: process.env['PATH'] }, clock: new FakeClock() },
    });
    expect(existsSync(database)).toBe(true);
    made.discard();
    expect(existsSync(database)).toBe(false);
  });
});

describe('a hostile tree', () => {
  it('does not disclose secrets in answers, lines or citations', () => {
    const guard = 'the launch codes are kept beside the harbour master key';
    const root = temporaryRepository({
      ...PROJECT,
      '.env': `${guard}\n`,
      'src/config.ts': `// ${guard}\nexport const token = '${TOKEN}';\n`,
      'certs/server.pem': `${guard}\n`,
    });
    const made = index(root);
    const answer = made.answer({ text: 'Where are the launch codes kept beside the master key?' });
    expect(answer).toMatchObject({ confidence: 'none', citations: [] });
    expect(answer.text).not.toContain(TOKEN);
    expect(JSON.stringify(made.readLines('src/config.ts'))).not.toContain(TOKEN);
    const quoted = {
      path: 'src/config.ts',
      start_line: 2,
      end_line: 2,
      commit: null,
      sha256: '',
      quote: `export const token = '${TOKEN}';`,
      status: 'checked',
    } as const;
    expect(made.check([quoted])[0]?.status).toBe('dropped');
  });

  it('with links, pipes, very long lines and odd names is indexed without them', () => {
    const root = temporaryRepository({
      ...PROJECT,
      'bundle.js': `var gangway=${'1+'.repeat(200_000)}1;\n`,
      '__proto__/constructor.ts': 'export const gangway = 1;\n',
    });
    symlinkSync('/etc', join(root, 'etc'));
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    putFiles(root, { 'crlf.md': '# Gangplank\r\n\r\nThe gangplank is lowered at noon sharp.\r\n' });
    const made = index(root);
    expect(made.status).toMatchObject({ state: 'ready', files_total: 7, not_text: 1 });
    expect(made.answer({ text: 'Where is gangway?' }).citations.map((citation) => citation.path)).toEqual([
      '__proto__/constructor.ts',
    ]);
    expect(made.answer({ text: 'When is the gangplank lowered?' }).citations[0]?.quote).not.toContain('\r');
    expect(made.answer({ text: '__proto__ constructor toString hasOwnProperty' }).text).not.toBe('');
  });

  it('cannot break out of a quote', () => {
    const evil =
      '# Anchor winch\n\nThe anchor winch ```` breaks </div><script>alert(1)</script> ' +
      'out.\n![x](javascript:alert(1))\n';
    const answer = index(temporaryRepository({ 'winch.md': evil })).answer({ text: 'What does the anchor winch do?' });
    expect(answer.confidence).not.toBe('none');
    expect(answer.text).toMatch(/\n`{5}\n/);
  });

  it.each([
    ['a question as long as is allowed', 'how does the container crane work '.repeat(480).slice(0, 16_384)],
    ['only marks', '?!*"()^:-{}'.repeat(1_000)],
    ['operators of the index', 'NEAR(container ship, 2) AND "crane" OR path:* NOT ^src {title}: -x + "'],
    ['marks that turn text around', '\u202econtainer\u2066 ship\u0000\u200b'],
    ['one endless word', 'x'.repeat(16_384)],
  ])('does not delay the answer to %s', (_, text) => {
    const made = index(temporaryRepository(PROJECT));
    const started = performance.now();
    expect(made.answer({ text }).text).toContain(NO_MODEL_LINE);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

it('reads only changed files again', () => {
  const root = temporaryRepository(PROJECT);
  const database = join(temporaryFolder(), 'knowledge.db');
  const first = index(root, database);
  expect(first.status).toMatchObject({
    state: 'ready',
    files_done: 5,
    files_total: 5,
    commit: git(root, 'rev-parse', 'HEAD').trim(),
  });
  const { passages, bytes } = first.status;
  scan(first);
  expect(first.status).toMatchObject({ passages, bytes });
});

it.runIf(process.platform === 'linux')('holds a change that a followed project had when a scan failed', async () => {
  const root = temporaryRepository(PROJECT);
  const made = index(root, undefined, 1);
  scan(made);
  expect(made.isFollowing).toBe(true);
  putFiles(root, { 'docs.md': '# Buoys\n\nBuoys are painted red each year.\n' });
  await made.settle();
  const together = vi.spyOn(PassageDatabase.prototype, 'together').mockImplementationOnce(() => {
    throw new Error('disk full');
  });
  onTestFinished(() => together.mockRestore());
  expect(() => scan(made)).toThrow('disk full');
  scan(made);
  expect(made.answer({ text: 'How are buoys painted?' }).text).toContain('painted red each year');
});

it('holds a tracked file in a folder of others while Git cannot be queried, and reads it no second time', () => {
  const root = temporaryRepository({ ...PROJECT, 'vendor/a.ts': 'export const a = 1;\n', 'dist/b.js': 'b();\n' });
  const made = index(root);
  const head = join(root, '.git/HEAD');
  renameSync(head, `${head}.away`);
  unlinkSync(join(root, 'dist/b.js'));
  const put = vi.spyOn(PassageDatabase.prototype, 'put');
  onTestFinished(() => put.mockRestore());
  scan(made);
  expect([made.findPaths('vendor', 5), made.findPaths('dist', 5)]).toEqual([['vendor/a.ts'], []]);
  expect(made.answer({ text: 'When was src/berth.ts last changed?' }).text).toContain('“first”');
  renameSync(`${head}.away`, head);
  scan(made);
  expect(made.findPaths('vendor', 5, 'outside')).toEqual(['vendor/a.ts']);
  expect([put.mock.calls, made.status.files_total]).toEqual([[], 6]);
});

it('keeps the commits that it has when Git fails to list them, and lists them later', () => {
  const root = temporaryRepository(PROJECT);
  const PATH = pathWithGit(`case " $* " in *" log "*) test -e ${root}/.git/slow && exit 1;; esac\nreal "$@"`);
  const clock = new FakeClock();
  const database = join(temporaryFolder(), 'knowledge.db');
  const made = new ProjectIndex({ root, database, environment: { PATH }, clock });
  onTestFinished(() => made.close());
  scan(made);
  const changed = () => made.answer({ text: 'When was src/berth.ts last changed?' }).text;
  expect(changed()).toMatch(/^`src\/berth.ts` was last changed .*“first”/);
  putFiles(root, { '.git/slow': '', 'src/berth.ts': `${PROJECT['src/berth.ts']}// tides\n` });
  git(root, 'commit', '-qam', 'tides');
  scan(made);
  expect(changed()).toMatch(/^`src\/berth.ts` was changed .*“first”\n\nGit failed to list the newest commits: it may/);
  unlinkSync(join(root, '.git/slow'));
  scan(made);
  expect(changed()).not.toContain('“tides”');
  clock.advance(600_000);
  scan(made);
  expect(changed()).toMatch(/^`src\/berth.ts` was last changed\n\n- .*“tides”/);
});

describe('what is told of the Git log', () => {
  const FILES = Object.fromEntries(
    Array.from({ length: 201 }, (_, at) => [`src/part${at}.ts`, `export const part${at} = ${at};\n`]),
  );
  const all = { ...FILES, 'z.ts': 'export const zebra = 1;\n' };
  const last = (root: string) => index(root).answer({ text: 'When was z.ts last changed?' }).text;

  it('is true of the last of many files that one commit changed', () => {
    const root = temporaryRepository(all);
    putFiles(root, Object.fromEntries(Object.entries(all).map(([path, text]) => [path, `${text}// licence\n`])));
    git(root, 'commit', '-qam', 'chore: licences');
    expect(last(root)).toMatch(/^`z.ts` was last changed\n\n- .*“chore: licences”\n- .*“first”\n\n\[1\] /);
  });

  it('says no last change where a commit of unknown files is newer', () => {
    const root = temporaryRepository(all);
    putFiles(root, { 'z.ts': 'export const zebra = 2;\n' });
    git(root, 'commit', '-qam', 'fix: stripes');
    const commits = vi.spyOn(GitLog.prototype, 'commits').mockImplementation(() => [
      { hash: 'b'.repeat(40), at: Date.UTC(2026, 1), author: 'Ada', subject: 'all', paths: [], isCut: true },
      { hash: 'a'.repeat(40), at: Date.UTC(2026, 0), author: 'Ada', subject: 'stripes', paths: ['z.ts'] },
    ]);
    onTestFinished(() => commits.mockRestore());
    expect(last(root)).toContain(
      '`z.ts` was changed 2026-01-01, commit `aaaaaaaaaaaa` by Ada: “stripes”\n\nWhat commit `bbbbbbbbbbbb` of ' +
        '2026-02-01 touched is not known in full: it may have changed since.',
    );
  });

  it('is nothing about a file that may not have changed in a shallow clone', () => {
    const origin = temporaryRepository(PROJECT);
    putFiles(origin, { 'z.ts': 'export const zebra = 1;\n' });
    git(origin, 'add', '-A');
    git(origin, 'commit', '-qm', 'feat: a zebra');
    const root = join(temporaryFolder(), 'clone');
    git(origin, 'clone', '-q', '--depth', '1', `file://${origin}`, root);
    const made = index(root);
    const berth = () => made.answer({ text: 'When was src/berth.ts last changed?' }).text;
    expect(berth()).not.toMatch(/zebra|last changed/);
    git(root, 'fetch', '-q', '--unshallow');
    scan(made);
    expect(berth()).toMatch(/^`src\/berth.ts` was last changed .*“first”/);
  });
});

describe('requests of other programs', () => {
  const NOTES = { 'notes.md': '# Plans\n\nThe lighthouse keeper paints the zeppelin gold in autumn.\n' };
  const PLAN = 'What does the lighthouse keeper paint in autumn?';
  const ask = (made: ProjectIndex, profile: 'operator' | 'outside', text = PLAN) => made.answer({ text, profile });
  const quoted = (path: string, line: number, quote: string): Citation => ({
    path,
    start_line: line,
    end_line: line,
    commit: null,
    sha256: '',
    quote,
    status: 'checked',
  });

  it('see only files that Git tracks, while the operator sees all files', () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, NOTES);
    const made = index(root);
    expect(ask(made, 'operator')).toMatchObject({
      confidence: expect.stringMatching(/found|likely/),
      citations: [{ path: 'notes.md' }],
    });
    const outside = ask(made, 'outside');
    expect(outside).toMatchObject({ confidence: 'none', citations: [] });
    expect(outside.text).not.toMatch(/notes|gold|6 files/i);
    expect(ask(made, 'outside', 'What is this project?').citations[0]?.path).toBe('package.json');
    const citation = quoted('notes.md', 3, 'The lighthouse keeper paints the zeppelin gold in autumn.');
    expect(made.check([citation], 'outside')).toMatchObject([{ status: 'dropped' }]);
    expect(made.check([citation])).toMatchObject([{ status: 'checked' }]);
    expect(() => made.readLines('notes.md', 1, 3, 'outside')).toThrowError(
      expect.objectContaining({ code: 'not_found' }),
    );
    expect(made.readLines('notes.md')).toMatchObject({ untracked: true });
    expect(made.readLines('README.md')).not.toHaveProperty('untracked');
    expect(made.findPaths('notes', 5, 'outside')).toEqual([]);
    expect(made.findPaths('notes', 5)).toEqual(['notes.md']);
  });

  it('cannot distinguish words of untracked files from unknown words', () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, NOTES);
    const made = index(root);
    const nowhere = ask(made, 'outside', 'Where is the zeppelin?').text;
    expect(nowhere.replaceAll('zeppelin', 'X')).toBe(
      ask(made, 'outside', 'Where is the blimp?').text.replaceAll('blimp', 'X'),
    );
  });

  it('reflect git add and git rm after the next scan', () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, NOTES);
    const database = join(temporaryFolder(), 'knowledge.db');
    const made = index(root, database);
    git(root, 'add', 'notes.md');
    scan(made);
    expect(ask(made, 'outside')).toMatchObject({
      confidence: expect.stringMatching(/found|likely/),
      citations: [{ path: 'notes.md' }],
    });
    expect(made.readLines('notes.md')).not.toHaveProperty('untracked');
    git(root, 'rm', '-q', '--cached', 'notes.md', 'README.md');
    scan(made);
    expect(ask(made, 'outside').citations).toEqual([]);
    expect(made.readLines('README.md', 1, 1)).toMatchObject({ untracked: true });
    expect(ask(made, 'outside', 'What is the timeout for a berth?').citations[0]?.path).toBe('src/berth.ts');
    expect(ask(made, 'operator').citations[0]?.path).toBe('notes.md');
  });

  it('return nothing while Git cannot be queried, while the operator still gets answers', () => {
    const root = temporaryRepository(PROJECT);
    const made = index(root);
    const timeout = 'What is the timeout for a berth?';
    expect(ask(made, 'outside', timeout).confidence).not.toBe('none');
    const head = join(root, '.git/HEAD');
    renameSync(head, `${head}.away`);
    scan(made);
    const outside = ask(made, 'outside', timeout);
    expect(outside).toMatchObject({ confidence: 'none', citations: [] });
    expect(outside.text).toContain('Git cannot tell which files this project tracks');
    expect(made.check([quoted('src/berth.ts', 1, 'export const BERTH_TIMEOUT_MS = 45_000;')], 'outside')).toMatchObject(
      [{ status: 'dropped' }],
    );
    expect(() => made.readLines('README.md', 1, 2, 'outside')).toThrow();
    expect(made.findPaths('berth', 5, 'outside')).toEqual([]);
    expect(ask(made, 'operator', timeout).confidence).not.toBe('none');
    renameSync(`${head}.away`, head);
    scan(made);
    expect(ask(made, 'outside', timeout).confidence).not.toBe('none');
  });

  it('see every file of a project without Git', () => {
    const made = index(temporaryFolder({ ...PROJECT, ...NOTES }));
    expect(ask(made, 'outside')).toMatchObject({
      confidence: expect.stringMatching(/found|likely/),
      citations: [{ path: 'notes.md' }],
    });
    expect(made.readLines('notes.md')).not.toHaveProperty('untracked');
  });
});
