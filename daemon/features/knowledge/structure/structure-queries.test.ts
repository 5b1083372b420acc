import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import { FollowedFiles } from '../../../storage/followed-files.js';
import { GitLog } from '../../../storage/git/git-log.js';
import { ProjectFiles } from '../../../storage/project-files.js';
import { temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { mayBeIndexed } from '../passages/file-worth.js';
import { Indexing } from '../passages/indexing.js';
import type { Places } from './places.js';
import { StructureQueries } from './structure-queries.js';
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

  it('counts a call for the definition that the file imports, under any name, and through files that pass it on', async () => {
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
  });

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
