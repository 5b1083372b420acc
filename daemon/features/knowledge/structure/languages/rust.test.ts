import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares items, public where they say so', () => {
  const found = read(
    'src/lib.rs',
    `/// Limit is most. So.
pub const LIMIT: u32 = 5;
static NAME: &str = "x";
pub struct Shop<T> { pub store: Store, size: T }
union Both { a: u8 }
pub enum Colour { Red, Blue(u8) }
type Name = String;
macro_rules! lamp { ($x:expr) => { beam($x) }; }
pub trait Seller: Base + kinds::Other + Open<Item> + 'static { const MOST: u8; fn sell(&self, count: u32) -> u8; fn close(&self) {} }
impl<T> Shop<T> { pub fn new(size: T) -> Self { Self { size } } fn hide() {} }
impl Seller for Shop<u8> { fn sell(&self, count: u32) -> u8 { 1 } }
impl kinds::Open<Item> for Town {}
impl fmt::Display for Town {}
pub mod inner { pub fn help() {} }
mod other;
pub mod third;
fn main() { fn main() {} }
impl Town { fn main() {} }
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export constant LIMIT 2: Limit is most.',
    'constant NAME 3',
    'export struct Shop 4',
    'export field Shop.store 4',
    'field Shop.size 4',
    'struct Both 5',
    'field Both.a 5',
    'export enum Colour 6',
    'export field Colour.Red 6',
    'export field Colour.Blue 6',
    'type Name 7',
    'macro lamp 8',
    'export trait Seller 9',
    'constant Seller.MOST 9',
    'method Seller.sell(count: u32) 9',
    'method Seller.close() 9',
    'declare type Shop 10',
    'export method Shop.new(size: T) 10',
    'method Shop.hide() 10',
    'declare type Shop 11',
    'method Shop.sell(count: u32) 11',
    'declare type Town 12',
    'declare type Town 13',
    'export module inner 14',
    'export function inner.help() 14',
    'function main() 17',
    'function main.main() 17',
    'declare type Town 18',
    'method Town.main() 18',
    're-export self::other (* as other) 15',
    're-export self::third (* as third) 16',
    'type T 4 in Shop',
    'type Store 4 in Shop',
    'type String 7 in Name',
    'call beam 8 in lamp',
    'extend Base 9 in Seller',
    'read kinds 9 in Seller',
    'extend Other 9 in Seller',
    'extend Open 9 in Seller',
    'type Item 9 in Seller',
    'type T 10 in Shop',
    'type Shop 10 in Shop',
    'type Self 10 in Shop.new',
    'implement Seller 11 in Shop',
    'type Shop 11 in Shop',
    'read kinds 12 in Town',
    'implement Open 12 in Town',
    'type Item 12 in Town',
    'type Town 12 in Town',
    'read fmt 13 in Town',
    'implement Display 13 in Town',
    'type Town 13 in Town',
    'type Town 18 in Town',
    'value LIMIT = 5 2',
    'value NAME = "x" 3',
    'entry main function main 17',
  ]);
});

it('imports what a declaration names, in lists and under other names', () => {
  const found = read(
    'src/lib.rs',
    `use a::b;
use a::{c, d as e, f::{self, g}, h::*};
use crate::i::{self as j};
use super::k;
pub use l;
use {m::n, o};
use a :: p;
use q::self as r;
fn go() { b(); e(); g(); j::x(); k(); }
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'function go() 9',
    'import a::b (b) 1',
    'import a::c (c) 2',
    'import a::d (d as e) 2',
    'import a::f (f) 2',
    'import a::f::g (g) 2',
    'import a::h (*) 2',
    'import crate::i (i as j) 3',
    'import super::k (k) 4',
    're-export l (l) 5',
    'import m::n (n) 6',
    'import o (o) 6',
    'import a::p (p) 7',
    'import q (q as r) 8',
    'call b 9 in go',
    'call d 9 in go',
    'call g 9 in go',
    'call i.x 9 in go',
    'read i 9 in go',
    'call k 9 in go',
  ]);
});

it('knows what a value is by its type, its literal and its maker', () => {
  const found = read(
    'src/lib.rs',
    `struct Shop { store: Arc<Store>, plain: u8 }
impl Shop {
  fn run(&self, bank: &Bank, mut other: Option<Lamp>) {
    let made = Road::new(1);
    let open: Door = find();
    let literal = Wall { height: 1 };
    let tried = Gate::open("x")?;
    let waited = Hall::from_text().await;
    let borrowed = &Tower::default();
    let none = Road::walkers();
    let small = road::new();
    let own = Self::new();
    let (a, b) = Road::new();
    if let Some(lamp) = other { lamp.light(); }
    for each in list { each.go(); }
    match x { Some(inner) => inner.go(), Colour::Red => 1, NONE => 2 }
    self.store.load();
    self.run();
    Self::new();
    bank.pay();
    other.light();
    made.walk();
    open.shut();
    literal.climb();
    tried.close();
    waited.hold();
    borrowed.rise();
    none.no();
    small.no();
    own.sell();
    a.no();
    (&made).walk();
    (made).walk();
    made?.walk();
    Road::new().walk();
    Vec::<u8>::with();
    find().no();
    crate::help();
    super::help();
    kinds::Shop::sell();
    collect::<Vec<u8>>();
    unknown.go();
    let f = |c: Road, d| c.walk() + d.no() + self.plain;
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'struct Shop 1',
    'field Shop.store 1',
    'field Shop.plain 1',
    'declare type Shop 2-45',
    'method Shop.run(bank: &Bank, other: Option<Lamp>) 3-44',
    'type Arc 1 in Shop',
    'type Store 1 in Shop',
    'type Shop 2 in Shop',
    'type Bank 3 in Shop.run',
    'type Option 3 in Shop.run',
    'type Lamp 3 in Shop.run',
    'call Road.new 4 in Shop.run',
    'read Road 4 in Shop.run',
    'type Door 5 in Shop.run',
    'call find 5 in Shop.run',
    'type Wall 6 in Shop.run',
    'call Gate.open 7 in Shop.run',
    'read Gate 7 in Shop.run',
    'call Hall.from_text 8 in Shop.run',
    'read Hall 8 in Shop.run',
    'call Tower.default 9 in Shop.run',
    'read Tower 9 in Shop.run',
    'call Road.walkers 10 in Shop.run',
    'read Road 10 in Shop.run',
    'call road.new 11 in Shop.run',
    'read road 11 in Shop.run',
    'call Shop.new 12 in Shop.run',
    'read Self 12 in Shop.run',
    'call Road.new 13 in Shop.run',
    'read Road 13 in Shop.run',
    'read Some 14 in Shop.run',
    'call ?.light 14 in Shop.run',
    'read list 15 in Shop.run',
    'call ?.go 15 in Shop.run',
    'read x 16 in Shop.run',
    'read Some 16 in Shop.run',
    'call ?.go 16 in Shop.run',
    'read Colour.Red 16 in Shop.run',
    'read Colour 16 in Shop.run',
    'read NONE 16 in Shop.run',
    'call Store.load 17 in Shop.run',
    'call Shop.run 18 in Shop.run',
    'call Shop.new 19 in Shop.run',
    'read Self 19 in Shop.run',
    'call Bank.pay 20 in Shop.run',
    'call Lamp.light 21 in Shop.run',
    'call Road.walk 22 in Shop.run',
    'call Door.shut 23 in Shop.run',
    'call Wall.climb 24 in Shop.run',
    'call Gate.close 25 in Shop.run',
    'call Hall.hold 26 in Shop.run',
    'call Tower.rise 27 in Shop.run',
    'call ?.no 28 in Shop.run',
    'call ?.no 29 in Shop.run',
    'call Shop.sell 30 in Shop.run',
    'call ?.no 31 in Shop.run',
    'call Road.walk 32 in Shop.run',
    'call Road.walk 33 in Shop.run',
    'call Road.walk 34 in Shop.run',
    'call Road.walk 35 in Shop.run',
    'call Road.new 35 in Shop.run',
    'read Road 35 in Shop.run',
    'call Vec.with 36 in Shop.run',
    'type Vec 36 in Shop.run',
    'call ?.no 37 in Shop.run',
    'call find 37 in Shop.run',
    'call crate.help 38 in Shop.run',
    'call super.help 39 in Shop.run',
    'call Shop.sell 40 in Shop.run',
    'read kinds.Shop 40 in Shop.run',
    'read kinds 40 in Shop.run',
    'call collect 41 in Shop.run',
    'type Vec 41 in Shop.run',
    'call unknown.go 42 in Shop.run',
    'read unknown 42 in Shop.run',
    'type Road 43 in Shop.run',
    'call Road.walk 43 in Shop.run',
    'call ?.no 43 in Shop.run',
  ]);
});

it('counts no local name as a use, and every other', () => {
  const found = read(
    'src/lib.rs',
    `fn f<'c>(given: &'c u32, (a, b): Pair) -> u32 {
  let own = given;
  let Point { x, y: z } = a;
  for (i, each) in top { use_it(i, each); }
  let g = |inner| inner + top;
  while let Some(w) = b { use_it(w); }
  own + x + z + top + Colour::Red + LIMIT
}
`,
  );
  expect(showCode(found)).toEqual([
    "function f(given: &'c u32, (a, b): Pair) 1-8",
    'type Pair 1 in f',
    'type Point 3 in f',
    'read top 4 in f',
    'call use_it 4 in f',
    'read top 5 in f',
    'read Some 6 in f',
    'call use_it 6 in f',
    'read top 7 in f',
    'read Colour.Red 7 in f',
    'read Colour 7 in f',
    'read LIMIT 7 in f',
  ]);
});

it('reads the environment by functions and macros', () => {
  const found = read(
    'src/lib.rs',
    `fn f() {
  std::env::var("HOME_A");
  env::var_os("HOME_B");
  env::var(NAME_C);
  env!("HOME_D");
  option_env!("HOME_E");
  env::vars();
  other::var("x");
  println!("HOME_NO");
}
`,
  );
  expect(showCode(found)).toEqual([
    'function f() 1-10',
    'call env.var 2 in f',
    'read std.env 2 in f',
    'read std 2 in f',
    'call env.var_os 3 in f',
    'read env 3 in f',
    'call env.var 4 in f',
    'read env 4 in f',
    'read NAME_C 4 in f',
    'call env 5 in f',
    'call option_env 6 in f',
    'call env.vars 7 in f',
    'read env 7 in f',
    'call other.var 8 in f',
    'read other 8 in f',
    'call println 9 in f',
    'reads HOME_A 2',
    'reads HOME_B 3',
    'reads $NAME_C 4',
    'reads HOME_D 5',
    'reads HOME_E 6',
  ]);
});

it('returns and panics with what it says', () => {
  const found = read(
    'src/lib.rs',
    `fn f() -> R {
  Err(SaleError::Gone("x".into()));
  Err(Plain);
  Err(error);
  Err(io::Error::new(kind, "bad"));
  Ok("no");
  panic!("gone {}", 1);
  bail!("bad");
  todo!();
  println!("no");
  anyhow!("any");
  ensure!(x, "sure");
  unimplemented!("later");
}
`,
  );
  expect(showCode(found)).toEqual([
    'function f() 1-14',
    'type R 1 in f',
    'call Err 2 in f',
    'call SaleError.Gone 2 in f',
    'read SaleError 2 in f',
    'call ?.into 2 in f',
    'call Err 3 in f',
    'read Plain 3 in f',
    'call Err 4 in f',
    'read error 4 in f',
    'call Err 5 in f',
    'call Error.new 5 in f',
    'read io.Error 5 in f',
    'read io 5 in f',
    'read kind 5 in f',
    'call Ok 6 in f',
    'call panic 7 in f',
    'call bail 8 in f',
    'call todo 9 in f',
    'call println 10 in f',
    'call anyhow 11 in f',
    'call ensure 12 in f',
    'read x 12 in f',
    'call unimplemented 13 in f',
    'error return SaleError::Gone (x) 2',
    'error return Plain () 3',
    'error return io::Error::new (bad) 5',
    'error panic panic! (gone {}) 7',
    'error panic bail! (bad) 8',
    'error panic todo! () 9',
    'error panic anyhow! (any) 11',
    'error panic ensure! (sure) 12',
    'error panic unimplemented! (later) 13',
  ]);
});

it('finds calls in what macros are given', () => {
  const found = read(
    'src/lib.rs',
    `fn f() {
  vec![go(1), lamp.light(2), Road::walk(3), crate::help(4), super::help2(5), self.run(6), no [7], no2 (8), x[9]];
  std::println!("{}", deep(inner(1)));
}
`,
  );
  expect(showCode(found)).toEqual([
    'function f() 1-4',
    'call vec 2 in f',
    'call go 2 in f',
    'call lamp.light 2 in f',
    'call Road.walk 2 in f',
    'call help 2 in f',
    'call help2 2 in f',
    'call ?.run 2 in f',
    'read lamp 2 in f',
    'read Road 2 in f',
    'read no 2 in f',
    'read no2 2 in f',
    'read x 2 in f',
    'call deep 3 in f',
    'call inner 3 in f',
    'read std.println 3 in f',
    'read std 3 in f',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'src/a.rs',
    `fn f(one: u8) { go(one); }
trait T { fn g(two: u8); }
fn h() {
  { let three = 1; go(three); }
  let c = |four| four;
  match x { five => go(five) }
  for six in x { go(six); }
  go(one, two, three, four, five, six);
}
const X: u8 = two + one;
`,
  );
  expect(showCode(found)).toEqual([
    'function f(one: u8) 1',
    'trait T 2',
    'method T.g(two: u8) 2',
    'function h() 3-9',
    'constant X 10',
    'call go 1 in f',
    'call go 4 in h',
    'read x 6 in h',
    'call go 6 in h',
    'read x 7 in h',
    'call go 7 in h',
    'call go 8 in h',
    'read one 8 in h',
    'read two 8 in h',
    'read three 8 in h',
    'read four 8 in h',
    'read five 8 in h',
    'read six 8 in h',
    'read two 10 in X',
    'read one 10 in X',
    'value X = two + one 10',
  ]);
});

it('imports no list that is nested too deep', () => {
  const found = read(
    'src/a.rs',
    `use a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{a::{b, a::{c, a::d}}}}}}}}}}}}}}}}}}}}}};
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'import a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::a::b (b) 1',
  ]);
});

it('has the comment before its attributes', () => {
  const found = read(
    'src/a.rs',
    `/// One.
#[derive(Debug)]
pub struct One {
    /// Two.
    two: u8,
}
/// Three.
impl One {
    /// Four.
    #[inline]
    fn four() {}
}
/// Five.
mod five {}
`,
  );
  expect(showCode(found)).toEqual([
    'export struct One 3-6: One.',
    'field One.two 5: Two.',
    'declare type One 8-12: Three.',
    'method One.four() 11: Four.',
    'module five 14: Five.',
    'read derive 2',
    'read Debug 2',
    'type One 8 in One',
    'read inline 10 in One',
  ]);
});
