import { describe, expect, it } from 'vitest';
import { openGraph, symbol } from '../../testing/parts/structure-graph.js';
import type { FactTable, StructureReader } from './structure-reader.js';
import { REFERENCE_KINDS } from './structure-schema.js';

const pathsOf = (rows: readonly { path: string }[]) => rows.map(({ path }) => path);
const linesOf = (rows: readonly { line: number }[]) => rows.map(({ line }) => line);
const use = (name: string, line: number, parts: object = {}) => ({
  ...{ name, line, kind: 'call' as const, symbol: -1, qualifier: '' },
  ...parts,
});
const importing = (specifier: string, line = 1) => ({ specifier, line, isExported: false, names: [] });

/** Two files with the same rows, of which git tracks only the first. */
function openHalfTracked() {
  const opened = openGraph();
  const parts = {
    package: 'p',
    symbols: [symbol('one')],
    references: [use('used', 1)],
    imports: [importing('./x'), importing('./x/y', 2)],
    environment: [{ name: 'HOME', line: 1 }],
  };
  const [tracked, other] = [opened.add('a.ts', parts), opened.add('b.ts', parts, false)];
  for (const file of [tracked, other])
    opened.graph.link(file, [
      { import: opened.all.importsOf(file)[0]?.id as number, target: tracked },
      { import: opened.all.importsOf(file)[1]?.id as number, target: other },
    ]);
  opened.graph.putPrecise('a.ts', [
    { name: 'used', line: 1, target: { path: 'a.ts', line: 1 } },
    { name: 'used', line: 1, target: { path: 'b.ts', line: 1 } },
    { name: 'used', line: 1 },
  ]);
  return { ...opened, reader: opened.database.structureReader('tracked'), tracked, other };
}

describe('the reader of what git tracks', () => {
  it.each<[string, (reader: StructureReader) => readonly { path: string }[]]>([
    ['symbols of a name', (reader) => reader.symbols('one')],
    ['symbols that contain words', (reader) => reader.symbolsContaining(['on'], 9)],
    ['references', (reader) => reader.references('used', 9)],
    ['facts', (reader) => reader.facts('environment')],
    ['facts of a name', (reader) => reader.facts('environment', 'home')],
    ['files', (reader) => reader.allFiles()],
    ['files of a package', (reader) => reader.filesOfPackage('p')],
    ['imports of a specifier', (reader) => reader.importsWriting('./x').filter(({ specifier }) => specifier === './x')],
    ['imports below a specifier', (reader) => reader.importsWriting('./x').filter(({ line }) => line === 2)],
  ])('does not see the %s of other files', (_of, find) => {
    const { reader, all } = openHalfTracked();
    expect([pathsOf(find(reader)), pathsOf(find(all))]).toEqual([['a.ts'], ['a.ts', 'b.ts']]);
  });

  it('knows other files neither by path nor by id', () => {
    const { reader, all, tracked, other } = openHalfTracked();
    expect([reader.file('a.ts')?.id, reader.file('b.ts'), all.file('b.ts')?.id]).toEqual([tracked, undefined, other]);
    expect([reader.fileById(tracked)?.path, reader.fileById(other), all.fileById(other)?.path]).toEqual([
      'a.ts',
      undefined,
      'b.ts',
    ]);
  });

  it('knows nothing of what is in another file, or of an import or use that means one', () => {
    const { reader, all, tracked, other } = openHalfTracked();
    const counts = (one: StructureReader, file: number) => [
      one.symbolsOf(file).length,
      one.referencesWithin(file, 1, 1).length,
      one.importsOf(file).length,
      one.importsTo(file).length,
      one.targetsOf(file).length,
    ];
    expect([counts(reader, tracked), counts(reader, other)]).toEqual([
      [1, 1, 2, 1, 1],
      [0, 0, 0, 1, 1],
    ]);
    expect([counts(all, tracked), counts(all, other)]).toEqual([
      [1, 1, 2, 2, 2],
      [1, 1, 2, 2, 2],
    ]);
    expect(reader.preciseTargets(tracked, 1, 'used')).toEqual([{ file: tracked, line: 1 }, undefined]);
    expect(all.preciseTargets(tracked, 1, 'used')).toHaveLength(3);
  });

  it('does not see names of other files alone', () => {
    const { add, reader, all } = openHalfTracked();
    add('c.ts', { symbols: [symbol('only')] }, false);
    expect([reader.namesLike('on', 9), all.namesLike('on', 9)]).toEqual([['one'], ['one', 'only']]);
  });
});

describe('a symbol', () => {
  it('is read as it was written', () => {
    const { add, all } = openGraph();
    const parameters = [{ name: 'a', type: 'string', value: "'x'" }];
    const file = add('a.ts', {
      language: 'go',
      role: 1,
      symbols: [
        symbol('run', {
          ...{ kind: 'method', container: 'App', signature: 'run(a)', doc: 'Runs.', startLine: 3, endLine: 9 },
          ...{ isDeclaration: true, parameters },
        }),
      ],
    });
    expect(all.symbols('run')).toEqual([
      {
        ...{ id: expect.any(Number), file, path: 'a.ts', role: 1, language: 'go', name: 'run', kind: 'method' },
        ...{ container: 'App', signature: 'run(a)', doc: 'Runs.', line: 3, endLine: 9, exported: 1 },
        ...{ isDeclaration: true, declared: 1, parameters },
      },
    ]);
  });

  it.each([
    [0, { isExported: false }],
    [1, { isExported: true, isDefault: false }],
    [2, { isExported: true, isDefault: true }],
  ])('has the export %i for %j', (exported, parts) => {
    const { add, all } = openGraph();
    add('a.ts', { symbols: [symbol('one', parts)] });
    expect(all.symbols('one')).toMatchObject([{ exported, isDeclaration: false, parameters: undefined }]);
  });

  it('is found by its name in any case: sources first, then by path and line, up to a limit', () => {
    const { add, all } = openGraph();
    add('a.test.ts', { role: 1, symbols: [symbol('one')] });
    add('b.ts', { symbols: [symbol('ONE', { startLine: 5 }), symbol('one', { startLine: 2 }), symbol('ones')] });
    add('a.ts', { symbols: [symbol('One', { startLine: 7 })] });
    const found = all.symbols('oNe');
    expect([pathsOf(found), linesOf(found)]).toEqual([
      ['a.ts', 'b.ts', 'b.ts', 'a.test.ts'],
      [7, 2, 5, 1],
    ]);
    expect(all.symbols('one', 2)).toHaveLength(2);
  });

  it('is listed with its file in the order of lines', () => {
    const { add, all } = openGraph();
    add('b.ts', { symbols: [symbol('other')] });
    const file = add('a.ts', { symbols: [symbol('b', { startLine: 4 }), symbol('c'), symbol('a')] });
    expect(all.symbolsOf(file).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
  });
});

describe('names of symbols like a part', () => {
  it('contain it or begin as it does, the shortest first, each once', () => {
    const { add, all } = openGraph();
    const names = ['configure', 'confuse', 'reconfigure', 'confess', 'other'];
    add('a.ts', { symbols: names.map((name) => symbol(name)) });
    add('b.ts', { symbols: [symbol('configure')] });
    expect(all.namesLike('configure', 9)).toEqual(['confess', 'confuse', 'configure', 'reconfigure']);
    expect(all.namesLike('configure', 2)).toEqual(['confess', 'confuse']);
  });

  it.each([
    ['a_b', ['a_b1']],
    ['a%b', ['a%b']],
    ['a\\b', ['a\\b']],
  ])('take %s literally', (part, found) => {
    const { add, all } = openGraph();
    const names = ['a_b1', 'axb', 'a%b', 'axxb', 'a\\b'];
    add('a.ts', { symbols: names.map((name) => symbol(name)) });
    expect(all.namesLike(part, 9)).toEqual(found);
    expect(all.symbolsContaining([part], 9).map(({ name }) => name)).toEqual(found);
  });
});

describe('symbols that contain words', () => {
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

  it('contain every one of them, in any case and order', () => {
    const { add, all } = openGraph();
    add('a.ts', { symbols: ['readFile', 'fileReader', 'read', 'file'].map((name) => symbol(name)) });
    expect(names(all.symbolsContaining(['read', 'FILE'], 9))).toEqual(['readFile', 'fileReader']);
  });

  it('begin with exact names, then those that begin with the first word, then the shortest', () => {
    const { add, all } = openGraph();
    add('a.ts', { symbols: ['unread', 'readers', 'reads', 'READ', 'reread'].map((name) => symbol(name)) });
    expect(names(all.symbolsContaining(['read'], 9))).toEqual(['READ', 'reads', 'readers', 'reread', 'unread']);
    expect(names(all.symbolsContaining(['read'], 2))).toEqual(['READ', 'reads']);
  });

  it('are those of sources before those of tests, definitions before declarations, by path and line', () => {
    const { add, all } = openGraph();
    add('a.test.ts', { role: 1, symbols: [symbol('read')] });
    add('a.h', { symbols: [symbol('read', { isDeclaration: true })] });
    add('c.ts', { symbols: [symbol('read', { startLine: 9 }), symbol('read', { startLine: 2 })] });
    add('b.ts', { symbols: [symbol('read')] });
    const found = all.symbolsContaining(['read'], 9);
    expect([pathsOf(found), linesOf(found)]).toEqual([
      ['b.ts', 'c.ts', 'c.ts', 'a.h', 'a.test.ts'],
      [1, 2, 9, 1, 1],
    ]);
  });
});

describe('a reference', () => {
  it.each(REFERENCE_KINDS)('has its kind: %s', (kind) => {
    const { add, all } = openGraph();
    add('a.ts', { references: [use('used', 1, { kind })] });
    expect(all.references('used', 9)).toMatchObject([{ kind }]);
  });

  it('has its qualifier and the symbol around it with those around that', () => {
    const { add, all } = openGraph();
    const file = add('a.ts', {
      language: 'go',
      symbols: [symbol('main'), symbol('run', { container: 'App.Inner' })],
      references: [
        use('used', 1),
        use('used', 2, { symbol: 0, qualifier: '?' }),
        use('used', 3, { symbol: 1, qualifier: 'Of' }),
      ],
    });
    const [main, run] = all.symbolsOf(file).map(({ id }) => id);
    const common = { file, path: 'a.ts', role: 0, language: 'go', name: 'used', kind: 'call' };
    const expected = [
      { ...common, line: 1, qualifier: '', symbol: 0, container: '' },
      { ...common, line: 2, qualifier: '?', symbol: main, container: 'main' },
      { ...common, line: 3, qualifier: 'Of', symbol: run, container: 'App.Inner.run' },
    ];
    expect(all.references('used', 9)).toEqual(expected);
    expect(all.referencesWithin(file, 1, 3)).toEqual(expected);
  });

  it('is found by its exact name: sources first, then by path and line, up to a limit', () => {
    const { add, all } = openGraph();
    add('a.test.ts', { role: 1, references: [use('used', 1)] });
    add('b.ts', { references: [use('used', 5), use('used', 2), use('Used', 1)] });
    add('a.ts', { references: [use('used', 7)] });
    const found = all.references('used', 9);
    expect([pathsOf(found), linesOf(found)]).toEqual([
      ['a.ts', 'b.ts', 'b.ts', 'a.test.ts'],
      [7, 2, 5, 1],
    ]);
    expect(all.references('used', 3)).toHaveLength(3);
  });

  it('is found between two lines of its file, both included, in order', () => {
    const { add, all } = openGraph();
    add('before.ts', { references: [use('other', 3)] });
    const file = add('a.ts', { references: [use('e', 5), use('d', 4), use('a', 1), use('b', 2), use('c', 4)] });
    add('after.ts', { references: [use('other', 3)] });
    expect(all.referencesWithin(file, 2, 4).map(({ name }) => name)).toEqual(['b', 'd', 'c']);
  });

  it('is found in a file that has just one', () => {
    const { add, all } = openGraph();
    add('before.ts', { references: [use('x', 1), use('y', 1)] });
    const file = add('a.ts', { references: [use('a', 1)] });
    expect(all.referencesWithin(file, 1, 1).map(({ name }) => name)).toEqual(['a']);
  });
});

describe('files', () => {
  it('are listed by rank and then by path', () => {
    const { graph, add, all } = openGraph();
    const [c, , , b] = [add('c.ts', { package: 'p' }), add('d.ts', { package: 'p' }), add('a.ts'), add('b.ts')];
    graph.setRanks(
      new Map([
        [c, 0.2],
        [b, 0.9],
      ]),
    );
    expect(pathsOf(all.allFiles())).toEqual(['b.ts', 'c.ts', 'a.ts', 'd.ts']);
    expect(pathsOf(all.filesOfPackage('p'))).toEqual(['c.ts', 'd.ts']);
    expect(all.file('c.ts')).toMatchObject({ id: c, rank: 0.2, package: 'p', isModule: true, language: 'typescript' });
  });
});

describe('imports', () => {
  it('of a file are in the order of lines, as they were written', () => {
    const { add, all } = openGraph();
    add('b.ts', { imports: [importing('./other')] });
    const names: [string, string][] = [['default', 'x']];
    const file = add('a.ts', {
      imports: [importing('./b', 2), { specifier: './c', line: 1, isExported: true, names }],
    });
    expect(all.importsOf(file)).toMatchObject([
      { specifier: './c', line: 1, isExported: true, names, path: 'a.ts', role: 0, file },
      { specifier: './b', line: 2, isExported: false, names: [] },
    ]);
  });

  it('to a file are those of sources first, then by path and line', () => {
    const { add, all, graph } = openGraph();
    const target = add('target.ts');
    for (const [path, role] of [
      ['a.test.ts', 1],
      ['b.ts', 0],
      ['a.ts', 0],
    ] as const) {
      const file = add(path, { role, imports: [importing('./target', 2), importing('./target', 1)] });
      graph.link(
        file,
        all.importsOf(file).map(({ id }) => ({ import: id, target })),
      );
    }
    const found = all.importsTo(target);
    expect([pathsOf(found), linesOf(found)]).toEqual([
      ['a.ts', 'a.ts', 'b.ts', 'b.ts', 'a.test.ts', 'a.test.ts'],
      [1, 2, 1, 2, 1, 2],
    ]);
  });

  it('that write a specifier are those of it and of what is below it', () => {
    const { add, all } = openGraph();
    const below = ['lib/a', 'lib.a', 'lib::a', 'lib\\a', 'lib/\u{10fffe}'];
    const imports = ['lib', ...below, 'library', 'Lib', 'li', 'lib-a', 'lib:a'].map((one) => importing(one));
    add('a.ts', { imports });
    expect(new Set(all.importsWriting('lib').map(({ specifier }) => specifier))).toEqual(new Set(['lib', ...below]));
  });

  it('that write a specifier are those of sources first, then by path and line', () => {
    const { add, all } = openGraph();
    const imports = [importing('lib', 3), importing('lib/a', 1), importing('lib', 2)];
    add('a.test.ts', { role: 1, imports });
    for (const path of ['c.ts', 'b.ts', 'd.ts']) add(path, { imports });
    const found = all.importsWriting('lib').map(({ path, line }) => `${path} ${line}`);
    expect(found).toEqual(
      ['b.ts', 'c.ts', 'd.ts', 'a.test.ts'].flatMap((path) => [`${path} 1`, `${path} 2`, `${path} 3`]),
    );
  });
});

describe('facts', () => {
  it.each<[FactTable, object, [string, string, string]]>([
    ['environment', { name: 'HOME', value: '/root', line: 1 }, ['HOME', '', '/root']],
    ['environment', { name: 'HOME', line: 1 }, ['HOME', '', '']],
    ['routes', { method: 'GET', route: '/r', handler: 'h', line: 1 }, ['/r', 'GET', 'h']],
    ['scripts', { tool: 'npm', name: 'test', command: 'vitest', line: 1 }, ['test', 'npm', 'vitest']],
    ['errors', { name: 'E', kind: 'code', message: 'm', line: 1 }, ['E', 'code', 'm']],
    ['constants', { name: 'MAX', container: 'C', value: '1', line: 1 }, ['MAX', 'C', '1']],
    ['entries', { name: 'main', kind: 'program', line: 1 }, ['main', 'program', '']],
  ])('of the table %s have a name, a kind and a value: %j', (table, row, [name, kind, value]) => {
    const { add, all } = openGraph();
    const file = add('a.ts', { role: 2, [table]: [row] });
    expect(all.facts(table)).toEqual([{ file, path: 'a.ts', role: 2, line: 1, name, kind, value }]);
    expect([all.facts(table, name.toLowerCase()).length, all.facts(table, 'other')]).toEqual([1, []]);
  });

  it('are those of sources first, then by path and line', () => {
    const { add, all } = openGraph();
    const environment = [2, 1].map((line) => ({ name: 'HOME', line }));
    add('a.test.ts', { role: 1, environment });
    for (const path of ['b.ts', 'a.ts']) add(path, { environment });
    const found = all.facts('environment');
    expect([pathsOf(found), linesOf(found)]).toEqual([
      ['a.ts', 'a.ts', 'b.ts', 'b.ts', 'a.test.ts', 'a.test.ts'],
      [1, 2, 1, 2, 1, 2],
    ]);
  });
});
