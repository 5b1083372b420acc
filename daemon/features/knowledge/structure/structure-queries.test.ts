import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import { FollowedFiles } from '../../../storage/followed-files.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { ProjectFiles } from '../../../storage/project-files.js';
import { openCodeGraphs } from '../../../testing/parts/code-structure.js';
import { temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { mayBeIndexed } from '../passages/file-worth.js';
import { Indexing } from '../passages/indexing.js';
import type { Places } from './places.js';
import { isInScope, StructureQueries } from './structure-queries.js';
import { Structuring } from './structuring.js';
import { SyntaxParser } from './syntax-parser.js';

const environment = { PATH: process.env['PATH'] };

/** Returns the queries over the graph of a project with `files`. */
async function buildGraph(files: Record<string, string>): Promise<StructureQueries> {
  const root = temporaryRepository(files);
  const database = PassageDatabase.open(`${temporaryFolder()}/knowledge.db`);
  onTestFinished(() => database.close());
  const readable = new ProjectFiles(root, environment, mayBeIndexed);
  const followed = new FollowedFiles(readable, root, environment);
  for (const _ of new Indexing(readable, followed, new GitLog(root, environment), database, systemClock).scan());
  const parser = await SyntaxParser.open(systemClock);
  for (const _ of new Structuring(readable, database, systemClock).update(parser));
  return new StructureQueries(database.structureReader('all'));
}

const at = ({ places }: Pick<Places, 'places'>) => places.map(({ path, startLine }) => `${path}:${startLine}`);

describe('callers', () => {
  it('are found of what files export by assigning it', async () => {
    const graph = await buildGraph({
      'lib/lamp.js': "exports.makeLamp = require('./make');\nexports.light = function () {};\n",
      'lib/make.js': 'module.exports = function () {};\n',
      'lib/server.js':
        "var http = require('http');\nfunction Server() {}\nServer.prototype._setUp = function _setUp() {};\n" +
        'Server.prototype.run = function run() {\n  var self = this;\n  self._setUp();\n  http.makeLamp();\n};\n',
      'test/lamp.test.js': "const lamp = require('../lib/lamp');\nlamp.makeLamp();\nlamp.light();\n",
    });
    expect(at(graph.callers('makeLamp'))).toEqual(['test/lamp.test.js:2']);
    expect(at(graph.callers('light'))).toEqual(['test/lamp.test.js:3']);
    expect(at(graph.callers('Server._setUp'))).toEqual(['lib/server.js:6']);
  });

  it('are found of a method of Ruby whose mark was taken for that of the question', async () => {
    const graph = await buildGraph({ 'lib/lamp.rb': 'class Lamp\n  def lit?; true; end\n  def go; lit?; end\nend\n' });
    expect(at(graph.callers('lit'))).toEqual(['lib/lamp.rb:3']);
  });

  it('are none where only another package has a function of this name', async () => {
    const graph = await buildGraph({
      'lib/server.js': "const http = require('http');\nfunction open() {}\nhttp.open();\n",
    });
    expect(graph.callers('open').total).toBe(0);
  });

  it(
    'counts a call for the definition that the file imports, under any name, and through files that pass it ' + 'on',
    async () => {
      const graph = await buildGraph({
        'src/a.ts': 'export function open() {}\nexport default function start() {}\n',
        'src/b.ts': 'export function open() {}\n',
        'src/index.ts': "export { open as openA } from './a.js';\nexport * from './b.js';\n",
        'src/one.ts': "import { open as o } from './a.js';\nimport go from './a.js';\no();\ngo();\n",
        'src/two.ts': "import { openA } from './index.js';\nopenA();\n",
        'src/three.ts': "import { open } from './index.js';\nopen();\n",
        'src/four.ts': "import { open } from 'other';\nopen();\nfunction f(open: () => void) { open(); }\n",
        'test/a.test.ts': "import { open } from '../src/a.js';\nopen();\n",
      });
      expect(at(graph.callers('a.open'))).toEqual(['src/one.ts:3', 'test/a.test.ts:2']);
      expect(at(graph.callers('b.open'))).toEqual(['src/three.ts:2']);
      expect(at(graph.callers('start'))).toEqual(['src/one.ts:4']);
      expect(graph.callers('open')).toMatchObject({ total: 3, files: 3, byName: false });
    },
  );

  it('tells methods of one name apart by what is known of the receiver', async () => {
    const graph = await buildGraph({
      'src/shop.ts': 'export class Shop { sell() {} close() { this.sell(); } }\n',
      'src/bank.ts': 'export class Bank { sell() {} }\nexport class Branch extends Bank {}\n',
      'src/use.ts':
        "import { Shop } from './shop.js';\nimport { Branch } from './bank.js';\nclass Town {\n  " +
        'constructor(private readonly shop: Shop) {}\n  run(branch: Branch) {\n    this.shop.sell();\n    ' +
        'branch.sell();\n    new Shop().sell();\n  }\n}\n',
    });
    expect(at(graph.callers('Shop.sell'))).toEqual(['src/shop.ts:1', 'src/use.ts:6', 'src/use.ts:8']);
    expect(at(graph.callers('Bank.sell'))).toEqual(['src/use.ts:7']);
    expect(graph.callers('Shop.sell').byName).toBe(false);
  });

  it('says when only the name is known', async () => {
    const graph = await buildGraph({
      'src/shop.ts':
        'export class Shop { sell() {} }\nexport class Bank { sell() {} }\nexport const make = () => new Shop();\n',
      'src/use.ts': "import { make } from './shop.js';\nconst made = make();\nmade.sell();\n",
    });
    expect(graph.callers('Shop.sell')).toMatchObject({ total: 1, byName: true });
  });

  it('follows packages of Go, headers of C, modules of Python and Rust, and packages of Java', async () => {
    const graph = await buildGraph({
      'go.mod': 'module example.com/town\n',
      'main.go': 'package main\n\nimport "example.com/town/shop"\n\nfunc main() { shop.Sell() }\n',
      'shop/shop.go': 'package shop\n\nfunc Sell() { count() }\n',
      'shop/count.go': 'package shop\n\nfunc count() {}\n',
      'other/count.go': 'package other\n\nfunc count() {}\nfunc Use() { count() }\n',
      'c/list.h': 'int push(int a);\n',
      'c/list.c': '#include "list.h"\nint push(int a) { return a; }\n',
      'c/use.c': '#include "list.h"\nint use(void) { return push(1); }\n',
      'py/pkg/__init__.py': 'from .tools import mend\n',
      'py/pkg/tools.py': 'def mend():\n    pass\n',
      'py/use.py': 'from pkg import mend\nimport pkg.tools as t\nmend()\nt.mend()\nprint(1)\n',
      'py/other.py': 'def print():\n    pass\n',
      'rs/Cargo.toml': '[package]\nname = "town-hall"\n',
      'rs/src/lib.rs': 'mod hall;\npub use hall::enter;\nfn go() { hall::enter(); }\n',
      'rs/src/hall.rs': 'pub fn enter() {}\n',
      'rs/src/main.rs': 'use town_hall::enter;\nfn main() { enter(); }\n',
      'java/a/Shop.java': 'package a;\npublic class Shop { static void sweep() {} }\n',
      'java/b/Use.java': 'package b;\nimport a.Shop;\nclass Use { void run() { Shop.sweep(); } }\n',
    });
    expect(at(graph.callers('shop.Sell'))).toEqual(['main.go:5']);
    expect(at(graph.callers('shop.count'))).toEqual(['shop/shop.go:3']);
    expect(at(graph.callers('push'))).toEqual(['c/use.c:2']);
    expect(at(graph.callers('mend'))).toEqual(['py/use.py:3', 'py/use.py:4']);
    expect(graph.callers('print').total).toBe(0);
    expect(at(graph.callers('enter'))).toEqual(['rs/src/lib.rs:3', 'rs/src/main.rs:2']);
    expect(at(graph.callers('Shop.sweep'))).toEqual(['java/b/Use.java:3']);
  });
});

describe('imports', () => {
  it('resolves paths, package exports and workspaces', async () => {
    const graph = await buildGraph({
      'package.json': '{"name": "town", "exports": {"./*": "./dist/*.js"}, "imports": {"#x": "./src/x.ts"}}',
      'tsconfig.json': '{\n // paths\n "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"],}}}',
      'src/x.ts': 'export const x = 1;\n',
      'src/folder/index.ts': 'export const y = 1;\n',
      'src/one.ts': "import { x } from '@/x';\nimport { y } from './folder';\n",
      'src/two.mjs': "import { x } from '#x';\nconst late = await import('town/x');\n",
      'src/three.cjs': "const { x } = require('./x');\n",
      'src/four.ts': "import './one.js';\nimport '../../outside.js';\n",
    });
    expect(at(graph.importers('src/x.ts'))).toEqual([
      'src/one.ts:1',
      'src/three.cjs:1',
      'src/two.mjs:1',
      'src/two.mjs:2',
    ]);
    expect(at(graph.importers('folder/index.ts'))).toEqual(['src/one.ts:2']);
    expect(graph.dependents('x.ts').places.map(({ path, depth }) => [path, depth])).toEqual([
      ['src/one.ts', 1],
      ['src/three.cjs', 1],
      ['src/two.mjs', 1],
      ['src/four.ts', 2],
    ]);
    expect(graph.imports('src/one.ts').places.map(({ text }) => text)).toEqual(['@/x', './folder']);
    expect(graph.mainParts().places[0]?.path).toBe('src/x.ts');
  });

  it('finds importers of a package of others by its name', async () => {
    const graph = await buildGraph({
      'a.ts': "import fs from 'node:fs';\nimport x from 'lib/deep';\n",
      'b.py': 'import os.path\n',
    });
    expect([at(graph.importers('node:fs')), at(graph.importers('lib')), at(graph.importers('os'))]).toEqual([
      ['a.ts:1'],
      ['a.ts:2'],
      ['b.py:1'],
    ]);
  });
});

describe('other questions', () => {
  it('answers from definitions', async () => {
    const graph = await buildGraph({
      'src/shop.ts':
        'const SIZE_MAX = 5;\nexport interface Seller { sell(): void }\n/** A shop. */\nexport class Shop ' +
        'implements Seller {\n  constructor(name: string, size = 3) {}\n  sell() { help(); throw new ' +
        'Error("no"); }\n}\nfunction help() {}\nexport class Kiosk extends Shop {}\n',
      'src/size.ts': 'const SIZE_MAX = 6;\n',
      'test/shop.test.ts': 'class Shop {}\n',
    });
    expect(graph.definitions('shop').places.map(({ path, kind }) => [path, kind])).toEqual([
      ['src/shop.ts', 'class'],
      ['test/shop.test.ts', 'class'],
    ]);
    expect(graph.parameters('Shop').places[0]?.parameters).toEqual([
      { name: 'name', type: 'string' },
      { name: 'size', value: '3' },
    ]);
    expect(graph.value('SIZE_MAX').places.map(({ text }) => text)).toEqual(['5', '6']);
    expect(graph.value('shop.SIZE_MAX').places.map(({ text }) => text)).toEqual(['5']);
    expect(graph.callees('Shop.sell').places.map(({ text }) => text)).toEqual(['help']);
    expect(at(graph.subclasses('Shop'))).toEqual(['src/shop.ts:9']);
    expect(at(graph.implementers('Seller'))).toEqual(['src/shop.ts:4']);
    expect(graph.errors().places[0]).toMatchObject({ text: 'Error', container: 'no', startLine: 6 });
    expect(graph.definitions('nothing')).toEqual({ total: 0, places: [] });
  });

  it('returns at most 200 places and counts all, sources before tests', async () => {
    const calls = Array.from({ length: 300 }, () => 'f();').join('\n');
    const graph = await buildGraph({
      'a.test.ts': `import { f } from './f.js';\n${calls}\n`,
      'z.ts': "import { f } from './f.js';\nf();\n",
      'f.ts': 'export function f() {}\n',
    });
    const { total, places } = graph.callers('f');
    expect([total, places.length, places[0]?.path]).toEqual([301, 200, 'z.ts']);
  });
});

const build = openCodeGraphs();
const open = (files: Record<string, string>) => build(files).queries;
const texts = ({ places }: Pick<Places, 'places'>) => places.map(({ text }) => text);
const NONE = { languages: [], without: [], folders: [], includesTests: false };

describe('definitions', () => {
  it('are at most two hundred, and all are counted', () => {
    const graph = open({ 'a.ts': 'function go() {}\n'.repeat(201) });
    const { total, places } = graph.definitions('go');
    expect([total, places.length]).toEqual([201, 200]);
  });

  it('are found by words of their name', () => {
    const graph = open({ 'a.ts': 'function lightLamp() {}\nfunction lightSun() {}\n' });
    expect(graph.named(['light', 'lamp'], 5).map(({ name }) => name)).toEqual(['lightLamp']);
    expect(graph.named(['light'], 1)).toHaveLength(1);
  });

  it('have names near them: what contains the last part, or begins as it does', () => {
    const graph = open({
      'a.ts': 'function light() {}\nfunction lighter() {}\nfunction delight() {}\nfunction dim() {}\n',
    });
    expect(graph.near('Lamp.light')).toEqual(['light', 'delight', 'lighter']);
  });
});

describe('subclasses and implementers', () => {
  const graph = () =>
    open({
      'a.ts':
        'export class Base {}\nexport class Lamp extends Base {}\nexport interface Light {}\nexport class Sun ' +
        'implements ' +
        'Light {}\nexport interface Glow extends Light {}\nconst made = new Base();\n',
    });

  it('are the classes that extend or implement, under their names', () => {
    expect([texts(graph().subclasses('Base')), texts(graph().subclasses('Light'))]).toEqual([
      ['Lamp'],
      ['Sun', 'Glow'],
    ]);
    expect([texts(graph().implementers('Light')), texts(graph().implementers('Base'))]).toEqual([
      ['Sun', 'Glow'],
      ['Lamp'],
    ]);
    expect(graph().subclasses('Base').byName).toBe(false);
  });

  it('are no other uses, which all count as references', () => {
    expect(at(graph().references('Base'))).toEqual(['a.ts:2', 'a.ts:6']);
    expect(at(graph().references('Light'))).toEqual(['a.ts:4', 'a.ts:5']);
  });

  it('have the name that is extended where no class is around it', () => {
    const sharp = open({ 'a.rb': 'class Base; end\n', 'b.rb': 'extend Base\n' });
    expect(texts(sharp.implementers('Base'))).toEqual(['Base']);
  });
});

describe('importers', () => {
  const files = {
    'src/a.ts': 'export const one = 1;\nexport const two = 2;\n',
    'src/b.ts': "import { one } from './a.js';\nimport { two as zwei } from './a.js';\n",
    'src/c.ts': "export { one } from './a.js';\n",
    'src/a.test.ts': "import * as a from './a.js';\n",
  };

  it('of a file are its imports, sources first', () => {
    expect(at(open(files).importers('src/a.ts'))).toEqual([
      'src/b.ts:1',
      'src/b.ts:2',
      'src/c.ts:1',
      'src/a.test.ts:1',
    ]);
    expect(open(files).importers('src/a.ts').byName).toBe(false);
  });

  it('of one name of a file are those that name it', () => {
    expect(at(open(files).importersOf('src/a.ts', 'two'))).toEqual(['src/b.ts:2']);
    expect(at(open(files).importersOf('src/a.ts', 'one'))).toEqual(['src/b.ts:1', 'src/c.ts:1']);
    expect(open(files).importersOf('src/a.ts', 'none')).toEqual({ total: 0, files: 0, places: [], byName: false });
  });

  it('of several files of a name are those of all, each once', () => {
    const graph = open({
      'x/a.py': '',
      'y/a.py': '',
      'u.py': 'from x import a\nfrom y import a\n',
      'x/__init__.py': '',
      'y/__init__.py': '',
    });
    expect(at(graph.importers('a.py'))).toEqual(['u.py:1', 'u.py:2']);
  });
});

describe('dependents', () => {
  it('are counted by steps, each file once, also where files import each other', () => {
    const graph = open({
      'a.ts': "import './d.js';\n",
      'b.ts': "import './a.js';\n",
      'c.ts': "import './b.js';\nimport './a.js';\n",
      'd.ts': "import './c.js';\n",
    });
    const found = graph.dependents('a.ts');
    expect(found.places.map(({ path, depth }) => [path, depth])).toEqual([
      ['b.ts', 1],
      ['c.ts', 1],
      ['d.ts', 2],
    ]);
    expect([found.total, found.files, found.byName]).toEqual([3, 3, false]);
    expect(graph.dependents('none.ts').total).toBe(0);
  });
});

describe('files of a name', () => {
  const graph = () =>
    open({ 'a.ts': '', 'src/a.ts': '', 'src/a.py': '', 'lib/xa.ts': '', 'lib/deep/b.ts': '', 'package.json': '{}' });
  it.each([
    ['a.ts', ['a.ts']],
    ['./a.ts', ['a.ts']],
    ['/a.ts', ['a.ts']],
    ['a.py', ['src/a.py']],
    ['deep/b.ts', ['lib/deep/b.ts']],
    ['a', ['a.ts', 'src/a.py', 'src/a.ts']],
    ['src/a', ['src/a.py', 'src/a.ts']],
    ['deep/b', ['lib/deep/b.ts']],
    ['xa.ts', ['lib/xa.ts']],
    ['package', []],
    ['none.ts', []],
    ['none', []],
  ])('%s', (name, paths) => {
    expect(
      graph()
        .filesNamed(name)
        .map(({ path }) => path),
    ).toEqual(paths);
  });
});

describe('errors', () => {
  it('are those that a definition throws itself, by its lines', () => {
    const graph = open({
      'a.ts': "throw new A('0');\nfunction go() { throw new B('1');\n  throw new C('2'); }\nthrow new D('3');\n",
      'b.ts': "\nthrow new E('4');\n",
    });
    const found = graph.errorsWithin(graph.definitions('go').places);
    expect(found.places.map(({ text, container }) => [text, container])).toEqual([
      ['B', '1'],
      ['C', '2'],
    ]);
    expect([found.total, found.byName]).toEqual([2, false]);
  });
});

describe('the environment', () => {
  const files = {
    'src/a.ts': "const b = process.env.LAMP_B ?? 'x';\nconst a = process.env.LAMP_A;\n",
    'py/b.py': "import os\nos.environ['LAMP_C']\n",
    'test/c.ts': 'process.env.LAMP_A;\nprocess.env.LAMP_D;\nprocess.env.LAMP_D;\n',
  };

  it('is read where the graph says it, sources first, with defaults', () => {
    const found = open(files).environment();
    expect(found.places.map(({ text, container, path }) => `${path} ${text} ${container}`)).toEqual([
      'py/b.py LAMP_C ',
      "src/a.ts LAMP_B 'x'",
      'src/a.ts LAMP_A ',
      'test/c.ts LAMP_A ',
      'test/c.ts LAMP_D ',
      'test/c.ts LAMP_D ',
    ]);
    expect(found.byName).toBe(false);
    expect(at(open(files).readsOfVariable('LAMP_A'))).toEqual(['src/a.ts:2', 'test/c.ts:1']);
  });

  it('of sources names apart what only others read, each once', () => {
    const found = open(files).environmentOfSources();
    expect([texts(found), found.elsewhere]).toEqual([['LAMP_C', 'LAMP_B', 'LAMP_A'], ['LAMP_D']]);
  });

  it('is that of the scope', () => {
    const graph = open(files);
    const of = (scope: object) => {
      const found = graph.environmentOfSources({ ...NONE, ...scope });
      return [texts(found), found.elsewhere];
    };
    expect(of({ languages: ['python'] })).toEqual([['LAMP_C'], []]);
    expect(of({ without: ['python'] })).toEqual([['LAMP_B', 'LAMP_A'], ['LAMP_D']]);
    expect(of({ folders: ['src'] })).toEqual([['LAMP_B', 'LAMP_A'], []]);
    expect(of({ includesTests: true })).toEqual([['LAMP_C', 'LAMP_B', 'LAMP_A', 'LAMP_A', 'LAMP_D', 'LAMP_D'], []]);
    expect(of({ leavesOutTests: true })).toEqual([['LAMP_C', 'LAMP_B', 'LAMP_A'], []]);
  });

  it('is read under names that constants hold, in their own case', () => {
    const graph = open({ 'a.ts': "const NAME = 'LAMP_A';\nconst name = 'LAMP_B';\nprocess.env[NAME];\n" });
    expect([texts(graph.environment()), graph.readsUnknownVariables()]).toEqual([['LAMP_A'], false]);
    expect(open({ 'a.ts': 'process.env[NAME];\n' }).readsUnknownVariables()).toBe(true);
  });

  it.each([
    ['a.py', {}, true],
    ['a.py', { languages: ['python'] }, true],
    ['a.ts', { languages: ['python'] }, false],
    ['a.md', { languages: ['python'] }, false],
    ['a.py', { without: ['python'] }, false],
    ['a.ts', { without: ['python'] }, true],
    ['src/a.ts', { folders: ['src'] }, true],
    ['lib/a.ts', { folders: ['src'] }, false],
    ['lib/a.ts', { folders: ['src', 'lib'] }, true],
    ['lib/a.md', {}, true],
  ])('of %s with %j is in scope: %s', (path, scope, is) => {
    expect(isInScope(path, { ...NONE, ...scope })).toBe(is);
  });
});

describe('routes, scripts and errors', () => {
  it('are listed with what they are about', () => {
    const graph = open({
      'a.ts': "app.get('/lamps', list);\napp.post('/roads', add);\nthrow new Gone('away');\n",
      'package.json': '{"scripts": {"build": "tsc"}}',
      Makefile: 'all: x\n',
      'tox.ini': '[testenv:lint]\ncommands = ruff\n',
      '.cargo/config.toml': '[alias]\nxt = "run"\n',
      justfile: 'go:\n  ./go\n',
      'composer.json': '{"scripts": {"test": "phpunit"}}',
      'pyproject.toml': '[project.scripts]\nlamp = "a:b"\n',
    });
    const pairs = ({ places }: Places) => places.map(({ text, container }) => `${text} | ${container}`);
    expect(pairs(graph.routes())).toEqual(['GET /lamps | list', 'POST /roads | add']);
    expect(pairs(graph.routes('road'))).toEqual(['POST /roads | add']);
    expect(pairs(graph.errors())).toEqual(['Gone | away']);
    expect(pairs(graph.scripts()).sort()).toEqual([
      'cargo xt | run',
      'composer test | phpunit',
      'just go | ./go',
      'lamp | a:b',
      'make all | x',
      'npm run build | tsc',
      'tox -e lint | ruff',
    ]);
    for (const list of [graph.routes(), graph.errors(), graph.scripts()]) expect(list.byName).toBe(false);
  });
});

describe('entry points', () => {
  const begins = (files: Record<string, string>, names: readonly string[] = []) =>
    open(files)
      .entryPoints(names)
      .places.map(({ path, startLine, text, container }) => `${path}:${startLine} ${text} (${container})`);

  it('are told by manifests first, then by main functions, of sources alone', () => {
    const files = {
      'package.json': '{\n"bin": "./src/cli.ts",\n"main": "dist/index.js"\n}\n',
      'src/cli.ts': '\nfunction run() {}\n',
      'src/index.ts': 'export const x = 1;\n',
      'src/main.c': 'int main(void) { return 0; }\n',
      'test/main.c': 'int main(void) { return 0; }\n',
      'run.sh': '#!/bin/sh\n',
    };
    expect(begins(files)).toEqual([
      'package.json:2 ./src/cli.ts (program (bin))',
      'src/cli.ts:2 src/cli.ts (program (bin))',
      'src/main.c:1 main (main function)',
      'package.json:3 dist/index.js (package main)',
      'src/index.ts:1 src/index.ts (package main)',
    ]);
  });

  it('has manifests of parts behind the programs', () => {
    const files = {
      'x/package.json': '{"main": "a.js"}',
      'x/a.js': 'x;\n',
      'Main.java': 'class Main { public static void main(String[] a) {} }\n',
      'Program.cs': 'class Program { static void Main() {} }\n',
      'cmd/a.go': 'package main\n\nfunc main() {}\n',
    };
    expect(begins(files)).toEqual([
      'cmd/a.go:3 main (main function)',
      'Main.java:1 Main (main method)',
      'Program.cs:1 Program (Main method)',
      'x/package.json:1 a.js (package main)',
      'x/a.js:1 x/a.js (package main)',
    ]);
  });

  it('has the programs of a part behind those of the project', () => {
    const files = {
      'x/package.json': '{"bin": "x.js"}',
      'package.json': '{"bin": "y.js"}',
      'src/a.c': 'int main(void) { return 0; }\n',
    };
    expect(begins(files)).toEqual([
      'package.json:1 y.js (program (bin))',
      'src/a.c:1 main (main function)',
      'x/package.json:1 x.js (program (bin))',
    ]);
  });

  it('leaves functions in folders aside out', () => {
    expect(
      begins({ 'tools/a.c': 'int main(void) { return 0; }\n', 'src/b.c': 'int main(void) { return 0; }\n' }),
    ).toEqual(['src/b.c:1 main (main function)']);
  });

  it('has programs of another name than the project behind its package', () => {
    const manifest = '{\n"main": "a.js",\n"bin": {\n"report": "r.js",\n"lamp": "l.js"\n}\n}\n';
    expect(begins({ 'package.json': manifest }, ['lamp'])).toEqual([
      'package.json:5 lamp: l.js (program (bin))',
      'package.json:2 a.js (package main)',
      'package.json:4 report: r.js (program (bin))',
    ]);
    const without = manifest.replace('"main": "a.js",\n', '');
    expect(begins({ 'package.json': without }, ['lamp'])[0]).toBe('package.json:3 report: r.js (program (bin))');
  });

  it('names the function of a console script, else the first symbol of its module', () => {
    const files = {
      'pyproject.toml': '[project.scripts]\nlamp = "town.cli:main"\nother = "town.cli:gone"\nnone = "town.none:x"\n',
      'town/cli.py': 'X = 1\n\ndef main(): pass\n',
    };
    expect(begins(files)).toEqual([
      'pyproject.toml:2 lamp: town.cli:main (program)',
      'town/cli.py:3 town/cli.py (program)',
      'pyproject.toml:3 other: town.cli:gone (program)',
      'town/cli.py:1 town/cli.py (program)',
      'pyproject.toml:4 none: town.none:x (program)',
    ]);
  });

  it('looks for the file of a manifest from its own folder', () => {
    const files = {
      'deep/pyproject.toml': '[project.scripts]\nlamp = "cli:main"\n',
      'deep/cli.py': 'def main(): pass\n',
      'cli.py': 'def main(): pass\n',
    };
    expect(begins(files)[1]).toBe('deep/cli.py:1 deep/cli.py (program)');
  });

  it('names the file that a package does nothing but pass on, when it is one source', () => {
    const manifest = {
      'package.json': '{"main": "index.js"}',
      'lib/a.js': 'exports.a = 1;\n',
      'lib/b.js': 'exports.b = 1;\n',
    };
    const passed = (index: string, more: Record<string, string> = {}) =>
      begins({ ...manifest, 'index.js': index, ...more }).slice(2);
    expect(passed("module.exports = require('./lib/a');\n")).toEqual(['lib/a.js:1 lib/a.js (package main)']);
    expect(passed("export * from './lib/a.js';\nexport * from './lib/b.js';\n")).toEqual([]);
    expect(passed("module.exports = require('./lib/a');\nfunction own() {}\n")).toEqual([]);
    expect(passed("module.exports = require('./test/a');\n", { 'test/a.js': 'exports.a = 1;\n' })).toEqual([]);
    expect(passed("module.exports = require('other');\n")).toEqual([]);
  });
});

describe('parameters', () => {
  const of = (files: Record<string, string>, name: string) =>
    open(files)
      .parameters(name)
      .places.map(({ path, startLine, parameters }) => `${path}:${startLine} ${parameters?.map((one) => one.name)}`);

  it('of a class are those of its constructor, in any language', () => {
    expect(of({ 'a.ts': 'class Lamp {\n  constructor(size) {}\n  other(x) {}\n}\n' }, 'Lamp')).toEqual(['a.ts:2 size']);
    expect(of({ 'a.py': 'class Lamp:\n    def __init__(self, size): pass\n' }, 'Lamp')).toEqual(['a.py:2 self,size']);
    expect(of({ 'a.rb': 'class Lamp\n  def initialize(size); end\nend\n' }, 'Lamp')).toEqual(['a.rb:2 size']);
    expect(of({ 'a.php': '<?php\nclass Lamp {\n  function __construct($size) {}\n}\n' }, 'Lamp')).toEqual([
      'a.php:3 size',
    ]);
    expect(of({ 'a.rs': 'struct Lamp;\nimpl Lamp {\n  fn new(size: u8) {}\n}\n' }, 'Lamp')).toEqual(['a.rs:3 size']);
    expect(of({ 'A.java': 'class Lamp {\n  Lamp(int size) {}\n}\n' }, 'Lamp')).toEqual(['A.java:2 size']);
  });

  it('of a record are its own and those of its constructors', () => {
    expect(of({ 'A.java': 'record Lamp(int size) {\n  Lamp(int other, int x) {}\n}\n' }, 'Lamp')).toEqual([
      'A.java:1 size',
      'A.java:2 other,x',
    ]);
  });

  it('are of the class alone, not of one in it or of the same name', () => {
    const files = {
      'a.ts': 'namespace N { class Lamp {\n  constructor(size) {}\n} }\nclass Other {\n  constructor(x) {}\n}\n',
    };
    expect(of(files, 'Lamp')).toEqual(['a.ts:2 size']);
  });

  it('of a function are those of its definitions, and of declarations with defaults', () => {
    const header = { 'a.h': 'int light(int a = 2);\nint dim(int b);\n' };
    const both = { ...header, 'a.cpp': 'int light(int a) { return a; }\nint dim(int b) { return b; }\n' };
    expect(of(header, 'dim')).toEqual(['a.h:2 b']);
    expect(of(both, 'dim')).toEqual(['a.cpp:2 b']);
    expect(of({ 'a.ts': 'const light = 1;\n' }, 'light')).toEqual([]);
  });

  it('are those of at most two hundred, and all are counted', () => {
    const { total, places } = open({ 'a.ts': 'function go(a) {}\n'.repeat(201) }).parameters('go');
    expect([total, places.length]).toEqual([201, 200]);
  });
});

describe('the value of a constant', () => {
  it('is that of its case, else of any, with its container', () => {
    const graph = open({ 'a.ts': 'const LIMIT = 1;\nconst limit = 2;\nenum Size { LIMIT = 3 }\n' });
    expect(texts(graph.value('LIMIT'))).toEqual(['1', '3']);
    expect(texts(graph.value('Limit'))).toEqual(['1', '2', '3']);
    expect(texts(graph.value('Size.LIMIT'))).toEqual(['3']);
    expect(graph.value('Size.LIMIT').places[0]?.container).toBe('Size');
    expect(graph.value('Other.LIMIT')).toMatchObject({ total: 0, byName: false });
  });
});

describe('the main parts', () => {
  it('are the sources on which most depends, with their first exported symbol', () => {
    const graph = open({
      'a.ts':
        '#!x\nconst own = 1;\nexport const late = 2;\n/** A lamp. */\nexport class Lamp {}\nexport class Sun {}\n',
      'b.ts': "import './a.js';\nimport './e.js';\n",
      'c.ts': "import './a.js';\nimport './b.js';\n",
      'd.test.ts': "import './a.js';\n",
      'e.ts': 'x;\n',
      'f.ts': 'export const alone = 1;\n',
    });
    const { places, total, files, byName } = graph.mainParts();
    expect(places).toEqual([
      { path: 'a.ts', startLine: 5, endLine: 5, role: 0, text: 'Lamp', container: 'A lamp.' },
      ...places.slice(1),
    ]);
    expect(places.map(({ path, startLine, text }) => `${path}:${startLine} ${text}`)).toEqual([
      'a.ts:5 Lamp',
      'e.ts:1 ',
      'b.ts:1 ',
      'c.ts:1 ',
    ]);
    expect([total, files, byName, graph.mainParts(2).places.length]).toEqual([4, 4, false, 2]);
  });

  it('are shown by a symbol at the top that is no macro and no declaration', () => {
    const graph = open({
      'a.h':
        '#define LIMIT 1\nclass Early;\nint later(int a);\nnamespace n { class Inner { int x; }; }\nint here(int ' +
        'a) { return a; }\n',
      'b.c': '#include "a.h"\n',
    });
    expect(graph.mainParts().places[0]).toMatchObject({ path: 'a.h', text: 'here' });
  });
});
