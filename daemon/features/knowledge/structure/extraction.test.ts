import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import type { FileStructure } from '../../../storage/database/structure-schema.js';
import { readStructure } from './file-structure.js';
import { SyntaxParser } from './syntax-parser.js';

let parser: SyntaxParser;
beforeAll(async () => {
  parser = await SyntaxParser.open(systemClock);
});

function read(path: string, text: string): FileStructure {
  const reading = readStructure(path, Buffer.from(text), parser);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

const symbols = (found: FileStructure) =>
  found.symbols
    .filter((one) => !(one.isDeclaration && one.kind === 'type'))
    .map((one) => `${one.kind} ${one.container === '' ? '' : `${one.container}.`}${one.name}`);
const uses = (found: FileStructure, kind: string) =>
  found.references
    .filter((one) => one.kind === kind)
    .map((one) => `${one.qualifier === '' ? '' : `${one.qualifier}.`}${one.name}`);

describe('JavaScript from before modules and classes', () => {
  const found = () =>
    read(
      'lib/lamp.js',
      `var app = exports = module.exports = {};
/** Lights it. */
Lamp.prototype.light = function light(colour) { this.burn(colour); };
app.use = function (plug) { start(plug); };
function Lamp() { this.burn = function () {}; this.size = 3; }
exports.open = function open() {};
exports.close = require('./close');
exports.Lamp = Lamp;
module.exports.dim = () => 1;
other.name = 'x';
`,
    );

  it('defines what is assigned to the exports, to a prototype and to objects of the file', () => {
    expect(symbols(found())).toEqual([
      'variable app',
      'method Lamp.light',
      'method app.use',
      'function Lamp',
      'method Lamp.burn',
      'function open',
      'variable close',
      'function dim',
    ]);
    const light = found().symbols.find(({ name }) => name === 'light');
    expect(light).toMatchObject({ doc: 'Lights it.', startLine: 3, parameters: [{ name: 'colour' }] });
  });

  it('defines a named function that is the whole export, and exports it by default', () => {
    const { symbols: all } = read('lib/make.js', 'module.exports = function makeLamp(size) {};\n');
    expect(all).toMatchObject([{ name: 'makeLamp', kind: 'function', isDefault: true }]);
  });
});

it('finds calls in the bodies of macros, and through `call` and `apply`', () => {
  const macros =
    '#define GLOW(x) glow((x) + 1)\n#define BOTH(f) do { \\\n  f(1); puts("beam(2)"); beam(2); \\\n} while (0)\n';
  const calls = read('src/a.c', macros).references.filter(({ kind }) => kind === 'call');
  expect(calls.map(({ name, line }) => `${name}:${line}`)).toEqual(['glow:1', 'puts:3', 'beam:3']);
  const rules = 'macro_rules! lamp { ($x:expr) => { beam($x) }; }\nfn f() { assert!(crate::glow(1)); }\n';
  expect(uses(read('src/a.rs', rules), 'call')).toEqual(expect.arrayContaining(['beam', 'glow']));
  expect(uses(read('src/a.js', 'light.call(null, 1);\nlamp.dim.apply(lamp, []);\n'), 'call')).toEqual([
    'light',
    'lamp.dim',
  ]);
});

it('takes a main function that only a test of the file compiles for none', () => {
  const { entries } = read(
    'src/bulb.c',
    '#ifdef BULB_TEST\nint main(void) { return 0; }\n#endif\n#ifdef UNIX\nint main(int n) { return 1; }\n#endif\n',
  );
  expect(entries).toEqual([{ name: 'main', kind: 'main function', line: 5 }]);
});

describe('TypeScript', () => {
  const found = () =>
    read(
      'src/a.ts',
      `import main, { open as openFile, type Options } from './files.js';
import * as names from './names.js';
export * from './more.js';

/** Counts things. Slowly. */
export default class Counter extends Base implements Countable {
  private readonly store: Store;
  constructor(private clock: Clock, limit = 3) { super(); }
  count(of: string, { deep = true }: Options = {}): number {
    this.store.put(of);
    openFile(of);
    names.check(of);
    const made = new Store();
    made.get(process.env.COUNT_HOME ?? '/tmp');
    throw new CountError('cannot count');
  }
}
export const LIMIT_MAX = 4 * 1024, later = async (a: number, b = 2) => a;
enum Colour { Red = 1 }
app.get('/things', list);
const { TOKEN } = process.env;
`,
    );

  it('finds symbols with container, doc, parameters and lines', () => {
    expect(symbols(found())).toEqual([
      'class Counter',
      'field Counter.store',
      'method Counter.constructor',
      'method Counter.count',
      'constant LIMIT_MAX',
      'function later',
      'enum Colour',
      'variable TOKEN',
    ]);
    const [counter, , made, count] = found().symbols;
    expect(counter).toMatchObject({
      doc: 'Counts things.',
      startLine: 6,
      endLine: 17,
      isExported: true,
      isDefault: true,
    });
    expect(made?.parameters).toEqual([
      { name: 'clock', type: 'Clock' },
      { name: 'limit', value: '3' },
    ]);
    expect(count?.signature).toBe('count(of: string, { deep = true }: Options = {}): number');
    expect(found().symbols[5]?.parameters).toEqual([
      { name: 'a', type: 'number' },
      { name: 'b', value: '2' },
    ]);
  });

  it('finds calls with the type of the receiver, under the name of the other file', () => {
    expect(uses(found(), 'call')).toEqual([
      'Store.put',
      'open',
      'names.check',
      'Store',
      'Store.get',
      'CountError',
      'app.get',
    ]);
    expect(uses(found(), 'extend')).toEqual(['Base']);
    expect(uses(found(), 'implement')).toEqual(['Countable']);
    expect(uses(found(), 'type')).toContain('Clock');
  });

  it('finds imports, environment, routes, errors and constants', () => {
    expect(found().imports).toEqual([
      {
        specifier: './files.js',
        line: 1,
        isExported: false,
        names: [
          ['default', 'main'],
          ['open', 'openFile'],
          ['Options', 'Options'],
        ],
      },
      { specifier: './names.js', line: 2, isExported: false, names: [['*', 'names']] },
      { specifier: './more.js', line: 3, isExported: true, names: [['*', '*']] },
    ]);
    expect(found().environment).toEqual([
      { name: 'COUNT_HOME', line: 14, value: "'/tmp'" },
      { name: 'TOKEN', line: 21 },
    ]);
    expect(found().routes).toEqual([{ method: 'GET', route: '/things', handler: 'list', line: 20 }]);
    expect(found().errors).toEqual([{ name: 'CountError', kind: 'throw', message: 'cannot count', line: 15 }]);
    expect(found().constants).toContainEqual({ name: 'LIMIT_MAX', container: '', value: '4 * 1024', line: 18 });
  });
});

it('reads JavaScript modules of both kinds, and components', () => {
  const found = read(
    'a.js',
    "const fs = require('fs');\nconst { a: b } = require('./b');\nfunction f() { b(); }\nmodule.exports = f;\n",
  );
  expect(found.imports.map(({ specifier, names }) => [specifier, names])).toEqual([
    ['fs', [['*', 'fs']]],
    ['./b', [['a', 'b']]],
  ]);
  expect(uses(found, 'call')).toEqual(['a']);
  expect(found.symbols[0]).toMatchObject({ name: 'f', isDefault: true });
  expect(uses(read('a.tsx', 'const page = () => <Title size="1" />;\n'), 'call')).toEqual(['Title']);
});

it('reads Python', () => {
  const found = read(
    'pkg/a.py',
    `import os
from .store import Store as Shop, open_store
LIMIT = 5
@app.route('/x', methods=['GET', 'POST'])
def show(size: int = 2, *rest, **more):
    """Shows it. More."""
    shop = Shop()
    shop.sell(os.environ["TOWN"], os.getenv("LAND", "x"))
    raise ValueError("bad " "size")
class Big(Shop, m.Mixin):
    def __init__(self, store: Store):
        self.store = store
    def go(self):
        self.store.load()
        self.stop()
if __name__ == "__main__":
    show()
`,
  );
  expect(symbols(found)).toEqual([
    'constant LIMIT',
    'function show',
    'class Big',
    'method Big.__init__',
    'method Big.go',
  ]);
  expect(found.symbols[1]).toMatchObject({ doc: 'Shows it.', startLine: 4 });
  expect(found.symbols[1]?.parameters?.[0]).toEqual({ name: 'size', type: 'int', value: '2' });
  expect(uses(found, 'call')).toEqual(
    expect.arrayContaining(['Store', 'Store.sell', 'Store.load', 'Big.stop', 'ValueError', 'show']),
  );
  expect(uses(found, 'extend')).toEqual(['Store', 'Mixin']);
  expect(found.environment.map(({ name, value }) => [name, value])).toEqual([
    ['TOWN', undefined],
    ['LAND', '"x"'],
  ]);
  expect(found.routes).toEqual([{ method: 'GET, POST', route: '/x', handler: 'show', line: 4 }]);
  expect(found.errors[0]).toMatchObject({ name: 'ValueError', kind: 'raise' });
  expect(found.entries).toEqual([{ name: '__main__', kind: 'script', line: 16 }]);
});

it('reads Go', () => {
  const found = read(
    'main.go',
    `package main

import (
	"os"
	st "example.com/x/store"
)

const Limit = 5

var ErrGone = errors.New("gone")

// Shop sells. Well.
type Shop struct {
	Base
	store *st.Store
}

type Seller interface{ Sell(count int) error }

func (s *Shop) Sell(count, more int) error {
	s.store.Load(os.Getenv("TOWN"))
	s.count()
	shop := NewShop()
	shop.Open()
	return fmt.Errorf("no %d", count)
}

func main() { http.HandleFunc("GET /x", show) }
`,
  );
  expect(symbols(found)).toEqual([
    'constant Limit',
    'variable ErrGone',
    'struct Shop',
    'field Shop.store',
    'interface Seller',
    'method Seller.Sell',
    'method Shop.Sell',
    'function main',
  ]);
  expect(found.symbols[2]).toMatchObject({ doc: 'Shop sells.', isExported: true });
  expect(found.symbols[6]?.parameters?.map(({ name }) => name)).toEqual(['count', 'more']);
  expect(uses(found, 'call')).toEqual(expect.arrayContaining(['Store.Load', 'Shop.count', 'NewShop', 'Shop.Open']));
  expect(uses(found, 'extend')).toEqual(['Base']);
  expect(found.environment.map(({ name }) => name)).toEqual(['TOWN']);
  expect(found.routes).toEqual([{ method: 'GET', route: '/x', handler: 'show', line: 28 }]);
  expect(found.errors.map(({ name, message }) => [name, message])).toEqual([
    ['ErrGone', 'gone'],
    ['fmt.Errorf', 'no %d'],
  ]);
  expect(found.entries).toEqual([{ name: 'main', kind: 'main function', line: 28 }]);
});

it('reads Rust', () => {
  const found = read(
    'src/lib.rs',
    `use crate::store::{Store, open as open_store};
mod shop;
pub const LIMIT: u32 = 5;
/// Sells. Well.
pub fn sell(count: i32) -> Result<(), SaleError> {
    let shop = Shop::new(1);
    shop.open(std::env::var("TOWN"));
    open_store();
    println!("{}", price(count));
    Err(SaleError::Gone("x".into()))
}
pub struct Shop { pub store: Store }
trait Seller: Base { fn sell(&self); }
impl Seller for Shop { fn sell(&self) { self.store.load(); } }
mod inner { pub fn help() {} }
`,
  );
  expect(symbols(found)).toEqual([
    'constant LIMIT',
    'function sell',
    'struct Shop',
    'field Shop.store',
    'trait Seller',
    'method Seller.sell',
    'method Shop.sell',
    'module inner',
    'function inner.help',
  ]);
  expect(found.symbols[1]?.doc).toBe('Sells.');
  expect(uses(found, 'call')).toEqual(expect.arrayContaining(['Shop.new', 'Shop.open', 'open', 'price', 'Store.load']));
  expect([uses(found, 'implement'), uses(found, 'extend')]).toEqual([['Seller'], ['Base']]);
  expect(found.imports.map(({ specifier }) => specifier)).toEqual([
    'crate::store::Store',
    'crate::store::open',
    'self::shop',
  ]);
  expect(found.environment.map(({ name }) => name)).toEqual(['TOWN']);
  expect(found.errors[0]).toMatchObject({ name: 'SaleError::Gone', message: 'x' });
});

it('reads Java', () => {
  const found = read(
    'src/a/Shop.java',
    `package a;
import b.Store;
/** Sells. Well. */
@RequestMapping("/shop")
public class Shop extends Base<Store> implements Seller {
  private static final int LIMIT = 5;
  private final Store store = new Store();
  @GetMapping("/x") public String sell(int count, Store to) { store.load(); to.save(); help(1); System.getenv("TOWN"); throw new SaleException("gone"); }
  public static void main(String[] args) {}
}
`,
  );
  expect(symbols(found)).toEqual([
    'class Shop',
    'constant Shop.LIMIT',
    'field Shop.store',
    'method Shop.sell',
    'method Shop.main',
  ]);
  expect(found.symbols[0]?.doc).toBe('Sells.');
  expect(uses(found, 'call')).toEqual(['Store', 'Store.load', 'Store.save', 'help', 'System.getenv', 'SaleException']);
  expect([uses(found, 'extend'), uses(found, 'implement')]).toEqual([['Base'], ['Seller']]);
  expect(found.routes).toEqual([{ method: 'GET', route: '/shop/x', handler: 'sell', line: 8 }]);
  expect(found.errors).toEqual([{ name: 'SaleException', kind: 'throw', message: 'gone', line: 8 }]);
  expect(found.constants).toEqual([{ name: 'LIMIT', container: 'Shop', value: '5', line: 6 }]);
  expect([found.package, found.entries.length, found.environment.length]).toEqual(['a', 1, 1]);
});

it('reads C and C++', () => {
  const found = read(
    'src/shop.cpp',
    `#include "store.h"
#define LIMIT 5
#define TWICE(x) ((x) * 2)
namespace town { class Shop : public Base { public: int sell(int count = 2); Store *store; }; }
/* Sells. Well. */
int town::Shop::sell(int count) { store->load(); this->store->save(); help(getenv("TOWN")); return -ENOMEM; }
static int help(const char *name) { throw std::runtime_error("gone"); }
typedef struct item { int size; } item_t;
enum colour { RED = 1 };
int later(int a);
`,
  );
  expect(symbols(found)).toEqual([
    'macro LIMIT',
    'macro TWICE',
    'module town',
    'class town.Shop',
    'method town.Shop.sell',
    'field town.Shop.store',
    'method town.Shop.sell',
    'function help',
    'type item_t',
    'struct item',
    'field item.size',
    'enum colour',
    'constant colour.RED',
    'function later',
  ]);
  expect(found.symbols[4]).toMatchObject({
    isDeclaration: true,
    parameters: [{ name: 'count', type: 'int', value: '2' }],
  });
  expect(found.symbols[6]).toMatchObject({ isDeclaration: false, doc: 'Sells.' });
  expect(uses(found, 'call')).toEqual(expect.arrayContaining(['store.load', 'Store.save', 'help', 'getenv']));
  expect(found.errors.map(({ name, message }) => [name, message])).toEqual([
    ['ENOMEM', ''],
    ['runtime_error', 'gone'],
  ]);
  expect([found.constants[0]?.value, found.environment.length, found.imports[0]?.specifier]).toEqual([
    '5',
    1,
    'store.h',
  ]);
});

it('reads C#, Ruby, PHP and Bash', () => {
  const sharp = read(
    'Shop.cs',
    'using Town.Stores;\nnamespace Town;\n/// <summary>Sells. Well.</summary>\npublic class Shop : Base, ' +
      'ISeller {\n  const int Limit = 5;\n  private readonly Store store = new Store();\n  [HttpGet("x")] public ' +
      'int Sell(int count = 2) { this.store.Load(); Help(); Environment.GetEnvironmentVariable("TOWN"); throw ' +
      'new SaleException("gone"); }\n}\n',
  );
  expect(symbols(sharp)).toEqual(['class Shop', 'constant Shop.Limit', 'field Shop.store', 'method Shop.Sell']);
  expect(uses(sharp, 'call')).toEqual(expect.arrayContaining(['Store', 'Store.Load', 'Help', 'SaleException']));
  expect([
    uses(sharp, 'extend'),
    uses(sharp, 'implement'),
    sharp.symbols[3]?.parameters?.[0]?.value,
    sharp.package,
  ]).toEqual([['Base'], ['ISeller'], '2', 'Town']);
  expect([sharp.environment.length, sharp.routes[0]?.route, sharp.errors[0]?.message]).toEqual([1, '/x', 'gone']);

  const ruby = read(
    'shop.rb',
    "require_relative 'store'\n# Sells. Well.\nclass Shop < Base\n  include Seller\n  LIMIT = 5\n  def " +
      "sell(count = 2)\n    @store = Store.new\n    @store.load(ENV.fetch('TOWN', 1))\n    help\n    raise " +
      "SaleError, 'gone'\n  end\nend\n",
  );
  expect(symbols(ruby)).toEqual(['class Shop', 'constant Shop.LIMIT', 'method Shop.sell']);
  expect(uses(ruby, 'call')).toEqual(expect.arrayContaining(['Store', 'Store.load', 'help']));
  expect([uses(ruby, 'extend'), uses(ruby, 'implement'), ruby.environment.length, ruby.errors[0]?.name]).toEqual([
    ['Base'],
    ['Seller'],
    1,
    'SaleError',
  ]);

  const php = read(
    'shop.php',
    '<?php\nnamespace Town;\nuse Town\\Stores\\Store;\n/** Sells. Well. */\nclass Shop extends Base implements ' +
      'Seller {\n  const LIMIT = 5;\n  private Store $store;\n  function sell(int $count = 2) { ' +
      "$this->store->load(); help(); getenv('TOWN'); throw new SaleException('gone'); }\n}\n",
  );
  expect(symbols(php)).toEqual(['class Shop', 'constant Shop.LIMIT', 'field Shop.store', 'method Shop.sell']);
  expect(uses(php, 'call')).toEqual(expect.arrayContaining(['Store.load', 'help', 'SaleException']));
  expect([uses(php, 'extend'), uses(php, 'implement'), php.environment.length, php.errors[0]?.message]).toEqual([
    ['Base'],
    ['Seller'],
    1,
    'gone',
  ]);

  const bash = read(
    'shop.sh',
    `#!/bin/sh\n. ./store.sh\nLIMIT=5\n# Sells. Well.\nsell() { load "\${TOWN:-x}" "$LIMIT" ` +
      `"\${LIMIT:-3}"; }\nsell 1\n`,
  );
  expect(symbols(bash)).toEqual(['variable LIMIT', 'function sell']);
  expect([uses(bash, 'call'), bash.environment, bash.imports[0]?.specifier]).toEqual([
    ['load', 'sell'],
    [{ name: 'TOWN', line: 5, value: 'x' }],
    './store.sh',
  ]);
});

it('reads the scripts of manifests', () => {
  const names = (path: string, text: string) =>
    read(path, text).scripts.map(({ name, command, line }) => [name, command, line]);
  const manifest = JSON.stringify(
    { name: 'x', bin: { x: 'dist/x.js' }, scripts: { build: 'tsc', test: 'vitest' } },
    null,
    1,
  );
  expect(names('package.json', manifest)).toEqual([
    ['build', 'tsc', 7],
    ['test', 'vitest', 8],
  ]);
  expect(read('package.json', manifest).entries).toEqual([{ name: 'x: dist/x.js', kind: 'program (bin)', line: 4 }]);
  const entries = (path: string, text: string) => read(path, text).entries.map(({ name, line }) => [name, line]);
  const exported = { exports: { '.': { types: './a.d.ts', import: { default: './a.mjs' }, require: './a.cjs' } } };
  expect(entries('package.json', JSON.stringify(exported, null, 1))).toEqual([['./a.mjs', 2]]);
  expect(entries('Cargo.toml', '[package]\nname = "x"\n[[bin]]\nname = "y"\npath = "src/y/main.rs"\n')).toEqual([
    ['y: src/y/main.rs', 3],
  ]);
  expect(
    entries('setup.cfg', '[options.entry_points]\nconsole_scripts =\n    lamp = lamp.cli:main\n[flake8]\na = b:c\n'),
  ).toEqual([['lamp: lamp.cli:main', 3]]);
  expect(entries('setup.py', "setup(entry_points={\n 'console_scripts': ['lamp=lamp.cli:main'],\n})\n")).toEqual([
    ['lamp: lamp.cli:main', 2],
  ]);
  expect(names('Makefile', 'CC := gcc\nall: build\n\nbuild: a.o\n\tgcc -o x a.o\n.PHONY: all\n')).toEqual([
    ['all', 'build', 2],
    ['build', 'gcc -o x a.o', 4],
  ]);
  expect(names('tox.ini', '[testenv:lint]\ncommands =\n  ruff check\n')).toEqual([['lint', 'ruff check', 1]]);
  expect(names('.cargo/config.toml', '[alias]\nxtask = "run -p xtask"\n[build]\njobs = 1\n')).toEqual([
    ['xtask', 'run -p xtask', 2],
  ]);
  expect(names('justfile', 'x := "1"\nrun arg="a": build\n  ./run {{arg}}\n')).toEqual([['run', './run {{arg}}', 2]]);
  expect(names('package.json', '{"scripts": [')).toEqual([]);
});

describe('what a repository should not be able to do', () => {
  it('keeps what is around a syntax error', () => {
    const found = read(
      'a.ts',
      'export function before() {}\nconst broken = ;\n @@ }\nexport function after() { before(); }\n',
    );
    expect(symbols(found)).toEqual(expect.arrayContaining(['function before', 'function after']));
  });

  it('survives deep nesting, no text, and names that are keys of objects', () => {
    for (const [path, text] of [
      ['a.ts', '('.repeat(200_000).replace(/(.{80})/g, '$1\n')],
      ['a.c', `int a = ${'1 + (\n'.repeat(20_000)}`],
      ['a.py', `${'[\n'.repeat(50_000)}`],
      ['a.ts', ''],
      ['a.__proto__', 'x'],
      ['a.constructor', 'x'],
    ] as const)
      expect(read(path, text).symbols.length).toBeLessThan(3);
    expect(symbols(read('a.js', 'function constructor() {}\nfunction __proto__() {}\n'))).toEqual([
      'function constructor',
      'function __proto__',
    ]);
  });

  it('leaves out a file that takes too long, and reads the next one', async () => {
    let now = 0;
    const slow = await SyntaxParser.open({ ...systemClock, elapsed: () => (now += 10) }, 100);
    const finish = (path: string, text: string) => {
      const reading = readStructure(path, Buffer.from(text), slow);
      for (;;) {
        const step = reading.next();
        if (step.done) return step.value;
      }
    };
    const long = finish('a.ts', 'const a = { b: [1, 2, 3] };\n'.repeat(30_000));
    expect(long).toMatchObject({ leftOut: 'takes too long to parse', symbols: [] });
    expect(symbols(finish('b.ts', 'function b() {}\n'))).toEqual(['function b']);
    expect(read('c.ts', 'a;\n'.repeat(400_000)).leftOut).toBe('too large');
  });
});
