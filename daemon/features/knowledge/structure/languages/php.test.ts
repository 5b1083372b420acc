import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares types and members, public where they are not private', () => {
  const found = read(
    'a/Shop.php',
    `<?php
namespace Town\\Shops;
use Town\\Stores\\Store;
use \\Other as Named, Third\\Thing;
use Group\\{First, Second as Two};
use function Town\\help;
/** Sells. Well. */
class Shop extends \\Kinds\\Base implements Seller, Kinds\\Open {
  use Blend, Kinds\\More;
  const LIMIT = 5, MOST = 6;
  private Store $store;
  public $plain = 1, $other;
  public function __construct(private Bank $bank, int $size = 2, ...$rest) {}
  private function hide() {}
  protected static function show(&$a) {}
}
interface Seller extends Base { function sell(int $count): Item; }
trait Blend {}
enum Colour { case Red; }
function go(?Item $item, int|Other $b) {}
const TOP = 7;
define('MADE', 8);
define($named, 9);
`,
  );
  expect(showCode(found)).toEqual([
    'package Town\\Shops',
    'a module',
    'export class Shop 8-16: Sells.',
    'export constant Shop.LIMIT 10',
    'export constant Shop.MOST 10',
    'export field Shop.store 11',
    'export field Shop.plain 12',
    'export field Shop.other 12',
    'export method Shop.__construct(bank: Bank, size: int = 2, rest) 13',
    'method Shop.hide() 14',
    'export method Shop.show(a) 15',
    'export interface Seller 17',
    'export method Seller.sell(count: int) 17',
    'export trait Blend 18',
    'export enum Colour 19',
    'export function go(item: ?Item, b: int|Other) 20',
    'export constant TOP 21',
    'export constant MADE 22',
    'import Town\\Stores\\Store (Store) 3',
    'import Other (Other as Named) 4',
    'import Third\\Thing (Thing) 4',
    'import Group\\First (First) 5',
    'import Group\\Second (Second as Two) 5',
    'import Town\\help (help) 6',
    'extend Base 8 in Shop',
    'implement Seller 8 in Shop',
    'implement Open 8 in Shop',
    'implement Blend 9 in Shop',
    'implement More 9 in Shop',
    'type Store 11 in Shop',
    'type Bank 13 in Shop.__construct',
    'extend Base 17 in Seller',
    'type Item 17 in Seller.sell',
    'type Item 20 in go',
    'type Other 20 in go',
    'call define 22',
    'call define 23',
    'reads @define:MADE 22',
    'value Shop.LIMIT = 5 10',
    'value Shop.MOST = 6 10',
    'value TOP = 7 21',
    'value MADE = 8 22',
  ]);
});

it('is no module without a namespace', () => {
  const found = read(
    'a.php',
    `<?php
require 'store.php';
require_once __DIR__ . '/lib/a.php';
include './b.php';
include_once $path;
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'import ./store.php (*) 2',
    'import ./lib/a.php (*) 3',
    'import ./b.php (*) 4',
  ]);
});

it('knows what a value is by its type and how it was made', () => {
  const found = read(
    'a/Shop.php',
    `<?php
class Shop {
  private Store $store;
  function __construct(private Bank $bank) { $this->made = new Kinds\\Made(); $this->other = find(); }
  function run(Lamp $lamp, $plain) {
    $road = new Road();
    $found = find();
    $this->store->load();
    $this->bank->pay();
    $this->made->go();
    $this->other->no();
    $this->run();
    $lamp->light();
    $lamp?->dim();
    lamp();
    $plain->no();
    $road->walk();
    $found->no();
    $unknown->no();
    self::run();
    static::run();
    parent::run();
    Tools::help();
    Kinds\\Tools::help2();
    Named::LIMIT;
    self::MOST;
    (new Town())->live();
    ($road)->turn();
    (new Hall)->hold();
    find()->no();
    Kinds\\find2();
    $called();
    new \\Kinds\\Plain();
    $lamp->$dynamic();
    $f = function ($inner) { $inner->no(); };
    $g = fn(Gate $gate) => $gate->close();
  }
}
`,
  );
  expect(showCode(found)).toEqual([
    'export class Shop 2-38',
    'export field Shop.store 3',
    'export method Shop.__construct(bank: Bank) 4',
    'export method Shop.run(lamp: Lamp, plain) 5-37',
    'type Store 3 in Shop',
    'type Bank 4 in Shop.__construct',
    'call Made 4 in Shop.__construct',
    'call find 4 in Shop.__construct',
    'type Lamp 5 in Shop.run',
    'call Road 6 in Shop.run',
    'call find 7 in Shop.run',
    'call Store.load 8 in Shop.run',
    'call Bank.pay 9 in Shop.run',
    'call Made.go 10 in Shop.run',
    'call ?.no 11 in Shop.run',
    'call Shop.run 12 in Shop.run',
    'call Lamp.light 13 in Shop.run',
    'call Lamp.dim 14 in Shop.run',
    'call lamp 15 in Shop.run',
    'call ?.no 16 in Shop.run',
    'call Road.walk 17 in Shop.run',
    'call ?.no 18 in Shop.run',
    'call ?.no 19 in Shop.run',
    'call Shop.run 20 in Shop.run',
    'call Shop.run 21 in Shop.run',
    'call Shop.run 22 in Shop.run',
    'call Tools.help 23 in Shop.run',
    'call Tools.help2 24 in Shop.run',
    'read Named.LIMIT 25 in Shop.run',
    'read Named 25 in Shop.run',
    'read Shop.MOST 26 in Shop.run',
    'call Town.live 27 in Shop.run',
    'call Town 27 in Shop.run',
    'call Road.turn 28 in Shop.run',
    'call Hall.hold 29 in Shop.run',
    'call Hall 29 in Shop.run',
    'call ?.no 30 in Shop.run',
    'call find 30 in Shop.run',
    'call find2 31 in Shop.run',
    'call Plain 33 in Shop.run',
    'call ?.no 35 in Shop.run',
    'type Gate 36 in Shop.run',
    'call Gate.close 36 in Shop.run',
  ]);
});

it('reads the environment in every form', () => {
  const found = read(
    'a.php',
    `<?php
getenv('HOME_A');
env('HOME_B', 'x');
getenv(NAME_C);
$_ENV['HOME_D'];
$_SERVER['HOME_E'];
$_SERVER['HTTP_HOST'];
$_SERVER['HTTPS'];
$_SERVER['PATH_INFO'];
$_SERVER['MY_HTTP_HOST'];
$_GET['NO'];
\\getenv('HOME_F');
getenvs('NO');
`,
  );
  expect(showCode(found)).toEqual([
    'call getenv 2',
    'call env 3',
    'call getenv 4',
    'call getenv 12',
    'call getenvs 13',
    'reads HOME_A 2',
    "reads HOME_B = 'x' 3",
    'reads $NAME_C 4',
    'reads HOME_D 5',
    'reads HOME_E 6',
    'reads MY_HTTP_HOST 10',
    'reads HOME_F 12',
    'reads @getenvs:NO 13',
  ]);
});

it('serves routes of routers', () => {
  const found = read(
    'a.php',
    `<?php
Route::get('/a', [Shop::class, 'a']);
$app->post('/b', $b);
$app->get('c', $c);
$app->get('/d');
$app->use('/e', $e);
$app?->delete('/f', $f);
$app->any2('/g', $g);
`,
  );
  expect(showCode(found)).toEqual([
    'call Route.get 2',
    'read Shop.class 2',
    'read Shop 2',
    'call ?.post 3',
    'call ?.get 4',
    'call ?.get 5',
    'call ?.use 6',
    'call ?.delete 7',
    'call ?.any2 8',
    'serves GET /a 2',
    'serves POST /b 3',
    'serves DELETE /f 7',
  ]);
});

it('throws errors with what they say', () => {
  const found = read(
    'a.php',
    `<?php
throw new SaleException(1, 'gone');
throw new \\Kinds\\BadException();
throw $error;
`,
  );
  expect(showCode(found)).toEqual([
    'call SaleException 2',
    'call BadException 3',
    'error throw SaleException (gone) 2',
    'error throw BadException () 3',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'a.php',
    `<?php
function f(Lamp $one) { $one->go(); }
class A { function m(Lamp $two) { $two->go(); } }
$f = function (Lamp $three) { $three->go(); };
$g = fn(Lamp $four) => $four->go();
$one->go(); $two->go(); $three->go(); $four->go();
`,
  );
  expect(showCode(found)).toEqual([
    'export function f(one: Lamp) 2',
    'export class A 3',
    'export method A.m(two: Lamp) 3',
    'type Lamp 2 in f',
    'call Lamp.go 2 in f',
    'type Lamp 3 in A.m',
    'call Lamp.go 3 in A.m',
    'type Lamp 4',
    'call Lamp.go 4',
    'type Lamp 5',
    'call Lamp.go 5',
    'call ?.go 6',
  ]);
});

it('has the comment before it', () => {
  const found = read(
    'a.php',
    `<?php
/** One. */
class One {
  /** Two. */
  private function two() {}
  /** Three. */
  const THREE = 3;
  /** Four. */
  private $four = 4, $none;
}
/** Five. */
function five() {}
`,
  );
  expect(showCode(found)).toEqual([
    'export class One 3-10: One.',
    'method One.two() 5: Two.',
    'export constant One.THREE 7: Three.',
    'export field One.four 9: Four.',
    'export field One.none 9',
    'export function five() 12: Five.',
    'value One.THREE = 3 7',
  ]);
});
