import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares types, functions and values, exported where they are not static', () => {
  const found = read(
    'src/a.cpp',
    `#include <vector>
#include "town/b.h"
#define LIMIT 5
#define TWICE(x) ((x) * 2)
#define EMPTY
namespace town::inner {
/* Sells. Well. */
class Shop : public Base, private kinds::Other, Open<Item> {
 public:
  Shop(int size);
  ~Shop();
  int sell(int count = 2) const;
  static int made();
  Store *store = nullptr;
  static const int most = 4;
  int size, depth;
  void (*callback)(int);
  int operator+(int other);
  void here() { this->store->save(); }
};
}
int town::Shop::sell(int count) const { return store->load(); }
template <typename T> T pick(T one) { return one; }
template <class T> struct Crate { T held; };
static int help(const char *name) { return 1; }
union both { int a; };
enum class colour { RED = 1, BLUE };
typedef struct item { int size; } item_t;
typedef struct { int one; } plain_t;
typedef int (*made_t)(int);
typedef unsigned long size_type;
using Name = std::string;
struct known;
struct known *first;
extern int shared;
extern int given_value = 3;
static int hidden = 1;
const int FIXED = 2;
constexpr int SURE = 3;
int changing = 4, other;
int later(int a, char *b);
static int later_hidden(void);
int *pointer(void) { return 0; }
int &reference() { return other; }
int town::count = 5;
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export macro LIMIT 3',
    'export macro TWICE(x) 4',
    'export macro EMPTY 5',
    'declare module inner 6-21',
    'export class inner.Shop 8-20: Sells.',
    'export declare method inner.Shop.Shop(size: int) 10',
    'export declare method inner.Shop.~Shop() 11',
    'export declare method inner.Shop.sell(count: int = 2) 12',
    'declare method inner.Shop.made() 13',
    'export field inner.Shop.store 14',
    'field inner.Shop.most 15',
    'export field inner.Shop.size 16',
    'export field inner.Shop.depth 16',
    'export field inner.Shop.callback 17',
    'export declare method inner.Shop.operator+(other: int) 18',
    'export method inner.Shop.here() 19',
    'export method town.Shop.sell(count: int) 22',
    'export function pick(one: T) 23',
    'export struct Crate 24',
    'function help(name: char) 25',
    'export struct both 26',
    'export field both.a 26',
    'export enum colour 27',
    'export constant colour.RED 27',
    'export constant colour.BLUE 27',
    'export type item_t 28',
    'export struct item 28',
    'export field item.size 28',
    'export struct plain_t 29',
    'export field plain_t.one 29',
    'export type made_t 30',
    'export type size_type 31',
    'export type Name 32',
    'export variable first 34',
    'export declare variable shared 35',
    'export variable given_value 36',
    'variable hidden 37',
    'export constant FIXED 38',
    'export constant SURE 39',
    'export variable changing 40',
    'export variable other 40',
    'export declare function later(a: int, b: char) 41',
    'declare function later_hidden() 42',
    'export function pointer() 43',
    'export function reference() 44',
    'export variable count 45',
    'import vector (*) 1',
    'import town/b.h (*) 2',
    'extend Base 8 in inner.Shop',
    'extend Other 8 in inner.Shop',
    'extend Open 8 in inner.Shop',
    'type Item 8 in inner.Shop',
    'type Store 14 in inner.Shop',
    'call Store.save 19 in inner.Shop.here',
    'call store.load 22 in town.Shop.sell',
    'read store 22 in town.Shop.sell',
    'type T 23 in pick',
    'type T 24 in Crate',
    'type string 32',
    'type known 34',
    'read other 44 in reference',
    'value LIMIT = 5 3',
    'value inner.Shop.most = 4 15',
    'value colour.RED = 1 27',
    'value hidden = 1 37',
    'value FIXED = 2 38',
    'value SURE = 3 39',
  ]);
});

it('begins in the main function', () => {
  const found = read(
    'src/a.c',
    `int main(int argc, char **argv) { return 0; }
`,
  );
  expect(showCode(found)).toEqual(['export function main(argc: int, argv: char) 1', 'entry main function main 1']);
});

it('begins nowhere in what is compiled only when it is asked for', () => {
  const found = read(
    'src/a.c',
    `#if 0
int main(void) { return 0; }
#endif
#ifdef DEMO
#ifdef UNIX
int main(void) { return 0; }
#endif
#endif
#if defined(LAMP_BENCH)
int main(void) { return 0; }
#endif
`,
  );
  expect(showCode(found)).toEqual([
    'export function main() 2',
    'export function main() 6',
    'export function main() 10',
    'read DEMO 4',
    'read UNIX 5',
    'read LAMP_BENCH 9',
  ]);
});

it('begins nowhere in a function of a class or namespace', () => {
  const found = read(
    'src/a.cpp',
    `class Shop { int main() { return 0; } };
int Shop::main() { return 0; }
`,
  );
  expect(showCode(found)).toEqual([
    'export class Shop 1',
    'export method Shop.main() 1',
    'export method Shop.main() 2',
  ]);
});

it('begins in what is compiled for a system or a number that is not nothing', () => {
  const found = read(
    'src/a.c',
    `#if 10
int main(void) { return 0; }
#endif
`,
  );
  expect(showCode(found)).toEqual(['export function main() 2', 'entry main function main 2']);
});

it('knows what a value is by its type', () => {
  const found = read(
    'src/a.cpp',
    `Store top;
void run(Bank *bank, const Lamp &lamp, int) {
  Road road(1);
  Road other(bank);
  other.walk();
  auto made = new kinds::Town();
  Wall *wall = find(), *second;
  for (Gate &gate : gates) gate.close();
  for (int i = 0; i < limit; i++) use(i);
  top.load();
  bank->pay();
  lamp.light();
  road.walk();
  wall->climb();
  (*second).climb();
  (road).walk();
  unknown.go();
  kinds::Shop::sell();
  Crate<int>::make();
  std::vector<int>::of();
  pick<int>(1);
  road.turn<int>(2);
  std::sort<int>(3);
  new Crate<int>();
  new Plain();
  bank->store->load();
  find()->no();
  auto f = [&](int inner) { return inner + bank; };
  try { go(); } catch (const Trouble &trouble) { trouble.what(); }
}
struct Bank { Store *store; int (*ask)(int); void in() { store->load(); this->store->save(); ask(1); } };
`,
  );
  expect(showCode(found)).toEqual([
    'export variable top 1',
    'export function run(bank: Bank, lamp: Lamp) 2-30',
    'export struct Bank 31',
    'export field Bank.store 31',
    'export field Bank.ask 31',
    'export method Bank.in() 31',
    'type Store 1',
    'type Bank 2 in run',
    'type Lamp 2 in run',
    'type Road 3 in run',
    'type Road 4 in run',
    'type bank 4 in run',
    'call Road.walk 5 in run',
    'call Town 6 in run',
    'type Wall 7 in run',
    'call find 7 in run',
    'type Gate 8 in run',
    'read gates 8 in run',
    'call Gate.close 8 in run',
    'read limit 9 in run',
    'call use 9 in run',
    'call Store.load 10 in run',
    'read top 10 in run',
    'call Bank.pay 11 in run',
    'call Lamp.light 12 in run',
    'call Road.walk 13 in run',
    'call Wall.climb 14 in run',
    'call Wall.climb 15 in run',
    'call Road.walk 16 in run',
    'call unknown.go 17 in run',
    'read unknown 17 in run',
    'call Shop.sell 18 in run',
    'call Crate.make 19 in run',
    'type Crate 19 in run',
    'call vector.of 20 in run',
    'type vector 20 in run',
    'call pick 21 in run',
    'call Road.turn 22 in run',
    'call std.sort 23 in run',
    'call Crate 24 in run',
    'call Plain 25 in run',
    'call Store.load 26 in run',
    'call ?.no 27 in run',
    'call find 27 in run',
    'call go 29 in run',
    'type Trouble 29 in run',
    'call Trouble.what 29 in run',
    'type Store 31 in Bank',
    'call store.load 31 in Bank.in',
    'read store 31 in Bank.in',
    'call Store.save 31 in Bank.in',
    'call ask 31 in Bank.in',
  ]);
});

it('reads the environment by its functions', () => {
  const found = read(
    'src/a.cpp',
    `void f() {
  getenv("HOME_A");
  std::getenv("HOME_B");
  secure_getenv(NAME_C);
  my_getenv2("NO");
  setenv("NO", "x", 1);
}
`,
  );
  expect(showCode(found)).toEqual([
    'export function f() 1-7',
    'call getenv 2 in f',
    'call std.getenv 3 in f',
    'call secure_getenv 4 in f',
    'read NAME_C 4 in f',
    'call my_getenv2 5 in f',
    'call setenv 6 in f',
    'reads HOME_A 2',
    'reads HOME_B 3',
    'reads $NAME_C 4',
    'reads @my_getenv2:NO 5',
    'reads @setenv:NO 6',
  ]);
});

it('throws and returns errors with what they say', () => {
  const found = read(
    'src/a.cpp',
    `int f() {
  throw std::runtime_error("gone");
  throw SaleError{"bad"};
  throw Plain();
  throw 1;
  throw;
  return -ENOMEM;
  return ERR_GONE;
  return LAMP_ERROR_BAD;
  return EX;
  return OK;
  return -ENOMEM + 1;
}
`,
  );
  expect(showCode(found)).toEqual([
    'export function f() 1-13',
    'call std.runtime_error 2 in f',
    'type SaleError 3 in f',
    'call Plain 4 in f',
    'read ENOMEM 7 in f',
    'read ERR_GONE 8 in f',
    'read LAMP_ERROR_BAD 9 in f',
    'read EX 10 in f',
    'read OK 11 in f',
    'read ENOMEM 12 in f',
    'error throw runtime_error (gone) 2',
    'error throw SaleError (bad) 3',
    'error throw Plain () 4',
    'error return ENOMEM () 7',
    'error return ERR_GONE () 8',
    'error return LAMP_ERROR_BAD () 9',
  ]);
});

it('finds calls in the bodies of macros, but no words of the language and no parameters', () => {
  const found = read(
    'src/a.c',
    `#define BOTH(f, x) do { \\
  f(1); puts("beam(2)"); \\
  if (x) a.dim(2); ->other(3); beam (4); \\
} while (0)
#define PLAIN go(1) // no(2)
#define DEEP go(" \\" no(1)")
`,
  );
  expect(showCode(found)).toEqual([
    'export macro BOTH(f, x) 1-4',
    'export macro PLAIN 5',
    'export macro DEEP 6',
    'call puts 2',
    'call beam 3',
    'call go 5',
    'call go 6',
    'value PLAIN = go(1) // no(2) 5',
    'value DEEP = go(" \\" no(1)") 6',
  ]);
});

it('takes what a test of the file alone compiles for no program, at any depth', () => {
  const found = read(
    'src/a.c',
    `#ifdef LAMP_TEST
#if UNIX
int main(void) { return 0; }
#endif
#endif
`,
  );
  expect(showCode(found)).toEqual(['export function main() 3', 'read LAMP_TEST 1', 'read UNIX 2']);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'a.cpp',
    `int f(int one) { return one; }
void g() {
  { int two = 1; use(two); }
  auto c = [](int three) { return three; };
  for (int four = 0; four < 1; four++) use(four);
  for (int five : list) use(five);
  try { } catch (E &six) { use(six); }
  use(one, two, three, four, five, six);
}
#define SEVEN(seven) use(seven)
template <int eight> int t() { return 1; }
int x = seven + eight;
`,
  );
  expect(showCode(found)).toEqual([
    'export function f(one: int) 1',
    'export function g() 2-9',
    'export macro SEVEN(seven) 10',
    'export function t() 11',
    'export variable x 12',
    'call use 3 in g',
    'call use 5 in g',
    'read list 6 in g',
    'call use 6 in g',
    'type E 7 in g',
    'call use 7 in g',
    'call use 8 in g',
    'read one 8 in g',
    'read two 8 in g',
    'read three 8 in g',
    'read four 8 in g',
    'read five 8 in g',
    'read six 8 in g',
    'call use 10',
    'read eight 11',
    'read seven 12',
    'read eight 12',
  ]);
});

it('has the comment before its template or type definition', () => {
  const found = read(
    'a.cpp',
    `// One.
template <typename T> T one(T a) { return a; }
// Two.
template <typename T> struct Two { T a; };
// Three.
typedef struct { int a; } three_t;
// Four.
typedef struct four { int a; } four_t;
// Five.
#define FIVE 5
// Six.
int six(int a);
// Seven.
int seven = 7;
enum eight {
  // Nine.
  NINE
};
`,
  );
  expect(showCode(found)).toEqual([
    'export function one(a: T) 2: One.',
    'export struct Two 4: Two.',
    'export struct three_t 6: Three.',
    'export field three_t.a 6',
    'export type four_t 8: Four.',
    'export struct four 8: Four.',
    'export field four.a 8',
    'export macro FIVE 10: Five.',
    'export declare function six(a: int) 12: Six.',
    'export variable seven 14: Seven.',
    'export enum eight 15-18',
    'export constant eight.NINE 17: Nine.',
    'type T 2 in one',
    'type T 4 in Two',
    'value FIVE = 5 10',
  ]);
});
