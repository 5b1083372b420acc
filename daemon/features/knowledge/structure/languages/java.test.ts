import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares types, methods and fields, public where they say so', () => {
  const found = read(
    'a/Shop.java',
    `package a.b;
import b.Store;
import static b.Tools.help;
import c.*;
/** Sells. Well. */
public class Shop extends kinds.Base implements Seller, kinds.Open<Item> {
  public static final int LIMIT = 5;
  static final Store MADE = new Store();
  private final int size = 3, depth;
  final Runnable run = () -> {};
  final int asked = ask();
  String name = "x";
  public Shop(int size) {}
  private void hide() {}
  void show(String... names) {}
  class Inner { void in() {} }
}
interface Seller extends Base, kinds.Other<Item> { int MOST = 4; void sell(int count); }
enum Colour { RED, BLUE; void paint() {} }
public record Point(int x, int y) {}
@interface Mark { String value() default "x"; }
`,
  );
  expect(showCode(found)).toEqual([
    'package a.b',
    'a module',
    'export class Shop 6-17: Sells.',
    'export constant Shop.LIMIT 7',
    'export constant Shop.MADE 8',
    'field Shop.size 9',
    'field Shop.depth 9',
    'export field Shop.run 10',
    'export field Shop.asked 11',
    'export field Shop.name 12',
    'export method Shop.Shop(size: int) 13',
    'method Shop.hide() 14',
    'export method Shop.show(names) 15',
    'class Shop.Inner 16',
    'export method Shop.Inner.in() 16',
    'interface Seller 18',
    'export field Seller.MOST 18',
    'export method Seller.sell(count: int) 18',
    'enum Colour 19',
    'export field Colour.RED 19',
    'export field Colour.BLUE 19',
    'export method Colour.paint() 19',
    'export record Point(x: int, y: int) 20',
    'interface Mark 21',
    'export method Mark.value 21',
    'import b.Store (Store) 2',
    'import b.Tools.help (help) 3',
    'import c.* (*) 4',
    'extend Base 6 in Shop',
    'type kinds 6 in Shop',
    'implement Seller 6 in Shop',
    'implement Open 6 in Shop',
    'type Item 6 in Shop',
    'type Store 8 in Shop',
    'call Store 8 in Shop',
    'type Runnable 10 in Shop',
    'call ask 11 in Shop',
    'type String 12 in Shop',
    'type String 15 in Shop.show',
    'extend Base 18 in Seller',
    'extend Other 18 in Seller',
    'type kinds 18 in Seller',
    'type Item 18 in Seller',
    'read x 20 in Point',
    'read y 20 in Point',
    'type String 21 in Mark.value',
    'value Shop.LIMIT = 5 7',
    'value Shop.size = 3 9',
    'value Seller.MOST = 4 18',
  ]);
});

it('begins in a static main method', () => {
  const found = read(
    'a/Shop.java',
    `class Shop {
  public static void main(String[] args) {}
  public void other() {}
}
class Other {
  void main() {}
  static void notMain() {}
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-4',
    'export method Shop.main(args: String[]) 2',
    'export method Shop.other() 3',
    'class Other 5-8',
    'export method Other.main() 6',
    'export method Other.notMain() 7',
    'type String 2 in Shop.main',
    'entry main method Shop 2',
  ]);
});

it('knows what a value is by its type and how it was made', () => {
  const found = read(
    'a/Shop.java',
    `class Shop extends Base {
  Store store;
  void run(Bank bank, List<Item> items) {
    var made = new Lamp();
    Road road = find();
    var unknown = find();
    for (Wall wall : walls) wall.build();
    try (Door door = open()) { door.shut(); } catch (Trouble trouble) { trouble.say(); }
    items.forEach(item -> item.go());
    store.load();
    this.store.save();
    super.run();
    this.run();
    bank.pay();
    made.light();
    road.walk();
    unknown.no();
    new kinds.Town<X>().live();
    ((Gate) road).close();
    (made).dim();
    Tools.help();
    kinds.Tools.help2();
    other.go1();
    find().go2();
    help();
    list.stream().map(Item::name).map(this::go3);
    int size = this.size + Colour.RED.order;
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-29',
    'export field Shop.store 2',
    'export method Shop.run(bank: Bank, items: List<Item>) 3-28',
    'extend Base 1 in Shop',
    'type Store 2 in Shop',
    'type Bank 3 in Shop.run',
    'type List 3 in Shop.run',
    'type Item 3 in Shop.run',
    'type var 4 in Shop.run',
    'call Lamp 4 in Shop.run',
    'type Road 5 in Shop.run',
    'call find 5 in Shop.run',
    'type var 6 in Shop.run',
    'call find 6 in Shop.run',
    'type Wall 7 in Shop.run',
    'read walls 7 in Shop.run',
    'call Wall.build 7 in Shop.run',
    'type Door 8 in Shop.run',
    'call open 8 in Shop.run',
    'call Door.shut 8 in Shop.run',
    'type Trouble 8 in Shop.run',
    'call ?.say 8 in Shop.run',
    'call List.forEach 9 in Shop.run',
    'call ?.go 9 in Shop.run',
    'call Store.load 10 in Shop.run',
    'read store 10 in Shop.run',
    'call Store.save 11 in Shop.run',
    'read Shop.store 11 in Shop.run',
    'call Shop.run 12 in Shop.run',
    'call Shop.run 13 in Shop.run',
    'call Bank.pay 14 in Shop.run',
    'call Lamp.light 15 in Shop.run',
    'call Road.walk 16 in Shop.run',
    'call ?.no 17 in Shop.run',
    'call Town.live 18 in Shop.run',
    'call Town 18 in Shop.run',
    'type kinds 18 in Shop.run',
    'type X 18 in Shop.run',
    'call Gate.close 19 in Shop.run',
    'type Gate 19 in Shop.run',
    'call Lamp.dim 20 in Shop.run',
    'call Tools.help 21 in Shop.run',
    'read Tools 21 in Shop.run',
    'call Tools.help2 22 in Shop.run',
    'read ?.Tools 22 in Shop.run',
    'read kinds 22 in Shop.run',
    'call ?.go1 23 in Shop.run',
    'read other 23 in Shop.run',
    'call ?.go2 24 in Shop.run',
    'call find 24 in Shop.run',
    'call help 25 in Shop.run',
    'call ?.map 26 in Shop.run',
    'call ?.stream 26 in Shop.run',
    'read list 26 in Shop.run',
    'read Item.name 26 in Shop.run',
    'read Item 26 in Shop.run',
    'read Shop.go3 26 in Shop.run',
    'read Shop.size 27 in Shop.run',
    'read RED.order 27 in Shop.run',
    'read Colour.RED 27 in Shop.run',
    'read Colour 27 in Shop.run',
  ]);
});

it('counts no local name as a use, and every other', () => {
  const found = read(
    'a/Shop.java',
    `class Shop {
  void f(int given) {
    int own = given + top;
    for (int i = 0; i < top; i++) use(i);
    Fn fn = (a, b) -> a + b + own + top;
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-7',
    'export method Shop.f(given: int) 2-6',
    'read top 3 in Shop.f',
    'read top 4 in Shop.f',
    'call use 4 in Shop.f',
    'type Fn 5 in Shop.f',
    'read top 5 in Shop.f',
  ]);
});

it('reads the environment from the system', () => {
  const found = read(
    'a/Shop.java',
    `class Shop {
  void f() {
    System.getenv("HOME_A");
    System.getenv().get("HOME_B");
    System.getenv().getOrDefault("HOME_C", "x");
    System.getenv().containsKey(NAME_D);
    System.getenv().size();
    System.getProperty("no");
    other.getenv("x").get("y");
    other().get("z");
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-12',
    'export method Shop.f() 2-11',
    'call System.getenv 3 in Shop.f',
    'read System 3 in Shop.f',
    'call ?.get 4 in Shop.f',
    'call System.getenv 4 in Shop.f',
    'read System 4 in Shop.f',
    'call ?.getOrDefault 5 in Shop.f',
    'call System.getenv 5 in Shop.f',
    'read System 5 in Shop.f',
    'call ?.containsKey 6 in Shop.f',
    'call System.getenv 6 in Shop.f',
    'read System 6 in Shop.f',
    'read NAME_D 6 in Shop.f',
    'call ?.size 7 in Shop.f',
    'call System.getenv 7 in Shop.f',
    'read System 7 in Shop.f',
    'call System.getProperty 8 in Shop.f',
    'read System 8 in Shop.f',
    'call ?.get 9 in Shop.f',
    'call ?.getenv 9 in Shop.f',
    'read other 9 in Shop.f',
    'call ?.get 10 in Shop.f',
    'call other 10 in Shop.f',
    'reads HOME_A 3',
    'reads HOME_B 4',
    'reads HOME_C 5',
    'reads $NAME_D 6',
  ]);
});

it('serves the routes of annotations below that of the class', () => {
  const found = read(
    'a/Shop.java',
    `@RequestMapping("/shop")
class Shop {
  @GetMapping("/a") void a() {}
  @PostMapping(value = "b/") void b() {}
  @DeleteMapping(path = "/c", produces = "x") void c() {}
  @RequestMapping(value = "/d", method = RequestMethod.PUT) void d() {}
  @RequestMapping("/e") void e() {}
  @PatchMapping void f() {}
  @Deprecated void g() {}
  @Cached("/no") void h() {}
  @GetMapping(produces = "no") void i() {}
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-12',
    'export method Shop.a() 3',
    'export method Shop.b() 4',
    'export method Shop.c() 5',
    'export method Shop.d() 6',
    'export method Shop.e() 7',
    'export method Shop.f() 8',
    'export method Shop.g() 9',
    'export method Shop.h() 10',
    'export method Shop.i() 11',
    'read RequestMapping 1 in Shop',
    'read GetMapping 3 in Shop.a',
    'read PostMapping 4 in Shop.b',
    'read value 4 in Shop.b',
    'read DeleteMapping 5 in Shop.c',
    'read path 5 in Shop.c',
    'read produces 5 in Shop.c',
    'read RequestMapping 6 in Shop.d',
    'read value 6 in Shop.d',
    'read method 6 in Shop.d',
    'read RequestMethod.PUT 6 in Shop.d',
    'read RequestMethod 6 in Shop.d',
    'read RequestMapping 7 in Shop.e',
    'read PatchMapping 8 in Shop.f',
    'read Deprecated 9 in Shop.g',
    'read Cached 10 in Shop.h',
    'read GetMapping 11 in Shop.i',
    'read produces 11 in Shop.i',
    'serves GET /shop/a a 3',
    'serves POST /shop/b b 4',
    'serves DELETE /shop/c c 5',
    'serves PUT /shop/d d 6',
    'serves ANY /shop/e e 7',
    'serves PATCH /shop f 8',
    'serves GET /shop i 11',
  ]);
});

it('serves the routes of JAX-RS', () => {
  const found = read(
    'a/Shop.java',
    `@Path("/shop/")
interface Shop {
  @GET @Path("/a") void a();
  @POST void b();
  @Path("/c") void c();
  @Deprecated @Path("/d") void d();
}
`,
  );
  expect(showCode(found)).toEqual([
    'interface Shop 1-7',
    'export method Shop.a() 3',
    'export method Shop.b() 4',
    'export method Shop.c() 5',
    'export method Shop.d() 6',
    'read Path 1 in Shop',
    'read GET 3 in Shop.a',
    'read Path 3 in Shop.a',
    'read POST 4 in Shop.b',
    'read Path 5 in Shop.c',
    'read Deprecated 6 in Shop.d',
    'read Path 6 in Shop.d',
    'serves GET /shop/a a 3',
    'serves POST /shop b 4',
    'serves ANY /shop/c c 5',
    'serves ANY /shop/d d 6',
  ]);
});

it('serves routes of a class without one of its own', () => {
  const found = read(
    'a/Shop.java',
    `class Shop { @GetMapping("/") void a() {} @GET void b() {} }
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1',
    'export method Shop.a() 1',
    'export method Shop.b() 1',
    'read GetMapping 1 in Shop.a',
    'read GET 1 in Shop.b',
    'serves GET / a 1',
    'serves GET / b 1',
  ]);
});

it('throws errors with what they say', () => {
  const found = read(
    'a/Shop.java',
    `class Shop {
  void f() {
    throw new SaleException(1, "gone");
    throw new kinds.BadException("no " + name);
    throw new PlainException();
    throw error;
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-8',
    'export method Shop.f() 2-7',
    'call SaleException 3 in Shop.f',
    'call BadException 4 in Shop.f',
    'type kinds 4 in Shop.f',
    'read name 4 in Shop.f',
    'call PlainException 5 in Shop.f',
    'read error 6 in Shop.f',
    'error throw SaleException (gone) 3',
    'error throw BadException (no) 4',
    'error throw PlainException () 5',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'A.java',
    `class A {
  void m(int one) { use(one); }
  A(int two) { use(two); }
  void n() {
    { int three = 1; use(three); }
    Fn f = four -> four;
    Fn g = (five) -> five;
    for (int six = 0; six < 1; six++) use(six);
    for (int seven : list) use(seven);
    try { } catch (E eight) { use(eight); }
    try (R nine = x()) { use(nine); }
    use(one, two, three, four, five, six, seven, eight, nine, ten);
  }
}
record R(int a) { R { int ten = 1; use(ten); } }
`,
  );
  expect(showCode(found)).toEqual([
    'class A 1-14',
    'export method A.m(one: int) 2',
    'export method A.A(two: int) 3',
    'export method A.n() 4-13',
    'record R(a: int) 15',
    'call use 2 in A.m',
    'call use 3 in A.A',
    'call use 5 in A.n',
    'type Fn 6 in A.n',
    'type Fn 7 in A.n',
    'call use 8 in A.n',
    'read list 9 in A.n',
    'call use 9 in A.n',
    'type E 10 in A.n',
    'call use 10 in A.n',
    'type R 11 in A.n',
    'call x 11 in A.n',
    'call use 11 in A.n',
    'call use 12 in A.n',
    'read one 12 in A.n',
    'read two 12 in A.n',
    'read three 12 in A.n',
    'read four 12 in A.n',
    'read five 12 in A.n',
    'read six 12 in A.n',
    'read seven 12 in A.n',
    'read eight 12 in A.n',
    'read nine 12 in A.n',
    'read ten 12 in A.n',
    'read a 15 in R',
    'read R 15 in R',
    'call use 15 in R',
  ]);
});

it('has the comment before its annotations', () => {
  const found = read(
    'A.java',
    `/** One. */
@Deprecated
class A {
  /** Two. */
  int two = 2;
  /** Three. */
  @Deprecated void three() {}
}
`,
  );
  expect(showCode(found)).toEqual([
    'class A 2-8: One.',
    'export field A.two 5: Two.',
    'export method A.three() 7: Three.',
    'read Deprecated 2 in A',
    'read Deprecated 7 in A.three',
  ]);
});
