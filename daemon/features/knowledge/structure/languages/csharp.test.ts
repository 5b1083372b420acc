import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares types and members, public where they say so', () => {
  const found = read(
    'a/Shop.cs',
    `using Town.Stores;
using static Town.Tools;
using Named = Town.Other;
namespace Town.Shops {
/// <summary>Sells. Well.</summary>
public class Shop<T> : kinds.Base, ISeller, Open<Item> {
  public const int Limit = 5;
  static readonly int Most = 6;
  private readonly Store store = new Store();
  public int size, depth = 3;
  public string Name { get; set; } = "x";
  int Count => size;
  public event Handler Sold;
  public Shop(int size) : base(size) {}
  private void Hide() {}
  void Show(params string[] names) { int Inner(int a) { return a; } }
}
class Kiosk : ISeller {}
class Stand : Shop<int>, Other {}
class Case : Ink {}
public interface ISeller : IBase, Other { void Sell(int count = 2); }
public struct Point : IPoint { public int X; }
public record Pair(int A, string B) : Both(A);
public enum Colour { Red = 1, Blue }
}
namespace Second {}
`,
  );
  expect(showCode(found)).toEqual([
    'package Town.Shops',
    'a module',
    'export class Shop 6-17: Sells.',
    'export constant Shop.Limit 7',
    'constant Shop.Most 8',
    'field Shop.store 9',
    'export field Shop.size 10',
    'export field Shop.depth 10',
    'export field Shop.Name 11',
    'field Shop.Count 12',
    'export method Shop.Shop(size: int) 14',
    'method Shop.Hide() 15',
    'export method Shop.Show(names) 16',
    'export method Shop.Show.Inner(a: int) 16',
    'class Kiosk 18',
    'class Stand 19',
    'class Case 20',
    'export interface ISeller 21',
    'export method ISeller.Sell(count: int = 2) 21',
    'export struct Point 22',
    'export field Point.X 22',
    'export record Pair(A: int, B: string) 23',
    'export enum Colour 24',
    'export constant Colour.Red 24',
    'export constant Colour.Blue 24',
    'import Town.Stores (*) 1',
    'import Town.Tools (*) 2',
    'import Town.Other (*) 3',
    'read T 6 in Shop',
    'read kinds 6 in Shop',
    'extend Base 6 in Shop',
    'implement ISeller 6 in Shop',
    'implement Open 6 in Shop',
    'read Item 6 in Shop',
    'read Store 9 in Shop',
    'call Store 9 in Shop',
    'read size 12 in Shop.Count',
    'read Handler 13 in Shop',
    'read Sold 13 in Shop',
    'implement ISeller 18 in Kiosk',
    'extend Shop 19 in Stand',
    'implement Other 19 in Stand',
    'extend Ink 20 in Case',
    'extend IBase 21 in ISeller',
    'extend Other 21 in ISeller',
    'implement IPoint 22 in Point',
    'read A 23 in Pair',
    'read B 23 in Pair',
    'extend Both 23 in Pair',
    'value Shop.Limit = 5 7',
    'value Shop.Most = 6 8',
  ]);
});

it('is in the namespace of the file', () => {
  const found = read(
    'a/Shop.cs',
    `namespace Town . Shops;
class Shop {}
`,
  );
  expect(showCode(found)).toEqual(['package Town.Shops', 'class Shop 2']);
});

it('begins in a static Main method', () => {
  const found = read(
    'a/Shop.cs',
    `class Program { static void Main(string[] args) {} static void Other() {} }
class Second { void Main() {} }
`,
  );
  expect(showCode(found)).toEqual([
    'class Program 1',
    'export method Program.Main(args: string[]) 1',
    'export method Program.Other() 1',
    'class Second 2',
    'export method Second.Main() 2',
    'entry Main method Program 1',
  ]);
});

it('knows what a value is by its type and how it was made', () => {
  const found = read(
    'a/Shop.cs',
    `class Shop {
  Store store;
  Bank Money { get; }
  void Run(Lamp lamp, List<Item> items) {
    var made = new Road();
    Wall wall = Find();
    var unknown = Find();
    foreach (Gate gate in gates) gate.Close();
    store.Load();
    this.store.Save();
    this.Run();
    base.Run();
    Money.Pay();
    this.Money.Pay();
    lamp.Light();
    items.Add(1);
    made.Walk();
    wall.Climb();
    unknown.No();
    new Town<X>().Live();
    new kinds.Hall();
    Tools.Help();
    kinds.Tools.Help2();
    other.Go();
    Find().No();
    Plain();
    Generic<int>(1);
    lamp.Turn<int>(2);
    var size = this.Size + Colour.Red;
    Fn f = (a, b) => a + b + size + Top;
    try { } catch (Trouble trouble) { trouble.Say(); }
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-33',
    'field Shop.store 2',
    'field Shop.Money 3',
    'export method Shop.Run(lamp: Lamp, items: List<Item>) 4-32',
    'read Store 2 in Shop',
    'read Bank 3 in Shop.Money',
    'read Lamp 4 in Shop.Run',
    'read List 4 in Shop.Run',
    'read Item 4 in Shop.Run',
    'call Road 5 in Shop.Run',
    'read Wall 6 in Shop.Run',
    'call Find 6 in Shop.Run',
    'call Find 7 in Shop.Run',
    'read Gate 8 in Shop.Run',
    'read gates 8 in Shop.Run',
    'call Gate.Close 8 in Shop.Run',
    'call Store.Load 9 in Shop.Run',
    'read store 9 in Shop.Run',
    'call Store.Save 10 in Shop.Run',
    'read Shop.store 10 in Shop.Run',
    'call Shop.Run 11 in Shop.Run',
    'call Shop.Run 12 in Shop.Run',
    'call Money.Pay 13 in Shop.Run',
    'read Money 13 in Shop.Run',
    'call Bank.Pay 14 in Shop.Run',
    'read Shop.Money 14 in Shop.Run',
    'call Lamp.Light 15 in Shop.Run',
    'call List.Add 16 in Shop.Run',
    'call Road.Walk 17 in Shop.Run',
    'call Wall.Climb 18 in Shop.Run',
    'call ?.No 19 in Shop.Run',
    'call Town.Live 20 in Shop.Run',
    'call Town 20 in Shop.Run',
    'read X 20 in Shop.Run',
    'call Hall 21 in Shop.Run',
    'read kinds 21 in Shop.Run',
    'call Tools.Help 22 in Shop.Run',
    'read Tools 22 in Shop.Run',
    'call ?.Help2 23 in Shop.Run',
    'read ?.Tools 23 in Shop.Run',
    'read kinds 23 in Shop.Run',
    'call ?.Go 24 in Shop.Run',
    'read other 24 in Shop.Run',
    'call ?.No 25 in Shop.Run',
    'call Find 25 in Shop.Run',
    'call Plain 26 in Shop.Run',
    'call Generic 27 in Shop.Run',
    'call Lamp.Turn 28 in Shop.Run',
    'read Shop.Size 29 in Shop.Run',
    'read Colour.Red 29 in Shop.Run',
    'read Colour 29 in Shop.Run',
    'read Fn 30 in Shop.Run',
    'read Top 30 in Shop.Run',
    'read Trouble 31 in Shop.Run',
    'call Trouble.Say 31 in Shop.Run',
  ]);
});

it('reads the environment by its function', () => {
  const found = read(
    'a/Shop.cs',
    `class Shop { void F() { Environment.GetEnvironmentVariable("HOME_A"); GetEnvironmentVariable2("NO"); System.Environment.GetEnvironmentVariable(NameB); config.GetEnv<int>("HOME_C"); } }
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1',
    'export method Shop.F() 1',
    'call Environment.GetEnvironmentVariable 1 in Shop.F',
    'read Environment 1 in Shop.F',
    'call GetEnvironmentVariable2 1 in Shop.F',
    'call ?.GetEnvironmentVariable 1 in Shop.F',
    'read System.Environment 1 in Shop.F',
    'read System 1 in Shop.F',
    'read NameB 1 in Shop.F',
    'call ?.GetEnv 1 in Shop.F',
    'read config 1 in Shop.F',
    'reads HOME_A 1',
    'reads @GetEnvironmentVariable2:NO 1',
    'reads $NameB 1',
    'reads HOME_C 1',
  ]);
});

it('serves the routes of attributes below that of the class, and of an app', () => {
  const found = read(
    'a/Shop.cs',
    `[Route("shop/")]
class Shop {
  [HttpGet("a")] void A() {}
  [HttpPost] void B() {}
  [Obsolete, HttpDelete("/c/")] void C() {}
  [HttpNo("d")] void D() {}
  void E() { app.MapGet("/e", F); app.MapPut(path, F); app.Map("/no", F); }
}
class Other { [HttpGet] void A() {} [Cached("x"), HttpPut("b")] void B() {} }
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-8',
    'export method Shop.A() 3',
    'export method Shop.B() 4',
    'export method Shop.C() 5',
    'export method Shop.D() 6',
    'export method Shop.E() 7',
    'class Other 9',
    'export method Other.A() 9',
    'export method Other.B() 9',
    'read Route 1 in Shop',
    'read HttpGet 3 in Shop.A',
    'read HttpPost 4 in Shop.B',
    'read Obsolete 5 in Shop.C',
    'read HttpDelete 5 in Shop.C',
    'read HttpNo 6 in Shop.D',
    'call ?.MapGet 7 in Shop.E',
    'read app 7 in Shop.E',
    'read F 7 in Shop.E',
    'call ?.MapPut 7 in Shop.E',
    'read path 7 in Shop.E',
    'call ?.Map 7 in Shop.E',
    'read HttpGet 9 in Other.A',
    'read Cached 9 in Other.B',
    'read HttpPut 9 in Other.B',
    'serves GET /shop/a A 3',
    'serves POST /shop B 4',
    'serves DELETE /shop/c C 5',
    'serves GET /e 7',
    'serves GET / A 9',
    'serves PUT /b B 9',
  ]);
});

it('throws errors with what they say', () => {
  const found = read(
    'a/Shop.cs',
    `class Shop {
  void F() {
    throw new SaleException(1, "gone");
    throw new kinds.BadException();
    throw error;
    var x = y ?? throw new NoneException("none");
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class Shop 1-8',
    'export method Shop.F() 2-7',
    'call SaleException 3 in Shop.F',
    'call BadException 4 in Shop.F',
    'read kinds 4 in Shop.F',
    'read error 5 in Shop.F',
    'read y 6 in Shop.F',
    'call NoneException 6 in Shop.F',
    'error throw SaleException (gone) 3',
    'error throw BadException () 4',
    'error throw NoneException (none) 6',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'A.cs',
    `class A {
  void M(int one) { Use(one); }
  A(int two) { Use(two); }
  void N() {
    { int three = 1; Use(three); }
    int Local(int four) { return four; }
    Fn f = (five) => five;
    for (int six = 0; six < 1; six++) Use(six);
    foreach (int seven in list) Use(seven);
    try { } catch (E eight) { Use(eight); }
    using (R nine = X()) { Use(nine); }
    Use(one, two, three, four, five, six, seven, eight, nine);
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class A 1-14',
    'export method A.M(one: int) 2',
    'export method A.A(two: int) 3',
    'export method A.N() 4-13',
    'export method A.N.Local(four: int) 6',
    'call Use 2 in A.M',
    'call Use 3 in A.A',
    'call Use 5 in A.N',
    'read Fn 7 in A.N',
    'call Use 8 in A.N',
    'read list 9 in A.N',
    'call Use 9 in A.N',
    'read E 10 in A.N',
    'call Use 10 in A.N',
    'read R 11 in A.N',
    'call X 11 in A.N',
    'call Use 11 in A.N',
    'call Use 12 in A.N',
    'read one 12 in A.N',
    'read two 12 in A.N',
    'read three 12 in A.N',
    'read four 12 in A.N',
    'read five 12 in A.N',
    'read six 12 in A.N',
    'read seven 12 in A.N',
    'read eight 12 in A.N',
    'read nine 12 in A.N',
  ]);
});

it('has the comment before its attributes', () => {
  const found = read(
    'A.cs',
    `/// <summary>One.</summary>
[Mark]
class A {
  /// <summary>Two.</summary>
  [Mark] int two = 2;
  /// <summary>Three.</summary>
  [Mark] void Three() {}
  /// <summary>Four.</summary>
  int Four { get; }
}
`,
  );
  expect(showCode(found)).toEqual([
    'class A 2-10: One.',
    'field A.two 5: Two.',
    'export method A.Three() 7: Three.',
    'field A.Four 9: Four.',
    'read Mark 2 in A',
    'read Mark 5 in A',
    'read Mark 7 in A.Three',
  ]);
});
