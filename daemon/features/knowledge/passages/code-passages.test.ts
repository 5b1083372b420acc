import { describe, expect, it } from 'vitest';
import { codePassages, definedName } from './code-passages.js';
import { findPositions, getStems, IMPORT, readPassage } from './passage-text.js';

describe('a line defines a name', () => {
  it.each<[string, string]>([
    ['export default declare public private protected internal static final function lamp', 'lamp'],
    ['abstract async virtual override inline extern const unsafe sealed partial open data class Lamp', 'Lamp'],
    ['  suspend readonly get set fun lamp', 'lamp'],
    ['pub(in a::b)  fn  lamp', 'lamp'],
    ['function* lamp()', 'lamp'],
    ['function  *  lamp()', 'lamp'],
    ['interface Lamp', 'Lamp'],
    ['enum Lamp', 'Lamp'],
    ['namespace Lamp', 'Lamp'],
    ['module Lamp', 'Lamp'],
    ['struct Lamp', 'Lamp'],
    ['trait Lamp', 'Lamp'],
    ['impl<T> Lamp', 'Lamp'],
    ['impl Lamp', 'Lamp'],
    ['union Lamp', 'Lamp'],
    ['protocol Lamp', 'Lamp'],
    ['extension Lamp', 'Lamp'],
    ['object Lamp', 'Lamp'],
    ['record Lamp', 'Lamp'],
    ['def self.lamp', 'lamp'],
    ['func (s  *Server)  lamp(', 'lamp'],
    ['sub lamp', 'lamp'],
    ['defmodule Lamp', 'Lamp'],
    ['defp lamp', 'lamp'],
    ['macro_rules! lamp', 'lamp'],
    ['package lamp', 'lamp'],
    ['type Lamp', 'Lamp'],
    ['message Lamp', 'Lamp'],
    ['service Lamp', 'Lamp'],
    ['class $lamp_1', '$lamp_1'],
    ['lamp: 1', 'lamp'],
    ['lamp.on-x :', 'lamp.on-x'],
    ['export  default  const  lamp=', 'lamp'],
    ['let lamp  :', 'lamp'],
    ['var  lamp =', 'lamp'],
    ['val Map<a, b>  lamp =', 'lamp'],
    ['static int  lamp =', 'lamp'],
    ['final lamp =', 'lamp'],
    ['    a.b.exports.lamp  =', 'lamp'],
    ['exports.lamp=', 'lamp'],
    ['Lamp.prototype.on = ', 'on'],
    ['#  define  LAMP', 'LAMP'],
    ['  CREATE  TABLE  lamps (', 'lamps'],
    ['create unique index if not exists lamps on', 'lamps'],
    ['CREATE OR REPLACE VIEW a.lamps  ', 'lamps'],
    ['CREATE INDEX "lamps" (', 'lamps'],
    ['CREATE FUNCTION `lamps`(', 'lamps'],
    ['CREATE TRIGGER lamps ', 'lamps'],
    ['CREATE TYPE lamps ', 'lamps'],
    ['create table lamps (', 'lamps'],
    ['create view lamps (', 'lamps'],
    ['create function lamps (', 'lamps'],
    ['std::map<a, b> *lamp  (int a) {', 'lamp'],
    ['Lamp::on(', 'on'],
    ['Lamp::~on()', 'on'],
    ['lamp (', 'lamp'],
    ['LAMP_MAX: a =', 'LAMP_MAX'],
    ['LAMP=', 'LAMP'],
    ['L2M  = 1', 'L2M'],
    ['[lamp.on-x]', 'lamp.on-x'],
    ['[["lamp"]]  ', 'lamp'],
    ['  "@a/lamp.on-x"  :  {', '@a/lamp.on-x'],
    ['  "lamp":[', 'lamp'],
    ['MACRO_1(  lamp)', 'lamp'],
    ['  on(a) {', 'on'],
    ['\tasync  *on<T>(a)  {  ', 'on'],
    ['    int[]  on (a): b {', 'on'],
    ['  #on() {', 'on'],
    ['  ~on() {', 'on'],
    ['  public static on() {', 'on'],
  ])('%j: %s', (line, name) => expect(definedName(line)).toBe(name));

  it.each([
    'x function lamp',
    'functional lamp',
    'function',
    'myclass Lamp',
    'const lamp',
    ' x const lamp = 1',
    '     exports.lamp = 1',
    'x exports.lamp',
    ' # define LAMP',
    'x #define LAMP',
    'CREATE TABLE lamps',
    'lamp(a);',
    'lamp(); b',
    'LA=',
    ' LAMP =',
    'xLAMP =',
    '[lamp] x',
    '[lamp on]',
    'x [lamp]',
    'lamp:: x',
    'lamp := x',
    ' lamp : x',
    '   "lamp": {',
    '  "lamp": 1',
    ' on() {',
    '     on() {',
    '  on() {}',
    '  on(;) { x',
    'return lamp(',
    '  await lamp() {',
    'throw lamp(',
    '  else {',
    '  for (a) {',
    'switch (a) {',
    'yield lamp(',
    'do lamp(',
    'if (a) {',
    'elif lamp:',
    'finally:',
    'with lamp:',
    'default: x',
    'public: x',
    'private: x',
    'protected: x',
    'http://x',
    'https: x',
    'new (a',
    'typeof (a',
    'using (a',
    'except: x',
    'describe(a',
    'it(a',
    'test(a',
    '  describe(a) {',
    '  it(a) {',
    '  test(a) {',
    '  new(a) {',
    '  typeof (a) {',
    '  using (a) {',
    '  except (a) {',
    '',
  ])('%j defines none', (line) => expect(definedName(line)).toBeUndefined());

  it('of at most 400 characters', () => {
    const line = (length: number) => `lamp: ${'x'.repeat(length - 6)}`;
    expect([definedName(line(400)), definedName(line(401))]).toEqual(['lamp', undefined]);
  });

  it('members of a class only where they are wanted', () => {
    expect(definedName('  on(a) {', false)).toBeUndefined();
    expect(definedName('function on(a) {', false)).toBe('on');
  });
});

describe('code is split at its definitions', () => {
  const split = (text: string) =>
    codePassages(text.split('\n')).map(({ startLine, endLine, kind, title }) => {
      expect(kind).toBe('code');
      return `${startLine}-${endLine} ${title}`.trimEnd();
    });
  const long = (name: string, length = 5) => `def ${name}:${'\n  x'.repeat(length - 1)}`;

  it.each<[string, string, string[]]>([
    ['each definition for itself', `${long('a')}\n${long('b')}`, ['1-5 a', '6-10 b']],
    ['what is before the first', `x\nx\nx\nx\nx\n${long('a')}`, ['1-5', '6-10 a']],
    ['nothing defined', 'x\nx', ['1-2']],
    ['a short one with the next', `${long('a', 4)}\n${long('b')}`, ['1-9 a, b']],
    ['a short one with the one before', `${long('a')}\n${long('b', 4)}`, ['1-9 a, b']],
    ['a short one with one of sixteen lines', `${long('a', 4)}\n${long('b', 16)}`, ['1-20 a, b']],
    ['and not with a longer one', `${long('a', 4)}\n${long('b', 17)}`, ['1-4 a', '5-21 b']],
    ['a name once', `${long('a', 2)}\n${long('a', 2)}`, ['1-4 a']],
    [
      'at most twelve names',
      Array.from({ length: 14 }, (_, at) => `def a${at}:`).join('\n'),
      [`1-14 ${Array.from({ length: 12 }, (_, at) => `a${at}`).join(', ')}`],
    ],
    ['a long one at blank lines', `${long('a', 30)}\n\n${long('x', 1)}${'\n  y'.repeat(5)}`, ['1-31 a', '32-37 x']],
    [
      'a very long one in several',
      `def a:\n${'  x\n'.repeat(30)}\n${'  x\n'.repeat(20)}`.trimEnd(),
      ['1-32 a', '33-52 a'],
    ],
    [
      'no definition further inside',
      `${long('a')}\n     def b:\n\t\tdef c:\n    def d:${'\n  x'.repeat(4)}`,
      ['1-7 a', '8-12 d'],
    ],
  ])('%s', (_, text, passages) => expect(split(text)).toEqual(passages));

  it.each([
    '// x',
    '  // x',
    '/* x',
    ' * x',
    '# x',
    '#x',
    '-- x',
    '"""x',
    "'''x",
    '@x',
    '[x] y',
    '[x(1)]',
    ';; x',
    '% x',
    '<!-- x',
    '#defined x',
  ])('with the line %j above it', (line) => {
    expect(split(`${long('a')}\n${line}\n${line}\n${long('b')}`)).toEqual(['1-5 a', '6-12 b']);
  });

  it.each([
    'x',
    '#if x',
    '#  include x',
    '# ifdef x',
    '#ifndef x',
    '#else',
    '#endif',
    '#pragma x',
    '#undef x',
    'x // y',
    '@ x',
    '[ x',
  ])('without the line %j above it', (line) =>
    expect(split(`${long('a')}\n${line}\n${long('b')}`)).toEqual(['1-6 a', '7-11 b']),
  );

  it('a comment belongs to one definition', () => {
    expect(split(`// x\n${long('a')}\n// y\n${long('b')}`)).toEqual(['1-6 a', '7-12 b']);
    expect(split(`@a\ndef a:\n@b\ndef b:${'\n  x'.repeat(4)}`)).toEqual(['1-8 a, b']);
  });
});

describe('the words of a passage', () => {
  const places = (text: string) => Object.fromEntries(readPassage(text.split('\n'), '', '').places);

  it('are stems with their places', () => {
    expect(places('The lamps, 5 lamp\nÄrger _x_ $ __')).toEqual({
      the: [0],
      lamp: [1, 3],
      '5': [2],
      arger: [4],
      x: [5],
    });
    expect(readPassage(['a b', '', 'c'], '', '').lineOf).toEqual([0, 0, 2]);
  });

  it('are whole names and their parts', () => {
    expect(places('lampOn x')).toEqual({ lampon: [0], lamp: [0], on: [1], x: [2] });
    expect(places('lamp_on')).toEqual({ lampon: [0], lamp: [0], on: [1] });
    expect(places('HTTPLamp')).toEqual({ httplamp: [0], http: [0], lamp: [1] });
    expect(places('$lamp _lamp lamp_ LAMP')).toEqual({ lamp: [0, 1, 2, 3] });
  });

  it('are those of the first 2,000 characters of a line', () => {
    const found = places(`${' '.repeat(1_996)}lamps\nx`);
    expect(found).toEqual({ lamp: [0], x: [1] });
    expect(places(`${' '.repeat(2_000)}lamp\nx`)).toEqual({ x: [0] });
  });

  it('occur one behind the other', () => {
    const text = readPassage(['reply send reply x send', 'reply send all'], '', '');
    expect(findPositions(text, ['repli'])).toEqual([0, 2, 5]);
    expect(findPositions(text, ['repli', 'send'])).toEqual([0, 5]);
    expect(findPositions(text, ['repli', 'send', 'all'])).toEqual([5]);
    expect(findPositions(text, ['x', 'y'])).toEqual([]);
    expect(findPositions(text, ['y'])).toEqual([]);
  });

  it('are those of title and path too', () => {
    const { title, path } = readPassage([], 'Lamp Ons, lampOff', 'src/a-b.tsx');
    expect([...title].sort()).toEqual(['lamp', 'lampoff', 'off', 'on']);
    expect([...path].sort()).toEqual(['a', 'abtsx', 'b', 'src', 'tsx']);
    expect([...getStems('a>b c/d')].filter((one) => one !== '').sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    'import a',
    '  import a',
    "export { a } from 'b'",
    "export * from 'b'",
    'from  a  import b',
    '#  include <a>',
    '#include "a"',
    'use a::b;',
    'use a::b  as c;',
    'using a.b;',
    'package a',
    "const a = require('b')",
    "let a=require('b')",
    "require 'a'",
    "require_relative 'a'",
  ])('%j is an import', (line) => expect(IMPORT.test(line)).toBe(true));

  it.each(['imports', 'x import', 'export const a = 1', 'from a', 'use it', 'using a.b', 'packages', 'requires x'])(
    '%j is none',
    (line) => expect(IMPORT.test(line)).toBe(false),
  );

  it('tell which share of their lines is imports', () => {
    const share = (...lines: string[]) => readPassage(lines, '', '').importShare;
    expect(share('import a', '', '  ', 'x', 'y', 'z')).toBe(0.25);
    expect(share('', ' ')).toBe(0);
    expect(share('import a')).toBe(1);
  });
});
