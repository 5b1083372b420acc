import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { Parser } from 'web-tree-sitter';
import { systemClock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import { FollowedFiles } from '../../../storage/followed-files.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { ProjectFiles } from '../../../storage/project-files.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { mayBeIndexed } from '../passages/file-worth.js';
import { Indexing } from '../passages/indexing.js';
import { emptyStructure } from './file-structure.js';
import { StructureQueries } from './structure-queries.js';
import { Structuring } from './structuring.js';
import { type Parsing, SyntaxParser } from './syntax-parser.js';

const environment = { PATH: process.env['PATH'] };

const original = Parser.prototype.parse;
let real: SyntaxParser;
beforeAll(async () => {
  real = await SyntaxParser.open(systemClock);
});

/** A project with its graph in `file`, and a parser that notes what it parses. */
function project(root: string, file: string) {
  const database = PassageDatabase.open(file);
  onTestFinished(() => database.close());
  const files = new ProjectFiles(root, environment, mayBeIndexed);
  const followed = new FollowedFiles(files, root, environment);
  const indexing = new Indexing(files, followed, new GitLog(root, environment), database, systemClock);
  const structuring = new Structuring(files, database, systemClock);
  const parsed: string[] = [];
  const parser: Parsing = {
    parse: (grammar, text) => {
      parsed.push(text.split('\n')[0] ?? '');
      return real.parse(grammar, text);
    },
  };
  const update = () => {
    for (const _ of indexing.scan());
    for (const _ of structuring.update(parser));
    return parsed.splice(0);
  };
  const queries = (scope: 'all' | 'tracked' = 'all') => new StructureQueries(database.structureReader(scope));
  return { database, indexing, structuring, parser, parsed, update, queries };
}

const FILES = {
  'a.ts': 'export function a() {}\n',
  'b.ts': "import { a } from './a.js';\na();\n",
  'c.ts': "import { a } from './a.js';\na();\n",
};

it('parses a file again only when its content has changed', () => {
  const root = temporaryRepository(FILES);
  const { update, queries } = project(root, join(temporaryFolder(), 'knowledge.db'));
  expect(update()).toHaveLength(3);
  expect(update()).toEqual([]);
  putFiles(root, { 'b.ts': FILES['b.ts'] });
  expect(update()).toEqual([]);
  putFiles(root, { 'b.ts': 'export const b = 1;\n' });
  expect(update()).toEqual(['export const b = 1;']);
  expect(
    queries()
      .callers('a')
      .places.map(({ path }) => path),
  ).toEqual(['c.ts']);
  expect(queries().importers('a.ts').total).toBe(1);
});

it('forgets a file that is gone, and resolves the imports of others again when one comes', () => {
  const root = temporaryRepository(FILES);
  const { update, queries } = project(root, join(temporaryFolder(), 'knowledge.db'));
  update();
  rmSync(join(root, 'a.ts'));
  update();
  expect([queries().definitions('a').total, queries().importers('a.ts').total]).toEqual([0, 0]);
  putFiles(root, { 'a.ts': FILES['a.ts'] });
  expect(update()).toEqual(['export function a() {}']);
  expect(queries().importers('a.ts').total).toBe(2);
});

it('shows other programs tracked files alone, from the moment that the text index knows', () => {
  const root = temporaryRepository(FILES);
  putFiles(root, { 'secret-plan.ts': "import { a } from './a.js';\nexport function plan() { a(); }\n" });
  const { update, indexing, queries } = project(root, join(temporaryFolder(), 'knowledge.db'));
  update();
  const seen = (scope: 'all' | 'tracked') => [
    queries(scope).definitions('plan').total,
    queries(scope).callers('a').total,
    queries(scope).importers('a.ts').total,
  ];
  expect([seen('all'), seen('tracked')]).toEqual([
    [1, 3, 3],
    [0, 2, 2],
  ]);
  git(root, 'rm', '-q', '--cached', 'c.ts');
  for (const _ of indexing.scan());
  expect([seen('all'), seen('tracked')]).toEqual([
    [1, 3, 3],
    [0, 1, 1],
  ]);
});

it('holds complete files whenever it is cut off, and goes on with the others', () => {
  const root = temporaryRepository(FILES);
  const file = join(temporaryFolder(), 'knowledge.db');
  const { indexing, structuring, parser } = project(root, file);
  for (const _ of indexing.scan());
  let pauses = 0;
  for (const _ of structuring.update(parser)) {
    // What a process that is killed here leaves on the disk.
    const left = join(temporaryFolder(), 'knowledge.db');
    for (const ending of ['', '-wal']) if (existsSync(file + ending)) copyFileSync(file + ending, left + ending);
    const again = project(root, left);
    const stored = again.database.structure.files();
    expect(stored.every(({ sha256 }) => sha256.length === 64)).toBe(true);
    expect(again.update()).toHaveLength(3 - stored.length);
    expect(
      again
        .queries()
        .callers('a')
        .places.map(({ path, startLine }) => `${path}:${startLine}`),
    ).toEqual(['b.ts:2', 'c.ts:2']);
    expect(again.queries().importers('a.ts').total).toBe(2);
    pauses += 1;
  }
  expect(pauses).toBeGreaterThan(4);
});

it('keeps nothing of a file whose transaction fails', () => {
  const root = temporaryRepository(FILES);
  const { database, update, queries } = project(root, join(temporaryFolder(), 'knowledge.db'));
  update();
  const file = database.structure.files().find(({ path }) => path === 'a.ts');
  const broken = { ...emptyStructure('a.ts'), isModule: true };
  const symbol = {
    name: 'half',
    kind: 'function',
    container: '',
    signature: '',
    doc: '',
    startLine: 1,
    endLine: 1,
    isExported: true,
    isDeclaration: false,
  };
  const constants = [{ name: 'x', container: '', value: null as unknown as string, line: 1 }];
  expect(() => database.structure.put('a.ts', 'other', { ...broken, symbols: [symbol], constants })).toThrow(
    /NOT NULL/,
  );
  expect([queries().definitions('half').total, queries().definitions('a').total]).toEqual([0, 1]);
  expect(database.structure.files().find(({ path }) => path === 'a.ts')).toEqual(file);
});

it('parses a file after another one of which the grammar trapped', () => {
  const { structuring, indexing, queries } = project(temporaryRepository(FILES), join(temporaryFolder(), 'k.db'));
  for (const _ of indexing.scan());
  const used = new Set<unknown>();
  const parse = vi.spyOn(Parser.prototype, 'parse').mockImplementation(function (this: Parser, ...given) {
    // One trap, of whatever file is first, spoils the parser in which it took place.
    if (used.size === 0) used.add(this);
    if (used.has(this)) throw new WebAssembly.RuntimeError('unreachable');
    return original.apply(this, given);
  });
  onTestFinished(() => parse.mockRestore());
  for (const _ of structuring.update(real));
  expect([structuring.status.left_out, queries().definitions('a').total]).toEqual([[], 1]);
});

it('stores nothing of a file while its grammar parses nothing at all', () => {
  const { structuring, indexing, update, database } = project(
    temporaryRepository(FILES),
    join(temporaryFolder(), 'k.db'),
  );
  for (const _ of indexing.scan());
  const broken: Parsing = {
    parse: () => {
      throw new WebAssembly.RuntimeError('unreachable');
    },
  };
  for (const _ of structuring.update(broken));
  const left = [{ reason: 'its grammar fails', files: 3 }];
  expect(structuring.status).toMatchObject({ state: 'ready', left_out: left });
  expect(database.structure.stale().changed).toHaveLength(3);
  expect(update()).toHaveLength(3);
});

it('counts its files by language, and those that it left out by reason', () => {
  const root = temporaryRepository({ ...FILES, 'main.py': 'def run():\n    pass\n', 'lib.c': 'int broken;\n' });
  const { structuring, indexing, parser } = project(root, join(temporaryFolder(), 'knowledge.db'));
  expect(structuring.status).toEqual({ state: 'idle', files_done: 0, files_total: 0, left_out: [], languages: [] });
  for (const _ of indexing.scan());
  const failing: Parsing = {
    parse: (grammar, text) => {
      if (text.includes('broken')) throw new Error('The grammar failed.');
      return parser.parse(grammar, text);
    },
  };
  const pass = structuring.update(failing);
  pass.next();
  expect(structuring.status).toMatchObject({ state: 'reading', files_done: 0, files_total: 5 });
  for (const _ of pass);
  expect(structuring.status).toEqual({
    state: 'ready',
    files_done: 5,
    files_total: 5,
    left_out: [{ reason: 'cannot be parsed', files: 1 }],
    languages: [
      { language: 'TypeScript and JavaScript', files: 3 },
      { language: 'Python', files: 1 },
    ],
  });
});
