import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('imports under every form of a name', () => {
  const found = read(
    'src/a.ts',
    `import main, { open as openFile, type Options } from './files.js';
import * as names from './names.js';
import old = require('./old.js');
import './effects.js';
const fs = require('fs');
const { a: b, c } = require('./b.js');
const part = require('./parts.js').part;
const { late } = await import('./late.js');
const other = require(somewhere);
const bare = load('./no.js');
require('./plain.js');
import('./lazy.js');
openFile(names.x, b, c);
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'constant other 9',
    'constant bare 10',
    'import ./files.js (default as main, open as openFile, Options) 1',
    'import ./names.js (* as names) 2',
    'import ./old.js (* as old) 3',
    'import ./effects.js () 4',
    'import fs (* as fs) 5',
    'import ./b.js (a as b, c) 6',
    'import ./parts.js (part) 7',
    'import ./late.js (late) 8',
    'import ./plain.js () 11',
    'import ./lazy.js () 12',
    'read ?.part 7',
    'read somewhere 9',
    'call load 10',
    'call open 13',
    'read names.x 13',
    'read names 13',
    'read a 13',
    'read c 13',
    'value other = require(somewhere) 9',
    "value bare = load('./no.js') 10",
  ]);
});

it('passes on names under its own, all names, and names of other files', () => {
  const found = read(
    'src/a.ts',
    `export { open, close as shut } from './files.js';
export * from './all.js';
export * as tools from './tools.js';
const own = 1;
export { own as mine };
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'constant own 4',
    're-export ./files.js (open, close as shut) 1',
    're-export ./all.js (*) 2',
    're-export ./tools.js (* as tools) 3',
    'read own 5',
    'value own = 1 4',
  ]);
});

it('exports by default what the statement names', () => {
  const found = read(
    'src/a.ts',
    `function start() {}
export default start;
`,
  );
  expect(showCode(found)).toEqual(['a module', 'default function start() 1', 'read start 2']);
});

it('exports by default a class or function of its own', () => {
  const found = read(
    'src/a.ts',
    `export default function start() {}
`,
  );
  expect(showCode(found)).toEqual(['a module', 'default function start() 1']);
});

it('exports nothing by default that has no name', () => {
  const found = read(
    'src/a.ts',
    `export default { start: 1 };
`,
  );
  expect(showCode(found)).toEqual(['a module']);
});

it('declares each kind of type', () => {
  const found = read(
    'src/a.ts',
    `export interface Seller extends Base, shop.Other<Item> { sell(count: number): void; readonly size: number }
export type Name = string;
export enum Colour { Red = 1, Blue }
abstract class Shop extends kinds.Base implements Seller, Open<Item> { abstract close(by: Seller): void; }
namespace inner { export function help() {} }
declare module 'x' { function later(): void; }
function signature(a: number): void;
function* each(count = 1) { yield count; }
const Made = class Inner {};
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export interface Seller 1',
    'export method Seller.sell(count: number) 1',
    'export field Seller.size 1',
    'export type Name 2',
    'export enum Colour 3',
    'class Shop 4',
    'export method Shop.close(by: Seller) 4',
    'module inner 5',
    'export function inner.help() 5',
    "module 'x' 6",
    "function 'x'.later() 6",
    'function signature(a: number) 7',
    'function each(count = 1) 8',
    'constant Made 9',
    'class Inner 9',
    'extend Base 1 in Seller',
    'extend Other 1 in Seller',
    'read shop 1 in Seller',
    'type Item 1 in Seller',
    'extend Base 4 in Shop',
    'read kinds 4 in Shop',
    'implement Seller 4 in Shop',
    'implement Open 4 in Shop',
    'type Item 4 in Shop',
    'type Seller 4 in Shop.close',
    'value Colour.Red = 1 3',
  ]);
});

it('knows the class of a field by its type, its value or the constructor', () => {
  const found = read(
    'src/a.ts',
    `class Town {
  shop: Shop;
  private bank = new Bank();
  static readonly SIZE = 4;
  readonly limit = 5;
  plain = 6;
  made = Lamp.create();
  cast = thing as Road;
  go = (fast: boolean) => this.shop.open(fast);
  #secret = 1;
  private hide() {}
  #hidden() {}
  constructor(private readonly clock: Clock, readonly log: Log, other: Other) {
    this.clock.tick();
    this.log.say();
    this.other.no();
  }
  run() {
    this.shop.open();
    this.bank.open();
    this.made.light();
    this.cast.walk();
    super.run();
    this.unknown.call2();
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Town 1-26',
    'export field Town.shop 2',
    'export field Town.bank 3',
    'export field Town.SIZE 4',
    'export field Town.limit 5',
    'export field Town.plain 6',
    'export field Town.made 7',
    'export field Town.cast 8',
    'export method Town.go(fast: boolean) 9',
    'export field Town.#secret 10',
    'method Town.hide() 11',
    'method Town.#hidden() 12',
    'export method Town.constructor(clock: Clock, log: Log, other: Other) 13-17',
    'export method Town.run() 18-25',
    'type Shop 2 in Town',
    'call Bank 3 in Town',
    'call Lamp.create 7 in Town',
    'read Lamp 7 in Town',
    'read thing 8 in Town',
    'type Road 8 in Town',
    'call Shop.open 9 in Town.go',
    'read Town.shop 9 in Town.go',
    'type Clock 13 in Town.constructor',
    'type Log 13 in Town.constructor',
    'type Other 13 in Town.constructor',
    'call Clock.tick 14 in Town.constructor',
    'read Town.clock 14 in Town.constructor',
    'call Log.say 15 in Town.constructor',
    'read Town.log 15 in Town.constructor',
    'call ?.no 16 in Town.constructor',
    'read Town.other 16 in Town.constructor',
    'call Shop.open 19 in Town.run',
    'read Town.shop 19 in Town.run',
    'call Bank.open 20 in Town.run',
    'read Town.bank 20 in Town.run',
    'call Lamp.light 21 in Town.run',
    'read Town.made 21 in Town.run',
    'call Road.walk 22 in Town.run',
    'read Town.cast 22 in Town.run',
    'call Town.run 23 in Town.run',
    'call ?.call2 24 in Town.run',
    'read Town.unknown 24 in Town.run',
    'value Town.SIZE = 4 4',
    'value Town.limit = 5 5',
  ]);
});

it('knows the class of a variable by its type or value', () => {
  const found = read(
    'src/a.ts',
    `const store: Store = find();
function run(shop: Shop, any) {
  const made = new Bank();
  const lit = Lamp.open();
  const awaited = await Lamp.fromText('x');
  const walked = road() as Road;
  const sat = road() satisfies Road;
  const small = lamp.create();
  const other = Lamp.destroy();
  store.load();
  shop.open();
  any.thing();
  made.open();
  lit.light();
  awaited.light();
  walked.walk();
  sat.walk();
  small.light();
  other.light();
  (made).close();
  made!.close();
  new Bank().close();
  (await made).close();
  (x as Road).walk();
  kinds.Shop.sell();
  call().then2();
}
`,
  );
  expect(showCode(found)).toEqual([
    'constant store 1',
    'function run(shop: Shop, any) 2-27',
    'type Store 1',
    'call find 1',
    'type Shop 2 in run',
    'call Bank 3 in run',
    'call Lamp.open 4 in run',
    'read Lamp 4 in run',
    'call Lamp.fromText 5 in run',
    'read Lamp 5 in run',
    'call road 6 in run',
    'type Road 6 in run',
    'call road 7 in run',
    'type Road 7 in run',
    'call lamp.create 8 in run',
    'read lamp 8 in run',
    'call Lamp.destroy 9 in run',
    'read Lamp 9 in run',
    'call Store.load 10 in run',
    'read store 10 in run',
    'call Shop.open 11 in run',
    'call ?.thing 12 in run',
    'call Bank.open 13 in run',
    'call Lamp.light 14 in run',
    'call Lamp.light 15 in run',
    'call Road.walk 16 in run',
    'call Road.walk 17 in run',
    'call ?.light 18 in run',
    'call ?.light 19 in run',
    'call Bank.close 20 in run',
    'call Bank.close 21 in run',
    'call Bank.close 22 in run',
    'call Bank 22 in run',
    'call Bank.close 23 in run',
    'call Road.walk 24 in run',
    'read x 24 in run',
    'type Road 24 in run',
    'call Shop.sell 25 in run',
    'read kinds.Shop 25 in run',
    'read kinds 25 in run',
    'call ?.then2 26 in run',
    'call call 26 in run',
    'value store = find() 1',
  ]);
});

it('counts no local name as a use, and every other', () => {
  const found = read(
    'src/a.ts',
    `const top = 1;
function f(given, { inner, key: renamed = top }, ...rest) {
  const { own, from: alias } = given;
  let [first] = rest;
  for (const each of rest) use(each, top);
  for (let i = 0; i < top; i++) use(i);
  try { go(); } catch (error) { use(error); }
  return (x) => x + inner + renamed + own + alias + first + top;
}
f(top);
`,
  );
  expect(showCode(found)).toEqual([
    'constant top 1',
    'function f(given, { inner, key: renamed = top }, rest) 2-9',
    'read top 2 in f',
    'call use 5 in f',
    'read top 5 in f',
    'read top 6 in f',
    'call use 6 in f',
    'call go 7 in f',
    'call use 7 in f',
    'read top 8 in f',
    'call f 10',
    'read top 10',
    'value top = 1 1',
  ]);
});

it('reads the environment in every form, and not what is only set', () => {
  const found = read(
    'src/a.ts',
    `process.env.HOME_A;
process.env['HOME_B'];
process.env[NAME_C];
import.meta.env.HOME_D;
const env = process.env;
env.HOME_E;
const { HOME_F, HOME_G: local, HOME_K = 3 } = process.env;
const port = process.env.HOME_H ?? '80';
const host = process.env.HOME_I || 'x';
const both = process.env.HOME_J && 'x';
process.env.SET = '1';
delete process.env.GONE;
process.env['SET_TOO'] = '1';
process.env.KEPT ||= 'y';
process.env.toString();
other.env.NOT;
`,
  );
  expect(showCode(found)).toEqual([
    'constant env 5',
    'variable HOME_F 7',
    'variable local 7',
    'variable HOME_K 7',
    'constant port 8',
    'constant host 9',
    'constant both 10',
    'read ?.HOME_A 1',
    'read process.env 1',
    'read process 1',
    'read process.env 2',
    'read process 2',
    'read process.env 3',
    'read process 3',
    'read NAME_C 3',
    'read ?.HOME_D 4',
    'read ?.env 4',
    'read process.env 5',
    'read process 5',
    'read ProcessEnv.HOME_E 6',
    'read env 6',
    'read process.env 7',
    'read process 7',
    'read ?.HOME_H 8',
    'read process.env 8',
    'read process 8',
    'read ?.HOME_I 9',
    'read process.env 9',
    'read process 9',
    'read ?.HOME_J 10',
    'read process.env 10',
    'read process 10',
    'read ?.SET 11',
    'read process.env 11',
    'read process 11',
    'read ?.GONE 12',
    'read process.env 12',
    'read process 12',
    'read process.env 13',
    'read process 13',
    'read ?.KEPT 14',
    'read process.env 14',
    'read process 14',
    'call ?.toString 15',
    'read process.env 15',
    'read process 15',
    'read ?.NOT 16',
    'read other.env 16',
    'read other 16',
    'reads HOME_A 1',
    'reads HOME_B 2',
    'reads $NAME_C 3',
    'reads HOME_D 4',
    'reads HOME_E 6',
    'reads HOME_F 7',
    'reads HOME_G 7',
    'reads HOME_K 7',
    "reads HOME_H = '80' 8",
    "reads HOME_I = 'x' 9",
    'reads HOME_J 10',
    'reads KEPT 14',
    "value port = process.env.HOME_H ?? '80' 8",
    "value host = process.env.HOME_I || 'x' 9",
    "value both = process.env.HOME_J && 'x' 10",
  ]);
});

it('serves routes of routers', () => {
  const found = read(
    'src/a.ts',
    `app.get('/a', list);
router.post('/b', check, (req) => {});
app.use('/c', list);
app.get('d', list);
app.get('/one');
app().delete('/e', remove);
server.route({ method: 'PUT', url: '/f', handler });
server.route({ path: '/g' });
server.route(options);
other['x'].get('/h', list);
`,
  );
  expect(showCode(found)).toEqual([
    'call app.get 1',
    'read app 1',
    'read list 1',
    'call router.post 2',
    'read router 2',
    'read check 2',
    'call app.use 3',
    'read app 3',
    'read list 3',
    'call app.get 4',
    'read app 4',
    'read list 4',
    'call app.get 5',
    'read app 5',
    'call ?.delete 6',
    'call app 6',
    'read remove 6',
    'call server.route 7',
    'read server 7',
    'read handler 7',
    'call server.route 8',
    'read server 8',
    'call server.route 9',
    'read server 9',
    'read options 9',
    'call ?.get 10',
    'read other 10',
    'read list 10',
    'serves GET /a list 1',
    'serves POST /b 2',
    'serves DELETE /e remove 6',
    'serves PUT /f 7',
    'serves ANY /g 8',
  ]);
});

it('throws errors with what they say', () => {
  const found = read(
    'src/a.ts',
    `throw new RangeError('too big', { cause });
throw new Errors.Mine(\`no more\`);
throw problem('a', 'b');
throw error;
`,
  );
  expect(showCode(found)).toEqual([
    'call RangeError 1',
    'read cause 1',
    'call Errors.Mine 2',
    'read Errors 2',
    'call problem 3',
    'read error 4',
    'error throw RangeError (too big) 1',
    'error throw Errors.Mine (no more) 2',
    'error throw problem (a: b) 3',
  ]);
});

it('holds values that are written out', () => {
  const found = read(
    'src/a.ts',
    `const LIMIT = 4 * 1024, NAME = 'x', LIST = [1], MADE = new Set();
let changing = 5;
const same = other;
export const { one, two } = other;
export var old = true;
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'constant LIMIT 1',
    'constant NAME 1',
    'constant LIST 1',
    'constant MADE 1',
    'variable changing 2',
    'constant same 3',
    'export variable one 4',
    'export variable two 4',
    'export variable old 5',
    'call Set 1',
    'read other 3',
    'read other 4',
    'value LIMIT = 4 * 1024 1',
    "value NAME = 'x' 1",
    'value LIST = [1] 1',
    'value MADE = new Set() 1',
  ]);
});

it('says what components call', () => {
  const found = read(
    'src/a.tsx',
    `const page = () => <Title size="1"><Body /><div /></Title>;
`,
  );
  expect(showCode(found)).toEqual([
    'function page() 1',
    'call Title 1 in page',
    'call Body 1 in page',
    'read div 1 in page',
    'read Title 1 in page',
  ]);
});

it('calls through what stands before a dot', () => {
  const found = read(
    'src/a.ts',
    `light.call(null, 1);
lamp.dim.apply(lamp, []);
lamp.bind(1);
new kinds.Shop();
new (find())();
a.b.c();
`,
  );
  expect(showCode(found)).toEqual([
    'call light 1',
    'call lamp.dim 2',
    'read lamp 2',
    'call lamp.bind 3',
    'read lamp 3',
    'call kinds.Shop 4',
    'read kinds 4',
    'call find 5',
    'call ?.c 6',
    'read a.b 6',
    'read a 6',
  ]);
});

it('defines what is assigned to exports, prototypes, objects of the file and `this`', () => {
  const found = read(
    'lib/a.js',
    `exports.open = function open(a) {};
module.exports.close = (b) => 1;
exports.size = 3;
exports.same = same;
module.exports.Lamp = class {};
/** Lights. */
Lamp.prototype.light = function () { this.burn = function () {}; this.size = 3; };
app.use = function* () {};
a.b.c = function () {};
this.no = function () {};
app.size = 3;
const set = app.go = function () {};
function inside() { app.nothing = function () {}; exports.late = 1; }
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export function open(a) 1',
    'export function close(b) 2',
    'export variable size 3',
    'export variable Lamp 5',
    'export method Lamp.light() 7: Lights.',
    'export method light.burn() 7',
    'export method app.use() 8',
    'constant set 12',
    'export method app.go() 12',
    'function inside() 13',
    'export variable inside.late 13',
    'read exports 1 in open',
    'read open 1 in open',
    'read module.exports 2 in close',
    'read module 2 in close',
    'read exports 3 in size',
    'read exports.same 4',
    'read exports 4',
    'read same 4',
    'read module.exports 5 in Lamp',
    'read module 5 in Lamp',
    'read Lamp.prototype 7 in Lamp.light',
    'read Lamp 7 in Lamp.light',
    'read ?.size 7 in Lamp.light',
    'read app 8 in app.use',
    'read ?.c 9',
    'read a.b 9',
    'read a 9',
    'read ?.no 10',
    'read app.size 11',
    'read app 11',
    'read app 12 in app.go',
    'read app.nothing 13 in inside',
    'read app 13 in inside',
    'read exports 13 in inside.late',
  ]);
});

it('exports by default what is the whole export', () => {
  const found = read(
    'lib/a.js',
    `function make() {}
module.exports = make;
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'default function make() 1',
    'read module.exports 2',
    'read module 2',
    'read make 2',
  ]);
});

it('exports by default a function that is the whole export, without a name of the file', () => {
  const found = read(
    'lib/a.js',
    `exports.default = function make(size) { go(size); };
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'default function make(size) 1',
    'read exports.default 1 in make',
    'read exports 1 in make',
    'call go 1 in make',
  ]);
});

it('is no module that exports an object as a whole, but for its keys', () => {
  const found = read(
    'lib/a.js',
    `module.exports = { open: 1, 'close': 2, light() {}, dim: function (a) { b(); }, go: (c) => c, [x]: 3 };
const keys = { one: 1, two: { three: 3 } };
export const others = { four: 4 };
let list = [{ five: 5 }];
call({ six: 6, run: () => 1 });
function f() { const inner = { seven: 7, act: () => 1 }; }
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export field open 1',
    'export function light() 1',
    'method dim(a) 1',
    'method go(c) 1',
    'constant keys 2',
    'export field one 2',
    'export field two 2',
    'export constant others 3',
    'export field four 3',
    'variable list 4',
    'method run() 5',
    'function f() 6',
    'read module.exports 1',
    'read module 1',
    'call b 1 in dim',
    'read x 1',
    'call call 5',
    'value keys = { one: 1, two: { three: 3 } } 2',
    'value others = { four: 4 } 3',
  ]);
});

it('makes names of types and of type parameters no uses of a value', () => {
  const found = read(
    'src/a.ts',
    `function f<T extends Base>(a: T, run: (given: string) => T, make: new (size: number) => T): Map<string, T> {
  return given;
}
interface Call { (one: string): void; new (two: string): Call }
`,
  );
  expect(showCode(found)).toEqual([
    'function f(a: T, run: (given: string) => T, make: new (size: number) => T) 1-3',
    'interface Call 4',
    'type Base 1 in f',
    'type T 1 in f',
    'type Map 1 in f',
    'read given 2 in f',
    'type Call 4 in Call',
  ]);
});

it('is a module with an export alone', () => {
  const found = read(
    'src/a.ts',
    `export {};
`,
  );
  expect(showCode(found)).toEqual(['a module']);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'src/a.ts',
    `const a1 = function (one) { return one; };
const a2 = function* (two) { yield two; };
class A { m(three) { return three; } }
abstract class B { abstract x(four): typeof four; }
declare function sig(five): typeof five;
interface C { m(six): typeof six; (seven): typeof seven; new (eight): typeof eight }
type F = (nine) => typeof nine;
type G = new (ten) => typeof ten;
{ let eleven = 1; use(eleven); }
try { } catch (twelve) { use(twelve); }
for (let thirteen = 0; thirteen < 1;) { }
for (const fourteen of list) use(fourteen);
const a3 = (fifteen) => fifteen;
function* gen(sixteen) { yield sixteen; }
function fun(seventeen) { return seventeen; }
use(one, two, three, four, five, six, seven, eight, nine, ten);
use(eleven, twelve, thirteen, fourteen, fifteen, sixteen, seventeen);
`,
  );
  expect(showCode(found)).toEqual([
    'function a1(one) 1',
    'function a2(two) 2',
    'class A 3',
    'export method A.m(three) 3',
    'class B 4',
    'export method B.x(four) 4',
    'function sig(five) 5',
    'interface C 6',
    'export method C.m(six) 6',
    'type F 7',
    'type G 8',
    'function a3(fifteen) 13',
    'function gen(sixteen) 14',
    'function fun(seventeen) 15',
    'call use 9',
    'call use 10',
    'read list 12',
    'call use 12',
    'call use 16',
    'read one 16',
    'read two 16',
    'read three 16',
    'read four 16',
    'read five 16',
    'read six 16',
    'read seven 16',
    'read eight 16',
    'read nine 16',
    'read ten 16',
    'call use 17',
    'read eleven 17',
    'read twelve 17',
    'read thirteen 17',
    'read fourteen 17',
    'read fifteen 17',
    'read sixteen 17',
    'read seventeen 17',
  ]);
});

it('has the comment before the statement that declares it', () => {
  const found = read(
    'src/a.ts',
    `/** One. */
const one = 1;
/** Two. */
export const two = 2;
/** Three. */
const three = () => 3;
/** Four. */
export const four = () => 4;
/** Five. */
export function five() {}
/** Six. */
export default class Six {
  /** Seven. */
  seven = 1;
  /** Eight. */
  eight() {}
  /** Nine. */
  nine = () => 9;
}
/** Ten. */
exports.ten = function () {};
const eleven = {
  /** Twelve. */
  twelve: 1,
};
export interface Thirteen {
  /** Fourteen. */
  fourteen(): void;
}
let fifteen = 1,
  /** Sixteen. */
  sixteen = () => 16;
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'constant one 2: One.',
    'export constant two 4: Two.',
    'function three() 6: Three.',
    'export function four() 8: Four.',
    'export function five() 10: Five.',
    'default class Six 12-19: Six.',
    'export field Six.seven 14: Seven.',
    'export method Six.eight() 16: Eight.',
    'export method Six.nine() 18: Nine.',
    'export function ten() 21: Ten.',
    'constant eleven 22-25',
    'export field twelve 24: Twelve.',
    'export interface Thirteen 26-29',
    'export method Thirteen.fourteen() 28: Fourteen.',
    'variable fifteen 30',
    'function sixteen() 30-32',
    'read exports 21 in ten',
    'value one = 1 2',
    'value two = 2 4',
    'value eleven = { /** Twelve. */ twelve: 1, } 22',
  ]);
});

it('takes an object of more than two hundred keys at the top for data', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: ${at}`).join(',\n');
  const names = (text: string) => read('a.ts', text).symbols.map(({ name }) => name);
  expect(names(`const all = { ${keys(200)} };`)).toHaveLength(201);
  expect(names(`const all = { ${keys(201)} };`)).toEqual(['all']);
});

it('takes a default in a pattern for a use, and a function in a function for a definition', () => {
  const found = read('a.ts', 'const { a = b } = c;\nfunction f() {\n  const g = () => 1;\n  g();\n}\n');
  expect(showCode(found)).toEqual([
    'variable a 1',
    'function f() 2-5',
    'function f.g() 3',
    'read b 1',
    'read c 1',
    'call g 4 in f',
  ]);
});
