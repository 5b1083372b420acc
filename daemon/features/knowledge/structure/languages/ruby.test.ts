import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares modules, classes, methods and values', () => {
  const found = read(
    'lib/a.rb',
    `require 'json'
require_relative 'store'
require_relative './other'
load 'late.rb'
autoload :Lamp, 'town/lamp'
require path
LIMIT = 5
# Sells. Well.
class Shop < Kinds::Base
  include Seller
  extend Kinds::Open, Other
  prepend lower
  MOST = [1]
  attr_reader :size, :depth
  attr_accessor "no"
  attr_writer :made
  attr_other :no
  def sell(count = 2, *rest, key:, other: 3, **more, &block)
  end
  def self.open; end
  def lit?; end
end
module Town
  class Inner::Kiosk < Base; end
  def self.go; end
end
class Plain; end
def help(a) = a
alias shine help
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'export constant LIMIT 7',
    'export class Shop 9-22: Sells.',
    'export constant Shop.MOST 13',
    'export field Shop.size 14',
    'export field Shop.depth 14',
    'export field Shop.made 16',
    'export method Shop.sell(count = 2, rest, key, other = 3, more, block) 18-19',
    'export method Shop.open 20',
    'export method Shop.lit? 21',
    'export module Town 23-26',
    'export class Town.Kiosk 24',
    'export method Town.go 25',
    'export class Plain 27',
    'export function help(a) 28',
    'import json (*) 1',
    'import ./store (*) 2',
    'import ./other (*) 3',
    'import late.rb (*) 4',
    'import town/lamp (*) 5',
    'call path 6',
    'read Kinds 9 in Shop',
    'extend Base 9 in Shop',
    'implement Seller 10 in Shop',
    'call include 10 in Shop',
    'implement Open 11 in Shop',
    'implement Other 11 in Shop',
    'call extend 11 in Shop',
    'read Kinds 11 in Shop',
    'call prepend 12 in Shop',
    'call lower 12 in Shop',
    'call attr_reader 14 in Shop',
    'call attr_accessor 15 in Shop',
    'call attr_writer 16 in Shop',
    'call attr_other 17 in Shop',
    'read Inner 24 in Town.Kiosk',
    'extend Base 24 in Town.Kiosk',
    'read shine 29',
    'call help 29',
    'value LIMIT = 5 7',
    'value Shop.MOST = [1] 13',
  ]);
});

it('knows what a value is by how it was made and by its class', () => {
  const found = read(
    'lib/a.rb',
    `class Shop
  def run(lamp)
    @store = Store.new
    @deep = Kinds::Deep.new(1)
    @found = find
    road = Kinds::Road.new
    @store.load
    @deep.go
    @found.no
    @unknown.no
    self.run
    road.walk
    lamp.light
    Tools.help
    Kinds::Tools.help2
    Wall.new.climb
    Kinds::Gate.new.close
    find.no
    other.no
    [1].each { |one| one.go; use(one) }
    plain 1
    "x".no
  end
end
module Town
  def self.go
    self.stop
  end
end
self.top
`,
  );
  expect(showCode(found)).toEqual([
    'export class Shop 1-24',
    'export method Shop.run(lamp) 2-23',
    'export module Town 25-29',
    'export method Town.go 26-28',
    'call Store 3 in Shop.run',
    'call Store.new 3 in Shop.run',
    'read Store 3 in Shop.run',
    'call Deep 4 in Shop.run',
    'call Deep.new 4 in Shop.run',
    'read Kinds 4 in Shop.run',
    'read Deep 4 in Shop.run',
    'call find 5 in Shop.run',
    'call Road 6 in Shop.run',
    'call Road.new 6 in Shop.run',
    'read Kinds 6 in Shop.run',
    'read Road 6 in Shop.run',
    'call Store.load 7 in Shop.run',
    'call Deep.go 8 in Shop.run',
    'call ?.no 9 in Shop.run',
    'call ?.no 10 in Shop.run',
    'call Shop.run 11 in Shop.run',
    'call Road.walk 12 in Shop.run',
    'call ?.light 13 in Shop.run',
    'call Tools.help 14 in Shop.run',
    'read Tools 14 in Shop.run',
    'call Tools.help2 15 in Shop.run',
    'read Kinds 15 in Shop.run',
    'read Tools 15 in Shop.run',
    'call Wall.climb 16 in Shop.run',
    'call Wall 16 in Shop.run',
    'call Wall.new 16 in Shop.run',
    'read Wall 16 in Shop.run',
    'call Gate.close 17 in Shop.run',
    'call Gate 17 in Shop.run',
    'call Gate.new 17 in Shop.run',
    'read Kinds 17 in Shop.run',
    'read Gate 17 in Shop.run',
    'call find.no 18 in Shop.run',
    'call find 18 in Shop.run',
    'call other.no 19 in Shop.run',
    'call other 19 in Shop.run',
    'call ?.each 20 in Shop.run',
    'call ?.go 20 in Shop.run',
    'call use 20 in Shop.run',
    'call plain 21 in Shop.run',
    'call ?.no 22 in Shop.run',
    'call Town.stop 27 in Town.go',
    'call ?.top 30',
  ]);
});

it('counts no local name as a use, and every other as a call', () => {
  const found = read(
    'lib/a.rb',
    `def f(given, key: 1)
  own = given + key + top
  [1].map { |a, b| a + b + own + top }
  { name: own, other => top }
  LIMIT
end
`,
  );
  expect(showCode(found)).toEqual([
    'export function f(given, key = 1) 1-6',
    'call top 2 in f',
    'call ?.map 3 in f',
    'call top 3 in f',
    'call other 4 in f',
    'call top 4 in f',
    'read LIMIT 5 in f',
  ]);
});

it('reads the environment in every form, and not what is only set', () => {
  const found = read(
    'lib/a.rb',
    `ENV['HOME_A']
ENV.fetch('HOME_B', 'x')
ENV.key?('HOME_C')
ENV.has_key?('HOME_D')
ENV.include?('HOME_E')
ENV.member?('HOME_F')
ENV.dig('HOME_G')
ENV[NAME_H]
ENV['SET'] = '1'
env = ENV
env['HOME_I']
env.fetch('HOME_J')
ENV.delete('NO')
other['NO']
x = ENV['HOME_K']
def read(from = ENV, no = 1)
  from['HOME_L'] || no['NO']
end
`,
  );
  expect(showCode(found)).toEqual([
    'export function read(from = ENV, no = 1) 16-18',
    'read ENV 1',
    'call ENV.fetch 2',
    'read ENV 2',
    'call ENV.key? 3',
    'read ENV 3',
    'call ENV.has_key? 4',
    'read ENV 4',
    'call ENV.include? 5',
    'read ENV 5',
    'call ENV.member? 6',
    'read ENV 6',
    'call ENV.dig 7',
    'read ENV 7',
    'read ENV 8',
    'read NAME_H 8',
    'read ENV 9',
    'read ENV 10',
    'call env 11',
    'call ?.fetch 12',
    'call env 12',
    'call ENV.delete 13',
    'read ENV 13',
    'call other 14',
    'read ENV 15',
    'read ENV 16 in read',
    'reads HOME_A 1',
    "reads HOME_B = 'x' 2",
    'reads HOME_C 3',
    'reads HOME_D 4',
    'reads HOME_E 5',
    'reads HOME_F 6',
    'reads HOME_G 7',
    'reads $NAME_H 8',
    'reads HOME_I 11',
    'reads HOME_J 12',
    'reads @delete:NO 13',
    'reads HOME_K 15',
    'reads HOME_L 17',
  ]);
});

it('serves routes that are called without a receiver', () => {
  const found = read(
    'lib/a.rb',
    `get '/a' do end
post('/b') { }
put 'c'
app.get '/d'
options '/e'
`,
  );
  expect(showCode(found)).toEqual([
    'call get 1',
    'call post 2',
    'call put 3',
    'call app.get 4',
    'call app 4',
    'call options 5',
    'serves GET /a 1',
    'serves POST /b 2',
  ]);
});

it('raises errors with what they say', () => {
  const found = read(
    'lib/a.rb',
    `def f
  raise SaleError, 'gone'
  raise Kinds::BadError.new('bad')
  raise 'plain'
  fail Other
  raise error
  raise
  raise Lost.new, 'why'
  go.raise 'no'
end
`,
  );
  expect(showCode(found)).toEqual([
    'export function f 1-10',
    'call raise 2 in f',
    'read SaleError 2 in f',
    'call raise 3 in f',
    'call BadError 3 in f',
    'call BadError.new 3 in f',
    'read Kinds 3 in f',
    'read BadError 3 in f',
    'call raise 4 in f',
    'call fail 5 in f',
    'read Other 5 in f',
    'call raise 6 in f',
    'call error 6 in f',
    'call raise 7 in f',
    'call raise 8 in f',
    'call Lost 8 in f',
    'call Lost.new 8 in f',
    'read Lost 8 in f',
    'call go.raise 9 in f',
    'call go 9 in f',
    'error raise SaleError (gone) 2',
    'error raise BadError (bad) 3',
    'error raise RuntimeError (plain) 4',
    'error raise Other () 5',
    'error raise RuntimeError () 6',
    'error raise Lost (why) 8',
  ]);
});

it('ends a local name with what declares it', () => {
  const found = read(
    'a.rb',
    `def f(one)
  one
end
def self.g(two)
  two
end
x.each { |three| three }
x.each do |four|
  four
end
h = ->(five) { five }
one; two; three; four; five
`,
  );
  expect(showCode(found)).toEqual([
    'export function f(one) 1-3',
    'export function g(two) 4-6',
    'call x.each 7',
    'call x 7',
    'call x.each 8',
    'call x 8',
    'call one 12',
    'call two 12',
    'call three 12',
    'call four 12',
    'call five 12',
  ]);
});

it('has the comment before it', () => {
  const found = read(
    'a.rb',
    `# One.
class One # Not this.
  # Two.
  def two; end
  # Three.
  THREE = 3
end
class Four # Not this.
  def five; end
end
`,
  );
  expect(showCode(found)).toEqual([
    'export class One 2-7: One.',
    'export method One.two 4: Two.',
    'export constant One.THREE 6: Three.',
    'export class Four 8-10',
    'export method Four.five 9',
    'value One.THREE = 3 6',
  ]);
});
