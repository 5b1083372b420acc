import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Parser } from 'web-tree-sitter';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { systemClock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import { FollowedFiles } from '../../../storage/followed-files.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { ProjectFiles } from '../../../storage/project-files.js';
import { openGraph } from '../../../testing/parts/structure-graph.js';
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

describe('a pass', () => {
  /** A graph of files that are held in memory, with what was parsed and read. */
  function openFiles(files: Record<string, string | Buffer>) {
    const { database, index, all, graph } = openGraph();
    const state = { stamp: undefined as string | undefined, elapsed: 0, step: 0 };
    const parsed: string[] = [];
    const reads: string[] = [];
    const put = (path: string, text: string | Buffer) => {
      files[path] = text;
      index(path, { sha256: sha256Hex(text) });
    };
    for (const [path, text] of Object.entries(files)) if (path !== 'index.scip') put(path, text);
    const readable = {
      read: (path: string, most = 1024 * 1024) => {
        reads.push(path);
        const text = files[path];
        if (text === undefined || text.length > most) return undefined;
        return { bytes: Buffer.from(text), size: text.length, mtimeMs: 1 };
      },
      stampOf: (path: string) => (path === 'index.scip' ? state.stamp : undefined),
    };
    const clock = { ...systemClock, elapsed: () => (state.elapsed += state.step) };
    const structuring = new Structuring(readable, database, clock);
    const parser: Parsing = {
      parse: (grammar, text) => {
        parsed.push(text);
        return real.parse(grammar, text);
      },
    };
    const update = () => {
      let pauses = 0;
      for (const _ of structuring.update(parser)) pauses += 1;
      return pauses;
    };
    return { database, index, all, graph, files, put, state, parsed, reads, structuring, parser, update };
  }

  it('is due until it began, and whenever the text index changed', () => {
    const { structuring, update } = openFiles({});
    expect(structuring.isPending).toBe(true);
    update();
    expect(structuring.isPending).toBe(false);
    structuring.markStale();
    expect(structuring.isPending).toBe(true);
  });

  it('needs a parser for files of a language alone', () => {
    expect(openFiles({ 'package.json': '{}', 'a.md': 'x' }).structuring.needsParser).toBe(false);
    const { structuring, update } = openFiles({ 'package.json': '{}', 'a.ts': 'x' });
    expect(structuring.needsParser).toBe(true);
    update();
    expect(structuring.needsParser).toBe(false);
  });

  it('may have failed, and then reads again', () => {
    const { structuring, parser } = openFiles({ 'a.ts': 'x;' });
    structuring.fail();
    expect(structuring.status.state).toBe('failed');
    structuring.update(parser).next();
    expect(structuring.status.state).toBe('reading');
  });

  it('stays ready while a later one reads, and counts what it knows as done', () => {
    const { structuring, parser, update, put } = openFiles({ 'a.ts': 'a;', 'b.ts': 'b;', 'c.md': 'c' });
    update();
    expect(structuring.status).toMatchObject({ state: 'ready', files_done: 2, files_total: 2 });
    put('a.ts', 'changed;');
    put('d.ts', 'd;');
    structuring.update(parser).next();
    expect(structuring.status).toMatchObject({ state: 'ready', files_done: 1, files_total: 3 });
  });

  it('parses no file whose content is what it was', () => {
    const { index, update, parsed } = openFiles({ 'a.ts': 'a;' });
    update();
    index('a.ts', { sha256: 'of another moment' });
    update();
    expect(parsed).toEqual(['a;']);
  });

  it('holds nothing of a file that cannot be read any more', () => {
    const { files, update, graph, index, all } = openFiles({ 'a.ts': 'function a() {}' });
    update();
    expect(all.symbols('a')).toHaveLength(1);
    delete files['a.ts'];
    index('a.ts', { sha256: 'other' });
    update();
    expect([all.symbols('a'), graph.files()[0]?.sha256, graph.files()[0]?.leftOut]).toEqual([[], '', null]);
  });

  it('forgets the names that a failed transaction took back', () => {
    const { structuring, parser, graph, all } = openFiles({ 'a.ts': 'go();' });
    const put = vi.spyOn(graph, 'put').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    const forget = vi.spyOn(graph, 'forgetNames');
    expect(() => {
      for (const _ of structuring.update(parser));
    }).toThrow('disk full');
    expect(forget).toHaveBeenCalledTimes(1);
    put.mockRestore();
    for (const _ of structuring.update(parser));
    expect(all.references('go', 9)).toHaveLength(1);
  });

  it('links the files that changed, and all when a path or a manifest did', () => {
    const { update, put, graph, all } = openFiles({
      'a.ts': "import './b.js';\n",
      'b.ts': 'b;\n',
      'c.ts': "import 'x';\n",
    });
    update();
    const unlink = vi.spyOn(graph, 'unlink');
    const link = vi.spyOn(graph, 'link');
    put('a.ts', "import './b.js';\na;\n");
    update();
    expect([unlink.mock.calls.length, link.mock.calls.length]).toEqual([0, 1]);
    put('package.json', '{"name": "x"}');
    put('x.ts', '');
    update();
    expect([unlink.mock.calls.length, link.mock.calls.length]).toEqual([1, 6]);
    put('package.json', '{"name": "x", "main": "b.ts"}');
    update();
    expect(unlink).toHaveBeenCalledTimes(2);
    expect(all.importsTo(all.file('b.ts')?.id as number).map(({ path }) => path)).toEqual(['a.ts', 'c.ts']);
  });

  it('links nothing when nothing changed', () => {
    const { update, graph } = openFiles({ 'a.ts': 'a;\n' });
    update();
    const ranks = vi.spyOn(graph, 'setRanks');
    update();
    expect(ranks).not.toHaveBeenCalled();
  });

  it('knows the files of each package, and none of no package', () => {
    const { update, all } = openFiles({
      'a.cs': 'namespace Town;\nclass A {}\n',
      'b.cs': 'namespace Town;\nclass B {}\n',
      'c.cs': 'class C {}\n',
      'use.cs': 'using Town;\nclass Use {}\n',
    });
    update();
    const targets = all.targetsOf(all.file('use.cs')?.id as number).map(({ target }) => all.fileById(target)?.path);
    expect(targets.sort()).toEqual(['a.cs', 'b.cs']);
  });

  it('ranks the files by what imports them', () => {
    const { update, all } = openFiles({ 'a.ts': "import './b.js';\n", 'b.ts': 'b;\n', 'c.ts': 'c;\n' });
    update();
    expect(all.allFiles().map(({ path, rank }) => [path, rank > 0])).toEqual([
      ['b.ts', true],
      ['a.ts', true],
      ['c.ts', false],
    ]);
  });

  it('pauses after each slice of links, which holds one file at least', () => {
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.ts`, 'x;\n']));
    const pausesWith = (step: number) => {
      const { update, state } = openFiles({ ...files });
      state.step = step;
      return update();
    };
    const fast = pausesWith(0);
    // A look at the clock before a slice, then one before each further file of it.
    expect(pausesWith(25) - fast).toBe(5);
    expect(pausesWith(12) - fast).toBe(1);
  });

  describe('with an index of a compiler', () => {
    const varint = (value: number): number[] =>
      value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))];
    const bytes = (field: number, value: string | readonly number[]) => {
      const all = typeof value === 'string' ? [...Buffer.from(value)] : value;
      return [...varint(field * 8 + 2), ...varint(all.length), ...all];
    };
    const scip = (path: string, line: number, end: number) =>
      Buffer.from(
        bytes(2, [...bytes(1, path), ...bytes(2, [...bytes(1, [line, 0, end]), ...bytes(2, 'npm x 1 go().')])]),
      );
    const FILES = { 'a.ts': 'go();\n', 'index.scip': scip('a.ts', 0, 2) };
    const open = (files: Record<string, string | Buffer> = FILES) => {
      const opened = openFiles({ ...files });
      const targets = () => {
        opened.update();
        return opened.all.preciseTargets(opened.all.file('a.ts')?.id as number, 1, 'go');
      };
      return { ...opened, targets };
    };

    it('reads it when it is there, again when it changed, and forgets it when it is gone', () => {
      const { targets, state, reads, files } = open();
      expect([targets(), reads.includes('index.scip')]).toEqual([[], false]);
      state.stamp = '1';
      expect(targets()).toEqual([undefined]);
      reads.length = 0;
      expect([targets(), reads.includes('index.scip')]).toEqual([[undefined], false]);
      files['index.scip'] = scip('a.ts', 0, 1);
      expect(targets()).toEqual([undefined]);
      state.stamp = '2';
      expect(targets()).toEqual([]);
      files['index.scip'] = scip('a.ts', 0, 2);
      state.stamp = '3';
      expect(targets()).toEqual([undefined]);
      state.stamp = undefined;
      expect(targets()).toEqual([]);
    });

    it('takes nothing from one that is no index, nor from one that cannot be read, and tries neither again', () => {
      for (const index of [Buffer.from([0x13, 0]), undefined]) {
        const { targets, state, reads, files } = open();
        state.stamp = '1';
        if (index) files['index.scip'] = index;
        else delete files['index.scip'];
        expect(targets()).toEqual([]);
        reads.length = 0;
        targets();
        expect(reads).not.toContain('index.scip');
      }
    });

    it('takes nothing from what stands before the damage', () => {
      const { targets, state, files } = open();
      files['index.scip'] = Buffer.concat([scip('a.ts', 0, 2), Buffer.from([0x13])]);
      state.stamp = '1';
      expect(targets()).toEqual([]);
    });

    it('reads no file that the graph does not hold', () => {
      const { targets, state, reads, files } = open({ ...FILES, 'index.scip': scip('b.ts', 0, 2) });
      state.stamp = '1';
      files['b.ts'] = 'go();\n';
      targets();
      expect(reads).not.toContain('b.ts');
    });

    it('fails as the disk does', () => {
      const { update, state, graph } = open();
      state.stamp = '1';
      vi.spyOn(graph, 'putPrecise').mockImplementation(() => {
        throw new Error('disk full');
      });
      expect(update).toThrow('disk full');
    });
  });
});
