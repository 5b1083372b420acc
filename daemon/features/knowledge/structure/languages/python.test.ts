import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares classes, functions, methods and values, public where no underscore is before the name', () => {
  const found = read(
    'town/a.py',
    `"""The town."""
LIMIT = 5
_HIDDEN = 'x'
size: int = 3
__all__ = ['Shop']
first, second = 1, 2
class Shop(Base, kinds.Other, Generic[T], metaclass=Meta):
    """Sells. Well."""
    colour = 'red'
    count: int
    def sell(self, item, count: int = 2, *rest, **more):
        """Sells one."""
        def inner(x):
            return x
        return inner(item)
    @staticmethod
    def _hide(a): pass
class _Private: pass
def _hide(): pass
@cache
def load(path="x", /, *, fast=True): return open(path)
`,
  );
  expect(showCode(found)).toEqual([
    'export constant LIMIT 2',
    'constant _HIDDEN 3',
    'export variable size 4',
    'variable __all__ 5',
    'export variable first 6',
    'export variable second 6',
    'export class Shop 7-17: Sells.',
    'export field Shop.colour 9',
    'export field Shop.count 10',
    'export method Shop.sell(self, item, count: int = 2, rest, more) 11-15: Sells one.',
    'export function Shop.sell.inner(x) 13-14',
    'method Shop._hide(a) 16-17',
    'class _Private 18',
    'function _hide() 19',
    'export function load(path = "x", fast = True) 20-21',
    'read int 4',
    'extend Base 7 in Shop',
    'read kinds 7 in Shop',
    'extend Other 7 in Shop',
    'extend Generic 7 in Shop',
    'read T 7 in Shop',
    'read Meta 7 in Shop',
    'read int 10 in Shop',
    'read int 11 in Shop.sell',
    'call inner 15 in Shop.sell',
    'read staticmethod 16 in Shop',
    'read cache 20',
    'call open 21 in load',
    'value LIMIT = 5 2',
    "value _HIDDEN = 'x' 3",
    'value size = 3 4',
    "value __all__ = ['Shop'] 5",
    "value Shop.colour = 'red' 9",
  ]);
});

it('knows what an object is by how it was made, by its type and by its class', () => {
  const found = read(
    'town/a.py',
    `from .shops import Shop as Kiosk
top = Kiosk()
store: Store = find()
class Town:
    bank = Bank()
    def __init__(self, shop: Shop, other, lamp: "Optional[Lamp]" = None):
        self.shop = shop
        self.other = other
        self.lamp = Lamp()
        self.road: Road = other
        self.named = Named.create(1)
    @classmethod
    def make(cls):
        cls.run()
        made = kinds.Made(1)
        built = Built.of(2)
        unknown = build()
        self.a, self.b = 1, 2
        made.go()
        built.go()
        unknown.go()
        Shop(1).open()
        super().run()
        top.open()
        store.load()
    def run(self):
        self.shop.open()
        self.other.open()
        self.lamp.light()
        self.road.walk()
        self.named.go()
        self.bank.open()
        self.stop()
        town.roads.walk()
        town.Roads.walk()
        find().walk()
        [1][0].walk()
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export variable top 2',
    'export variable store 3',
    'export class Town 4-37',
    'export field Town.bank 5',
    'method Town.__init__(self, shop: Shop, other, lamp: "Optional[Lamp]" = None) 6-11',
    'export method Town.make(cls) 12-25',
    'export method Town.run(self) 26-37',
    'import .shops (Shop as Kiosk) 1',
    'call Shop 2',
    'read Store 3',
    'call find 3',
    'call Bank 5 in Town',
    'read Shop 6 in Town.__init__',
    'read Town.shop 7 in Town.__init__',
    'read Town.other 8 in Town.__init__',
    'read Town.lamp 9 in Town.__init__',
    'call Lamp 9 in Town.__init__',
    'read Town.road 10 in Town.__init__',
    'read Road 10 in Town.__init__',
    'read Town.named 11 in Town.__init__',
    'call Named.create 11 in Town.__init__',
    'read Named 11 in Town.__init__',
    'read classmethod 12 in Town',
    'call Town.run 14 in Town.make',
    'call kinds.Made 15 in Town.make',
    'read kinds 15 in Town.make',
    'call Built.of 16 in Town.make',
    'read Built 16 in Town.make',
    'call build 17 in Town.make',
    'call Made.go 19 in Town.make',
    'call Built.go 20 in Town.make',
    'call ?.go 21 in Town.make',
    'call Shop.open 22 in Town.make',
    'call Shop 22 in Town.make',
    'call Town.run 23 in Town.make',
    'call super 23 in Town.make',
    'call Shop.open 24 in Town.make',
    'read top 24 in Town.make',
    'call Store.load 25 in Town.make',
    'read store 25 in Town.make',
    'call Shop.open 27 in Town.run',
    'read Town.shop 27 in Town.run',
    'call ?.open 28 in Town.run',
    'read Town.other 28 in Town.run',
    'call Lamp.light 29 in Town.run',
    'read Town.lamp 29 in Town.run',
    'call Road.walk 30 in Town.run',
    'read Town.road 30 in Town.run',
    'call Named.go 31 in Town.run',
    'read Town.named 31 in Town.run',
    'call Bank.open 32 in Town.run',
    'read Town.bank 32 in Town.run',
    'call Town.stop 33 in Town.run',
    'call roads.walk 34 in Town.run',
    'read town.roads 34 in Town.run',
    'read town 34 in Town.run',
    'call Roads.walk 35 in Town.run',
    'read town.Roads 35 in Town.run',
    'read town 35 in Town.run',
    'call ?.walk 36 in Town.run',
    'call find 36 in Town.run',
    'call ?.walk 37 in Town.run',
    'value top = Kiosk() 2',
    'value store = find() 3',
    'value Town.bank = Bank() 5',
  ]);
});

it('counts no local name as a use, and every other', () => {
  const found = read(
    'town/a.py',
    `top = 1
def f(given, (a, b) = top, *rest):
    own = given
    own2, (own3, own4) = rest
    for each, (key, value) in top:
        use(each, key, value)
    with open(x) as handle:
        use(handle)
    try:
        go()
    except Error as error:
        use(error)
    both = [one for one in top if one]
    table = {k: v for k, v in top}
    some = {s for s in top}
    lazy = (g for g in top)
    return lambda x, y=top: x + y + own + own2 + own3 + own4 + one
for outer in top:
    outer
f(named=top)
`,
  );
  expect(showCode(found)).toEqual([
    'export variable top 1',
    'export function f(given, (a, b) = top, rest) 2-17',
    'read top 2 in f',
    'read top 5 in f',
    'call use 6 in f',
    'call open 7 in f',
    'read x 7 in f',
    'call use 8 in f',
    'call go 10 in f',
    'read Error 11 in f',
    'call use 12 in f',
    'read top 13 in f',
    'read top 14 in f',
    'read top 15 in f',
    'read top 16 in f',
    'read one 17 in f',
    'read top 18',
    'read outer 19',
    'call f 20',
    'read top 20',
    'value top = 1 1',
  ]);
});

it('imports modules, their names and everything', () => {
  const found = read(
    'town/a.py',
    `import os
import os.path as p, sys
from . import const
from ..shops import Shop, open as open_shop
from town.lamps import *
from x import (a, b as c)
p.join(sys.x, c, open_shop)
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'import os (* as os) 1',
    'import os.path (* as p) 2',
    'import sys (* as sys) 2',
    'import . (const) 3',
    'import ..shops (Shop, open as open_shop) 4',
    'import town.lamps (*) 5',
    'import x (a, b as c) 6',
    'call p.join 7',
    'read p 7',
    'read sys.x 7',
    'read sys 7',
    'read b 7',
    'read open 7',
  ]);
});

it('reads the environment in every form, and not what is only set', () => {
  const found = read(
    'town/a.py',
    `import os
from os import environ, getenv
os.environ['HOME_A']
os.environ.get('HOME_B', 'x')
environ.pop("HOME_C")
os.environ.setdefault('HOME_D', 'y')
getenv('HOME_E')
os.getenv(NAME_F)
'HOME_G' in os.environ
os.environ['SET'] = '1'
del os.environ['GONE']
other.environ['NOT']
env = os.environ
env.get('HOME_H')
env['HOME_I']
def read(env2=os.environ, plain=None):
    return env2.get('HOME_J'), plain.get('NO')
def serve(environ):
    return environ['NO'], environ.get('NO')
'NO' in other
getenvs('NO')
env.keys('NO')
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export variable env 13',
    'export function read(env2 = os.environ, plain = None) 16-17',
    'export function serve(environ) 18-19',
    'import os (* as os) 1',
    'import os (environ, getenv) 2',
    'read os.environ 3',
    'read os 3',
    'call environ.get 4',
    'read os.environ 4',
    'read os 4',
    'call environ.pop 5',
    'read environ 5',
    'call environ.setdefault 6',
    'read os.environ 6',
    'read os 6',
    'call getenv 7',
    'call os.getenv 8',
    'read os 8',
    'read NAME_F 8',
    'read os.environ 9',
    'read os 9',
    'read os.environ 10',
    'read os 10',
    'read os.environ 11',
    'read os 11',
    'read other.environ 12',
    'read other 12',
    'read os.environ 13',
    'read os 13',
    'call env.get 14',
    'read env 14',
    'read env 15',
    'read os.environ 16 in read',
    'read os 16 in read',
    'call ?.get 17 in read',
    'call ?.get 19 in serve',
    'read other 20',
    'call getenvs 21',
    'call env.keys 22',
    'read env 22',
    'reads HOME_A 3',
    "reads HOME_B = 'x' 4",
    'reads HOME_C 5',
    "reads HOME_D = 'y' 6",
    'reads HOME_E 7',
    'reads $NAME_F 8',
    'reads HOME_G 9',
    'reads HOME_H 14',
    'reads HOME_I 15',
    'reads HOME_J 17',
    'reads @get:NO 19',
    'reads @getenvs:NO 21',
    'reads @keys:NO 22',
    'value env = os.environ 13',
  ]);
});

it('serves routes of decorators', () => {
  const found = read(
    'town/a.py',
    `@app.route('/a')
def a(): pass
@app.post("/b")
def b(): pass
@router.api_route(path='/c', methods=['GET', other])
def c(): pass
@app.route(rule='/d', methods=[])
def d(): pass
@app.get('')
def e(): pass
@app.get('no')
def f(): pass
@app.task('/no')
def g(): pass
@get('/no')
def h(): pass
@app.get
def i(): pass
@app.get(other, path='/i')
@app.put('/j')
def j(): pass
`,
  );
  expect(showCode(found)).toEqual([
    'export function a() 1-2',
    'export function b() 3-4',
    'export function c() 5-6',
    'export function d() 7-8',
    'export function e() 9-10',
    'export function f() 11-12',
    'export function g() 13-14',
    'export function h() 15-16',
    'export function i() 17-18',
    'export function j() 19-21',
    'call app.route 1',
    'read app 1',
    'call app.post 3',
    'read app 3',
    'call router.api_route 5',
    'read router 5',
    'read other 5',
    'call app.route 7',
    'read app 7',
    'call app.get 9',
    'read app 9',
    'call app.get 11',
    'read app 11',
    'call app.task 13',
    'read app 13',
    'call get 15',
    'read app.get 17',
    'read app 17',
    'call app.get 19',
    'read app 19',
    'read other 19',
    'call app.put 20',
    'read app 20',
    'serves GET /a a 1',
    'serves POST /b b 3',
    'serves GET /c c 5',
    'serves GET /d d 7',
    'serves GET e 9',
    'serves GET /i j 19',
    'serves PUT /j j 20',
  ]);
});

it('raises errors with what they say', () => {
  const found = read(
    'town/a.py',
    `def f():
    raise ValueError("bad", name, f"no {name}")
    raise errors.Gone('x')
    raise Plain
    raise
    raise make()('x')
`,
  );
  expect(showCode(found)).toEqual([
    'export function f() 1-6',
    'call ValueError 2 in f',
    'read name 2 in f',
    'call errors.Gone 3 in f',
    'read errors 3 in f',
    'read Plain 4 in f',
    'call make 6 in f',
    'error raise ValueError (bad: f"no {name}") 2',
    'error raise Gone (x) 3',
    'error raise Plain () 4',
  ]);
});

it('begins where it is run as a program', () => {
  const found = read(
    'town/a.py',
    `if __name__ == '__main__':
    main()
if __name__ == "__main__" and x:
    main()
if other == '__main__':
    main()
`,
  );
  expect(showCode(found)).toEqual([
    'read __name__ 1',
    'call main 2',
    'read __name__ 3',
    'read x 3',
    'call main 4',
    'read other 5',
    'call main 6',
    'entry script __main__ 1',
  ]);
});

it('keeps the strings of lists and the keys of tables that may name variables', () => {
  const found = read(
    'town/a.py',
    `NAMES = ['TOWN_A', "TOWN_B", 'town', 3]
TABLE = {'TOWN_C': 1, other: 2}
names = ['TOWN_D']
for name in NAMES:
    os.environ[name]
`,
  );
  expect(showCode(found)).toEqual([
    'export constant NAMES 1',
    'export constant TABLE 2',
    'export variable names 3',
    'read other 2',
    'read NAMES 4',
    'read os.environ 5',
    'read os 5',
    'read name 5',
    'reads *NAMES 5',
    "value NAMES = ['TOWN_A', \"TOWN_B\", 'town', 3] 1",
    'value NAMES[] = "TOWN_A" 1',
    'value NAMES[] = "TOWN_B" 1',
    "value TABLE = {'TOWN_C': 1, other: 2} 2",
    'value TABLE[] = "TOWN_C" 2',
    "value names = ['TOWN_D'] 3",
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'a.py',
    `def f(one): return one
g = lambda two: two
a = [three for three in x]
b = (four for four in x)
c = {five: 1 for five in x}
d = {six for six in x}
use(one, two, three, four, five, six)
`,
  );
  expect(showCode(found)).toEqual([
    'export function f(one) 1',
    'export variable g 2',
    'export variable a 3',
    'export variable b 4',
    'export variable c 5',
    'export variable d 6',
    'read x 3',
    'read x 4',
    'read x 5',
    'read x 6',
    'call use 7',
    'read one 7',
    'read two 7',
    'read three 7',
    'read four 7',
    'read five 7',
    'read six 7',
    'value g = lambda two: two 2',
    'value a = [three for three in x] 3',
    'value b = (four for four in x) 4',
    'value c = {five: 1 for five in x} 5',
    'value d = {six for six in x} 6',
  ]);
});

it('has the comment before it, or the string in it', () => {
  const found = read(
    'a.py',
    `# One.
ONE = 1
# Two.
@cache
def two(): pass
@cache
# No.
class Three:
    """Three."""
    # Four.
    four = 4
    # Five.
    def five(self):
        x = 1
class Six:
    # Seven.
    seven = 7
class Eight: # Not this.
    nine = 9
`,
  );
  expect(showCode(found)).toEqual([
    'export constant ONE 2: One.',
    'export function two() 4-5: Two.',
    'export class Three 6-14: Three.',
    'export field Three.four 11: Four.',
    'export method Three.five(self) 13-14: Five.',
    'export class Six 15-17',
    'export field Six.seven 17: Seven.',
    'export class Eight 18-19',
    'export field Eight.nine 19',
    'read cache 4',
    'read cache 6',
    'value ONE = 1 2',
    'value Three.four = 4 11',
    'value Six.seven = 7 17',
    'value Eight.nine = 9 19',
  ]);
});

it('does not know the types of what is taken apart, nor of `self` outside of a class', () => {
  const found = read('a.py', 'def f():\n    a, b = Lamp()\n    a.light()\nself.shop.open()\n');
  expect(showCode(found).filter((line) => line.startsWith('call'))).toEqual([
    'call Lamp 2 in f',
    'call ?.light 3 in f',
    'call ?.open 4',
  ]);
});
