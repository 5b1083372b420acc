import { describe, expect, it } from 'vitest';
import { namedTerm, weighedTerm } from '../../testing/parts/ranked-passages.js';
import {
  bestSentence,
  commentStart,
  commentText,
  definitionLine,
  plainText,
  shortened,
  splitSentences,
} from './sentences.js';

it.each([
  ['See [the lamp](https://example.org/Lamp_(light)) first.', 'See the lamp first.'],
  ['![a picture](lamp.png) [one][two] three', 'one three'],
  ['> quoted\n\n- listed\n\n  2. counted', 'quoted listed counted'],
  ['before <!-- not said --> after <!-- never closed', 'before after'],
  ['a <b class="x">bold</b> word, 1 < 2', 'a bold word, 1 < 2'],
  ['a < b> c <> d', 'a < b> c <> d'],
  ['one <!-- a\nb --> two <!-- c --> three', 'one two three'],
  ['![a](b(c)d) ![](e) f', 'f'],
  ['![a](b(c)(d)) e', 'e'],
  ['[a](b) [](c) [d](e(f)g) [h](i(j)(k)) [l]', 'a d h [l]'],
  ['[a][] [b][c]', 'a b'],
  ['[a] (b) [c](d', '[a] (b) [c](d'],
  ['**bold** __strong__ **a b** *thin* a_b', 'bold strong a b *thin* a_b'],
  ['** no** **no **', '** no** **no **'],
  ['**a\nb**', 'a b'],
  ['**a', '**a'],
  ['  > a\n\t- b\n+  c\n* d\n12) e\n### f\n####### g', 'a b c d e f ####### g'],
  ['a - b\na > b\n-c\n1.d\n#e', 'a - b a > b -c 1.d #e'],
  ['  a \t b\n', 'a b'],
  ['`a  b`', '`a b`'],
])('converts %j to %j', (markdown, text) => {
  expect(plainText(markdown)).toBe(text);
});

it.each([
  [['/**', ' * Keeps the lamp lit.  ', ' * @internal', ' */'], 'Keeps the lamp lit.'],
  [['// One line.', '//   and its rest'], 'One line. and its rest'],
  [['/* All in one. */'], 'All in one.'],
  [['# A shell script\r', '# of two lines\r'], 'A shell script of two lines'],
  [['#include <lamp.h>', '# not a comment of C'], 'not a comment of C'],
  [['#  define A', '#  if B', '#ifdef', '#ifndef', '#endif', '#pragma', '#else', '# A'], 'A'],
  [['#includes it'], 'includes it'],
  [['let a;', '  /// A', '//! B', '// C', 'let b;', '// D'], 'A B C'],
  [['-- A', ';; B', '  * C', '  **/', 'x'], 'A B C'],
  [['//A', '//  B'], 'A B'],
  [['/** A */', '// B'], 'A B'],
  [['/*', ' * A', ' */', 'x'], 'A'],
  [['// A', ' */', '// B'], 'A B'],
  [['// A', ' */ x', '// B'], 'A'],
  [['/**', ' * @param a', ' * !b', ' * !', '//!c', ' * A @b', ' */'], 'c A @b'],
  [['def a():', '  """Says A.', '', '    Then B.', '  """', '  # C'], 'Says A. Then B.'],
  [['"""Says A."""', '# B'], 'Says A.'],
  [["  r'''Says A.'''", '# B'], 'Says A.'],
  [["bR'''", 'Says A.', "B.''' # C", '# D'], 'Says A. B. # C'],
  [["x '''Says A.'''"], ''],
  [['# A', "'''B'''"], 'A B'],
  [['let a;'], ''],
  [['a // B'], ''],
])('extracts from the lines %j the comment %j', (lines, text) => {
  expect(commentText(lines)).toBe(text);
});

it.each([
  ['One. Two.', ['One.', 'Two.']],
  ['One! Two? Three: Four', ['One!', 'Two?', 'Three:', 'Four']],
  ['He said "one." Then two.', ['He said "one."', 'Then two.']],
  ["It is 'one.' (Two.) [Three.] Four.", ["It is 'one.'", '(Two.)', '[Three.]', 'Four.']],
  ['One.  "Two." `three` is. 4 of them.', ['One.', '"Two."', '`three` is.', '4 of them.']],
  ["One. 'Two.' [Three]", ['One.', "'Two.'", '[Three]']],
  ['One. two. Three', ['One. two.', 'Three']],
  ['See a.b and 1.2. Then C', ['See a.b and 1.2.', 'Then C']],
  ['One, Two; Three', ['One, Two; Three']],
  [
    'Use it, e.g. Two, i.e. Three, etc. Four vs. Five cf. Six',
    ['Use it, e.g. Two, i.e. Three, etc. Four vs. Five cf. Six'],
  ],
  ['By J. R. Smith, approx. 3, no. 4, Fig. 5.', ['By J. R. Smith, approx. 3, no. 4, Fig. 5.']],
  ['The menu. Two', ['The menu.', 'Two']],
  ['Nofig. Two', ['Nofig.', 'Two']],
  ['e.g. here. Two', ['e.g. here.', 'Two']],
  ['', []],
])('splits %j into its sentences', (text, sentences) => expect(splitSentences(text)).toEqual(sentences));

describe('the sentence that answers', () => {
  const terms = [weighedTerm('lamp'), weighedTerm('wick')];
  const best = (text: string, isCode = false) => bestSentence(text.split('\n'), isCode, terms);

  it.each<[string, string, string | undefined]>([
    ['covers most of the question', 'A lamp is red. A wick of the lamp is long.', 'A wick of the lamp is long.'],
    ['is the first of two that cover as much', 'The lamp is here. The lamp is there.', 'The lamp is here.'],
    ['is of a paragraph', 'It is nothing.\n\nThe lamp is lit\nby its wick.', 'The lamp is lit by its wick.'],
    ['is of an item', 'It is nothing:\n- a wick alone\n- a lamp and a wick\n* bulbs', 'a lamp and a wick'],
    ['is of a numbered item', 'a wick alone\n1. a lamp and a wick\n2) a bulb', 'a lamp and a wick'],
    ['is no item without a gap behind its mark', 'a wick alone\n-a lamp', 'a wick alone -a lamp'],
    ['is of a row', '| a wick |\n|---|\n| a lamp | and a wick |', 'a lamp — and a wick'],
    ['has no heading in it', '# Lamp and wick\nThe wick is long.', 'The wick is long.'],
    [
      'has no heading of the sixth level in it',
      'A wick is so.\n  ###### Lamp and wick\nThey are long.',
      'A wick is so.',
    ],
    ['has no underline in it', 'Lamp and wick\n======\nThe wick is.', 'Lamp and wick'],
    ['has no block of code in it', 'The wick is long.\n```\nthe lamp and wick\n```\nIt ends.', 'The wick is long.'],
    ['goes on behind a block of code', '~~~\nnothing here at all\n  ~~~\nThe lamp is lit.', 'The lamp is lit.'],
    ['has twelve characters', 'a lamp it is', 'a lamp it is'],
    ['and not fewer', 'a lamp is it', 'a lamp is it'],
    ['has not eleven', 'a lamp it i', undefined],
    ['has three words', 'lamplight wick', undefined],
    ['has two letters side by side', '1 2 3 4 5 6 7 8 a 9', undefined],
    ['does not end with a colon', 'This is the lamp:', undefined],
    ['does not end with a comma', 'This is the lamp,', undefined],
    ['may hold one', 'This: is the lamp', 'This: is the lamp'],
    ['is none of nothing', '', undefined],
  ])('%s', (_, text, sentence) => expect(best(text)?.text).toBe(sentence));

  it('of code is of its comment', () => {
    expect(best('// The lamp is lit. A wick of a lamp.\nlet lamp;', true)?.text).toBe('A wick of a lamp.');
    expect(best('let lamp = wick and more;', true)).toBeUndefined();
  });

  it('says how much it covers, and is shortened', () => {
    expect(best('The lamp is lit.')).toEqual({ text: 'The lamp is lit.', coverage: 0.5 });
    const long = `The lamp ${'is lit '.repeat(50)}here. The lamp is there.`;
    expect(best(long)?.text).toMatch(/^The lamp is lit .* …$/);
    const second = `A lamp ${'is lit '.repeat(50)}. ${'It is the lamp here. '.repeat(2)}`;
    expect(best(`Nothing at all. ${second}`)?.text).toBe('It is the lamp here.');
  });

  it('is rather the first, unless another covers much more', () => {
    const weighed = (weight: number) => [
      weighedTerm('lamp', { weight }),
      weighedTerm('wick', { weight: 100 - weight }),
    ];
    const first = (weight: number) =>
      bestSentence(['A bulb of a wick. A lamp of a house.'], false, weighed(weight))?.text === 'A bulb of a wick.';
    expect([first(55), first(57)]).toEqual([true, false]);
  });
});

describe('the line that defines', () => {
  const line = (text: string, ...terms: Parameters<typeof definitionLine>[1]) =>
    definitionLine(text.split('\n'), terms);

  it.each<[string, string, number | undefined]>([
    ['what is asked for', 'function wick() {\n  lamp = 1;', 1],
    ['what is asked for in an object', 'const wick = {\n  lamp: 1,', 1],
    ['a member that is asked for', 'const wick = 1;\n  exports.a.lamp  = 1;', 1],
    ['a member in quotes', 'const wick = 1;\n  "lamp": 2', 0],
    ['a key in quotes', "const wick = 1;\nlamp': 2", 1],
    ['else the first name', 'x();\nfunction wick() {\nfunction bulb() {', 1],
    ['not where it is compared', 'function wick() {\n  lamp == 1', 0],
    ['nothing', 'x();\n\ny();', undefined],
  ])('%s', (_, text, index) => expect(line(text, weighedTerm('lamp'))?.index).toBe(index));

  it('is given with its name, without the space around it', () => {
    expect(line('x\n  lampOn: 1,  ', namedTerm('lampOn', ['lamp', 'on']))).toEqual({
      line: 'lampOn: 1,',
      index: 1,
      name: 'lampOn',
    });
  });
});

it.each([
  ['// a', 1],
  ['  //', 1],
  ['/* a', 1],
  [' * a', 1],
  ['# a', 1],
  ['-- a', 1],
  ['@a', 1],
  [';; a', 1],
  ['a // b', 2],
  ['', 2],
])('the comment above a definition begins with its first line: %j', (comment, start) => {
  expect(commentStart(['x', comment, 'y', '// z'], 2)).toBe(start);
  expect(commentStart([comment, comment], 1)).toBe(start === 1 ? 0 : 1);
  expect(commentStart([comment], 0)).toBe(0);
});

it('a text of more than 320 characters is cut at a space, and without the mark before it', () => {
  expect(shortened('a'.repeat(320))).toBe('a'.repeat(320));
  expect(shortened('a'.repeat(321))).toBe(`${'a'.repeat(200)} …`);
  expect(shortened(`${'a'.repeat(250)} ${'b'.repeat(100)}`)).toBe(`${'a'.repeat(250)} …`);
  expect(shortened(`${'a'.repeat(248)}., ${'b'.repeat(100)}`)).toBe(`${'a'.repeat(248)} …`);
  expect(shortened(`${'a'.repeat(100)} ${'b'.repeat(300)}`)).toBe(`${'a'.repeat(100)} ${'b'.repeat(99)} …`);
});

it.each([
  ['<!--', 60_000],
  ['[', 250_000],
  ['![](', 60_000],
  ['<<', 125_000],
  ['\n\t', 125_000],
])('reads %j repeated many times in bounded time', (piece, times) => {
  const text = piece.repeat(times);
  const startedMs = performance.now();
  plainText(text);
  commentText([`# ${text}x`]);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
