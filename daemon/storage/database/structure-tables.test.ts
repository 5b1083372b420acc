import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGraph, structureOf, symbol } from '../../testing/parts/structure-graph.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { PassageDatabase } from './passage-database.js';
import { openSqlite } from './sqlite.js';
import type { FactTable } from './structure-reader.js';
import type { FileStructure } from './structure-schema.js';

const EVERYTHING: Partial<FileStructure> = {
  symbols: [symbol('one')],
  references: [{ name: 'used', kind: 'call', line: 1, symbol: 0, qualifier: 'Of' }],
  imports: [{ specifier: './x', line: 1, isExported: false, names: [['a', 'b']] }],
  environment: [{ name: 'HOME', value: '/', line: 1 }],
  routes: [{ method: 'GET', route: '/r', handler: 'h', line: 1 }],
  scripts: [{ tool: 'npm', name: 'test', command: 'vitest', line: 1 }],
  errors: [{ name: 'E', kind: 'code', message: 'm', line: 1 }],
  constants: [{ name: 'MAX', container: '', value: '1', line: 1 }],
  entries: [{ name: 'main', kind: 'program', line: 1 }],
};
const FACT_TABLES: FactTable[] = ['environment', 'routes', 'scripts', 'errors', 'constants', 'entries'];

/** How many rows of each kind the graph has of a file. */
function countRows({ all }: ReturnType<typeof openGraph>, file: number): Record<string, number> {
  return {
    symbols: all.symbolsOf(file).length,
    references: all.referencesWithin(file, 0, 1_000).length,
    imports: all.importsOf(file).length,
    targets: all.targetsOf(file).length,
    precise: all.preciseTargets(file, 1, 'used').length,
    ...Object.fromEntries(
      FACT_TABLES.map((table) => [table, all.facts(table).filter((one) => one.file === file).length]),
    ),
  };
}

/** A graph in which two files have a row of every kind, of which those that point to a file point to the other one. */
function openFull() {
  const opened = openGraph();
  const [a, b] = [opened.add('a.ts', EVERYTHING), opened.add('b.ts', EVERYTHING)];
  for (const [file, other] of [
    [a, b],
    [b, a],
  ] as const)
    opened.graph.link(file, [{ import: opened.all.importsOf(file)[0]?.id as number, target: other }]);
  opened.graph.putPrecise('a.ts', [{ name: 'used', line: 1, target: { path: 'b.ts', line: 7 } }]);
  opened.graph.putPrecise('b.ts', [{ name: 'used', line: 1, target: { path: 'a.ts', line: 7 } }]);
  return { ...opened, a, b };
}

const counts = (each: number) => ({
  ...{ symbols: each, references: each, imports: each, targets: each, precise: each },
  ...Object.fromEntries(FACT_TABLES.map((table) => [table, each])),
});

describe('a file that is put again', () => {
  it('keeps its id, the imports that mean it, and nothing of what it was', () => {
    const opened = openFull();
    const { graph, index, a, b, idOf } = opened;
    expect([countRows(opened, a), countRows(opened, b)]).toEqual([counts(1), counts(1)]);
    index('a.ts', { sha256: 'new' });
    graph.put('a.ts', 'new', structureOf());
    expect([idOf('a.ts'), countRows(opened, a)]).toEqual([a, counts(0)]);
    // A line of the file that a compiler's index named is another one now.
    expect(countRows(opened, b)).toEqual({ ...counts(1), precise: 0 });
  });

  it('is to be linked again', () => {
    const { graph, a } = openFull();
    expect(graph.unlinked()).toEqual([]);
    graph.put('a.ts', 'new', structureOf());
    expect(graph.unlinked()).toEqual([{ id: a, path: 'a.ts', language: 'typescript' }]);
  });

  it('has the language, role, package and reason of the last time', () => {
    const { graph, all, add } = openGraph();
    add('a.ts', { language: 'go', role: 1, package: 'old', isModule: true, leftOut: 'too large' });
    expect(all.file('a.ts')).toMatchObject({ language: 'go', role: 1, package: 'old', isModule: true });
    expect(graph.countLeftOut()).toEqual([{ reason: 'too large', files: 1 }]);
    graph.put('a.ts', 'new', structureOf({ language: 'rust', role: 2, package: 'new', isModule: false }));
    expect(all.file('a.ts')).toMatchObject({ language: 'rust', role: 2, package: 'new', isModule: false });
    expect([graph.countLeftOut(), graph.files().map(({ sha256 }) => sha256)]).toEqual([[], ['new']]);
  });
});

describe('a file that is removed', () => {
  it('takes all of its rows with it, and the targets of the imports that meant it', () => {
    const opened = openFull();
    const { graph, all, a, b } = opened;
    graph.remove('a.ts');
    expect([all.fileById(a), countRows(opened, a)]).toEqual([undefined, counts(0)]);
    expect(countRows(opened, b)).toEqual({ ...counts(1), targets: 0, precise: 0 });
    expect(graph.edges()).toEqual([]);
  });

  it('may be one that the graph never had', () => {
    const opened = openFull();
    opened.graph.remove('c.ts');
    expect([countRows(opened, opened.a), countRows(opened, opened.b)]).toEqual([counts(1), counts(1)]);
  });
});

describe('the files that the graph does not know as they are', () => {
  it('are the new and the changed ones: tracked first, then by worth, then by path', () => {
    const { graph, index, add } = openGraph();
    add('same.ts');
    index('untracked.ts', { tracked: false, worth: 9 });
    index('b.ts', { worth: 2, size: 12 });
    index('a.ts', { worth: 2 });
    index('worth.ts', { worth: 3 });
    add('changed.ts');
    index('changed.ts', { sha256: 'other', worth: 1 });
    const { changed, gone } = graph.stale();
    expect(changed.map(({ path }) => path)).toEqual(['worth.ts', 'a.ts', 'b.ts', 'changed.ts', 'untracked.ts']);
    expect([changed[2], changed[3]]).toEqual([
      { path: 'b.ts', sha256: 'b.ts', size: 12 },
      { path: 'changed.ts', sha256: 'other', size: 3 },
    ]);
    expect(gone).toEqual([]);
  });

  it('are also those that the text index has no more, until it has them again', () => {
    const { database, graph, add, index } = openGraph();
    add('a.ts', { language: 'go', leftOut: 'too large' });
    add('b.ts', { language: 'go' });
    for (const path of ['a.ts', 'b.ts']) database.remove(path);
    expect(graph.stale()).toEqual({ changed: [], gone: ['a.ts', 'b.ts'] });
    expect([graph.files(), graph.countLeftOut(), graph.countLanguages()]).toEqual([[], [], []]);
    for (const path of ['a.ts', 'b.ts']) index(path);
    expect(graph.stale()).toEqual({ changed: [], gone: [] });
    expect(graph.files()).toHaveLength(2);
  });

  it('are gone from the start when the text index never had them', () => {
    const { graph, all } = openGraph();
    graph.put('a.ts', 'x', structureOf());
    expect([graph.stale().gone, all.allFiles()]).toEqual([['a.ts'], []]);
  });
});

describe('what a compiler says of the uses', () => {
  const uses = [
    { name: 'one', line: 3, target: { path: 'b.ts', line: 8 } },
    { name: 'other', line: 4, target: { path: 'none.ts', line: 9 } },
    { name: 'foreign', line: 5 },
  ];

  it('is kept for definitions in the graph and in other projects, and for no others', () => {
    const { graph, all, add } = openGraph();
    const [a, b] = [add('a.ts'), add('b.ts')];
    expect(all.hasPrecise()).toBe(false);
    graph.putPrecise('a.ts', uses);
    expect(all.preciseTargets(a, 3, 'one')).toEqual([{ file: b, line: 8 }]);
    expect(all.preciseTargets(a, 4, 'other')).toEqual([]);
    expect(all.preciseTargets(a, 5, 'foreign')).toEqual([undefined]);
    expect([all.preciseTargets(b, 3, 'one'), all.preciseTargets(a, 4, 'one'), all.preciseTargets(a, 3, 'two')]).toEqual(
      [[], [], []],
    );
    expect(all.hasPrecise()).toBe(true);
    graph.forgetPrecise();
    expect([all.hasPrecise(), all.preciseTargets(a, 3, 'one')]).toEqual([false, []]);
  });

  it('is not kept for a file that the graph does not have, or has no more', () => {
    const { database, graph, all, add } = openGraph();
    add('b.ts');
    add('gone.ts');
    database.remove('gone.ts');
    graph.putPrecise('never.ts', uses);
    graph.putPrecise('gone.ts', uses);
    expect(all.hasPrecise()).toBe(false);
  });
});

describe('the links of imports', () => {
  it('are stored with the file, and forgotten all at once', () => {
    const { graph, all, a, b } = openFull();
    expect(all.targetsOf(a)).toEqual([{ import: all.importsOf(a)[0]?.id, target: b }]);
    graph.unlink();
    expect([all.targetsOf(a), all.targetsOf(b)]).toEqual([[], []]);
    expect(graph.unlinked()).toEqual([
      { id: a, path: 'a.ts', language: 'typescript' },
      { id: b, path: 'b.ts', language: 'typescript' },
    ]);
    graph.link(a, []);
    expect(graph.unlinked().map(({ path }) => path)).toEqual(['b.ts']);
  });

  it('are made from the imports as the file writes them, in order', () => {
    const { graph, add } = openGraph();
    const file = add('a.ts', {
      imports: [
        { specifier: './z', line: 2, isExported: false, names: [['*', 'z']] },
        { specifier: './y', line: 1, isExported: true, names: [] },
      ],
    });
    expect(graph.importsOf(file)).toEqual([
      { id: expect.any(Number), specifier: './z', names: [['*', 'z']] },
      { id: expect.any(Number), specifier: './y', names: [] },
    ]);
  });

  it('are edges between two different files, each once, from sources alone', () => {
    const { graph, add } = openGraph();
    const [source, other, test] = [add('a.ts'), add('b.ts'), add('a.test.ts', { role: 1 })];
    graph.link(source, [
      { import: 1, target: other },
      { import: 2, target: other },
      { import: 3, target: source },
    ]);
    graph.link(test, [{ import: 4, target: source }]);
    expect(graph.edges()).toEqual([{ file: source, target: other }]);
  });
});

describe('the counts of files', () => {
  it('are by language without those left out, the most frequent first, then by name', () => {
    const { graph, add } = openGraph();
    add('a.rs', { language: 'rust' });
    add('b.ts');
    add('c.ts');
    add('d.go', { language: 'go' });
    add('e.go', { language: 'go', leftOut: 'generated' });
    expect(graph.countLanguages()).toEqual([
      { language: 'typescript', files: 2 },
      { language: 'go', files: 1 },
      { language: 'rust', files: 1 },
    ]);
  });

  it('are by the reason why they were left out, the most frequent first, then by name', () => {
    const { graph, add } = openGraph();
    for (const [path, leftOut] of Object.entries({ a: 'z', b: 'y', c: 'y', d: 'x' })) add(path, { leftOut });
    add('read.ts');
    expect(graph.countLeftOut()).toEqual([
      { reason: 'y', files: 2 },
      { reason: 'x', files: 1 },
      { reason: 'z', files: 1 },
    ]);
  });
});

it('lists the files in the order in which they were added, with why they were left out', () => {
  const { graph, add } = openGraph();
  const [b, a] = [add('b.ts', { package: 'p' }), add('a.ts', { leftOut: 'too large' })];
  expect(graph.files()).toEqual([
    { id: b, path: 'b.ts', sha256: 'b.ts', package: 'p', leftOut: null },
    { id: a, path: 'a.ts', sha256: 'a.ts', package: '', leftOut: 'too large' },
  ]);
});

it('replaces the ranks of all files', () => {
  const { graph, all, add } = openGraph();
  const [a, b] = [add('a.ts'), add('b.ts')];
  graph.setRanks(new Map([[a, 0.5]]));
  graph.setRanks(new Map([[b, 0.25]]));
  expect(all.allFiles().map(({ path, rank }) => [path, rank])).toEqual([
    ['b.ts', 0.25],
    ['a.ts', 0],
  ]);
});

it('stores a name again when the transaction that added it was taken back', () => {
  const { database, graph, all, add } = openGraph();
  add('a.ts');
  const call = { references: [{ name: 'used', kind: 'call' as const, line: 1, symbol: -1, qualifier: '' }] };
  expect(() =>
    database.together(() => {
      graph.put('a.ts', 'a.ts', structureOf(call));
      throw new RangeError('no');
    }),
  ).toThrow(RangeError);
  graph.forgetNames();
  graph.put('a.ts', 'a.ts', structureOf(call));
  expect(all.references('used', 10)).toHaveLength(1);
});

it('stores a name once for all references, and none for a missing qualifier', () => {
  const path = join(temporaryFolder(), 'k.db');
  const database = PassageDatabase.open(path);
  const call = (name: string, qualifier: string) => ({ name, kind: 'call' as const, line: 1, symbol: -1, qualifier });
  database.structure.put('a.ts', 'x', structureOf({ references: [call('used', ''), call('used', 'Of')] }));
  database.close();
  const sqlite = openSqlite(path);
  onTestFinished(() => void sqlite.close());
  expect(sqlite.prepare('SELECT name FROM structure_names ORDER BY id').pluck().all()).toEqual(['used', 'Of']);
});
