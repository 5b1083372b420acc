import { describe, expect, it } from 'vitest';
import { namedTerm, rankedPassage, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { createForm } from './question.js';
import { bestQuote, computeCoverage, isAskedFor } from './quotes.js';
import type { WeighedTerm } from './ranking.js';

type Kind = 'code' | 'section' | 'fenced';

const LAMP = [weighedTerm('lamp')];

/** Returns the first and last line of the quote that is chosen, and what it covers where that is not all. */
function quote(kind: Kind, text: string, terms: readonly WeighedTerm[] = LAMP): string | undefined {
  const found = bestQuote(rankedPassage(text, { kind }), terms);
  if (!found) return undefined;
  expect(found.lines).toEqual(text.split('\n').slice(found.startLine - 1, found.endLine));
  return `${found.startLine}-${found.endLine}${found.coverage === 1 ? '' : ` ${found.coverage.toFixed(3)}`}`;
}

/** A paragraph that is longer than a quote, so that what stands behind it is quoted only where a quote begins. */
const LONG = 'y\n'.repeat(13);

describe('a quote of a document', () => {
  it.each<[string, string, string | undefined]>([
    ['takes what stands around in, as long as it says something', 'wick\nwick\n\nlamp\nlamp', '1-5'],
    ['goes on over three blank lines', 'lamp\n\n\n\nx', '1-5'],
    ['and not over four', 'lamp\n\n\n\n\nx', '1-1'],
    ['is long enough with four lines', 'lamp\n\nx\n\nx\n\nx\n\nx', '1-7'],
    ['holds no table for its length', 'lamp\n\n| x |', '1-1'],
    [
      'holds the row of a table that is asked for',
      '| a | b |\n|---|---|\n| wick | 1 |\n| lamp | 2 |\n| x | 3 |',
      '4-4',
    ],
    ['begins at the beginning of its section', 'x\n\n\n\n\n\n\nlamp', '1-8'],
    ['below the heading', '# Lamp\n\nx\n\n\n\n\n\n\nlamp', '3-10'],
    ['below an anchor', '<a id=x></a>\n\nx\n\n\n\n\n\n\nlamp', '1-10'],
    ['below both', '  # Lamp\n  <a id=x></a>\n\nx\n\n\n\n\n\n\nlamp', '2-11'],
    ['holds a badge close by', '[![b](c)](d)\n\nlamp', '1-3'],
    ['and none further off', '[![b](c)](d)\n\n\nlamp', '4-4'],
    ['is no heading alone', '# Lamp', undefined],
    ['is no heading alone, indented', '  # Lamp', undefined],
    ['may hold a heading with another', '# A\n\n## Lamp', '1-3'],
    ['is nothing without a line that says something', '---\n\n```\n', undefined],
    ['has at most twelve lines', `lamp\n${LONG}`, '1-12'],
    ['has at most 1,600 characters', `lamp ${'ab'.repeat(797)}`, '1-1'],
    ['and not one more', `lamp ${'ab'.repeat(798)}`, undefined],
    ['ends without a rule below', 'lamp\nx\n---\n| y', '1-2'],
    ['ends with a bracket below', 'lamp\nx\n  }\n| y', '1-3'],
    ['ends with the last line', 'lamp', '1-1'],
  ])('%s', (_, text, lines) => expect(quote('section', text)).toBe(lines));

  it.each<[string, boolean]>([
    ['lamp', false],
    ['\nlamp', true],
    ['- lamp', true],
    ['* lamp', true],
    ['+ lamp', true],
    ['1) lamp', true],
    ['12. lamp', true],
    ['  - lamp', true],
    ['-lamp', false],
    ['1.lamp', false],
    ['1 lamp', false],
    ['a- lamp', false],
    ['| lamp', true],
    ['  | lamp', true],
    ['a | lamp', false],
    ['```\nlamp', true],
    ['  ~~~\nlamp', true],
    ['a ```\nlamp', false],
    ['###### x\nlamp', true],
    ['  # x\nlamp', true],
    ['####### x\nlamp', false],
    ['#x\nlamp', false],
    ['a # x\nlamp', false],
    ['```\na\n\nlamp', true],
  ])('can begin at %j: %s', (text, isBeginning) => {
    expect(quote('section', LONG + text)).toMatch(isBeginning ? /^1[4-7]-1[4-7]$/ : /^1-12 0\.000$/);
  });

  it('cannot begin at the end of a block of code', () => {
    expect(quote('section', `\`\`\`\n${LONG}\`\`\`\nlamp`)).toBe('1-12 0.000');
    expect(quote('fenced', `${LONG}\`\`\`\nlamp`)).toBe('1-12 0.000');
    expect(quote('fenced', `${LONG}\`\`\`\n${'y\n'.repeat(11)}\`\`\`\nlamp`)).toBe('26-27');
  });

  it.each<[string, boolean]>([
    ['', true],
    ['- y', true],
    ['* y', true],
    ['+ y', true],
    ['12. y', true],
    ['1) y', true],
    ['  - y', true],
    ['```', true],
    ['  ~~~', true],
    ['| y', true],
    ['  | y', true],
    ['# y', true],
    ['  #y', true],
    ['-y', false],
    ['1.y', false],
    ['1 y', false],
    ['y - z', false],
    ['y |', false],
    ['y #', false],
    ['y ```', false],
  ])('can end before %j: %s', (line, isEnd) => {
    expect(quote('section', `lamp\nx\nx\nx\n${line}`)).toBe(isEnd ? '1-4' : '1-5');
  });

  it.each<[string, boolean]>([
    ['***', true],
    ['====', true],
    ['~~~', true],
    ['---  ', true],
    ['  ___', true],
    ['###', true],
    ['==', false],
    ['--- x', false],
    ['</div>', true],
    ['<br/>  ', true],
    ['</div> x', false],
    ['<1>', false],
    ['![a](b)', true],
    ['[![a](b)](c)', true],
    ['[a]: b', true],
    ['[ab]:  c', true],
    ['[a]:b', false],
    ['<!-- x -->', true],
    ['{}', true],
    [');', true],
    ['[],  ', true],
    ['); x', false],
    ['```', true],
    ["'use strict'", true],
    ['"use strict"', true],
    ['/**', true],
    ['/*  ', true],
    ['*/', true],
    ['**/  ', true],
    ['/* x', false],
    ['*/ x', false],
    ['x ---', false],
  ])('says nothing by the line %j: %s', (line, isNoise) => {
    expect(quote('section', `lamp\n\n${line}`)).toBe(isNoise ? '1-1' : '1-3');
  });

  it('covers the words of its lines by their weights', () => {
    const terms = [weighedTerm('lamp'), weighedTerm('wick', { weight: 3 })];
    expect(quote('section', 'lamp\n\nx\n\nwick', terms)).toBe('1-5');
    expect(quote('section', `lamp\n\n${'x\n\n'.repeat(5)}wick`, terms)).toBe('7-13 0.750');
    expect(quote('section', `wick\n\n${'x\n\n'.repeat(5)}lamp`, terms)).toBe('1-7 0.750');
    const related = [weighedTerm('lamp', { forms: [createForm(['lamp'], 1), createForm(['bulb'], 0.5)] })];
    expect(quote('section', 'bulb', related)).toBe('1-1 0.500');
    expect(quote('section', 'bulb\nlamp', related)).toBe('1-2');
    expect(quote('section', 'lamp\nbulb', related)).toBe('1-2');
    expect(quote('section', 'lamp', [weighedTerm('lamp', { weight: 0 })])).toBe('1-1 0.000');
  });

  it('tells whether it begins within a block of code', () => {
    const isFenced = (kind: Kind, text: string) => bestQuote(rankedPassage(text, { kind }), LAMP)?.isFenced;
    expect(isFenced('section', 'lamp\n```\nx\n```')).toBe(false);
    expect(isFenced('section', `\`\`\`\n${LONG}\nlamp\n\`\`\``)).toBe(true);
    expect(isFenced('fenced', 'lamp\n\nx')).toBe(true);
    expect(isFenced('fenced', `x\n\`\`\`\n${LONG}\nlamp`)).toBe(false);
    expect(isFenced('code', `\`\`\`\n${LONG}\nlamp`)).toBe(false);
  });

  it('begins rather outside of a block of code, or with it', () => {
    const text = `${LONG}\n\`\`\`\na\n\nlamp\n\`\`\``;
    expect(quote('section', text)).toBe('15-18');
    expect(quote('fenced', text)).toBe('18-18');
  });

  it('is counted from the first line of its passage', () => {
    const found = bestQuote(rankedPassage('# Lamp\n\nlamp\nx', { kind: 'section', startLine: 11 }), LAMP);
    expect(found).toEqual({ startLine: 13, endLine: 14, lines: ['lamp', 'x'], coverage: 1, isFenced: false });
  });
});

describe('a quote of code', () => {
  it.each<[string, string, string | undefined]>([
    ['begins at the definition that is asked for', 'x();\nfunction lamp() {', '2-2'],
    ['begins at a definition rather than before it', 'x();\nfunction other() { lamp', '2-2'],
    ['begins at the comment of the definition that is asked for', 'x();\n// on\nfunction lamp() {', '2-3'],
    ['begins at a decorator', 'x();\n@On\nclass Lamp', '2-3'],
    ['begins at a comment', 'x();\n/** lamp', '2-2'],
    ['begins at a comment with a hash', 'x();\n# lamp', '2-2'],
    ['begins at a docstring', 'x();\n  """lamp', '2-2'],
    ['begins before a plain line', 'x();\nlamp();', '1-2'],
    ['begins before an include', 'x();\n#include lamp', '1-2 0.300'],
    ['begins below what says nothing', '{\nlamp();', '2-2'],
    ['goes on to the end of its definition', 'lamp() {\n  a();\n  b();\n  c();\n  d();\n  e();\n}\nf();', '1-7'],
    ['goes on up to ten lines', `lamp() {\n${'  a();\n'.repeat(12)}}`, '1-10'],
    ['goes on up to a blank line', 'lamp() {\n  a();\n  b();\n  c();\n  d();\n\n  e();\n}', '1-5'],
    ['goes on up to 1,600 characters', `lamp() {\na\na\na\n${'b'.repeat(1_584)}\nc`, '1-5'],
    ['and not one more', `lamp() {\na\na\na\n${'b'.repeat(1_585)}\nc`, '1-4'],
    ['of a comment with a hash is no heading', '# lamp', '1-1'],
  ])('%s', (_, text, lines) => expect(quote('code', text)).toBe(lines));

  it.each<[string, boolean]>([
    ['lamp', true],
    ['} lamp', false],
    ['  } lamp', false],
    ['*/ lamp', false],
    ['* lamp', false],
    ['*lamp', true],
    ['/* lamp', true],
    ['a } lamp', true],
  ])('can begin at %j: %s', (line, isBeginning) => expect(quote('code', line)).toBe(isBeginning ? '1-1' : undefined));

  it.each<[string, boolean]>([
    ['//', true],
    ['  //', true],
    ['/*', true],
    ['#', true],
    ['--', true],
    [';;', true],
    ['#define', false],
    ['#  define', false],
    ['#include', false],
    ['# if', false],
    ['#endif', false],
    ['x //', false],
  ])('does not begin within a comment with %j: %s', (mark, isComment) => {
    const found = quote('code', `${`${mark} y\n`.repeat(13)}${mark} lamp`);
    expect(found?.startsWith('1-10')).toBe(isComment);
  });

  it('covers a name that is only imported by a third', () => {
    expect(quote('code', "import lamp from 'a';")).toBe('1-1 0.300');
    expect(quote('section', "import lamp from 'a';")).toBe('1-1');
    expect(quote('code', `import lamp from 'a';\n${'x();\n'.repeat(12)}lamp();`)).toBe('11-14');
  });

  it.each(['//', '*', '/*', '#', '--', '@x', ';;'])('begins at the comment with %s above what is asked for', (mark) => {
    const text = (name: string) => `x();\n${mark} on\n  ${mark} off\nfunction ${name}() { lamp }`;
    const isBeginning = !mark.startsWith('*');
    expect(quote('code', text('lamp'))).toBe(isBeginning ? '2-4' : '4-4');
  });
});

describe('a name that the question asks for', () => {
  it.each<[string, WeighedTerm, boolean]>([
    ['lamp', weighedTerm('lamp'), true],
    ['Lamps', weighedTerm('lamp'), true],
    ['lampOn', weighedTerm('lamp'), false],
    ['lampOn', namedTerm('lamp_on', ['lamp', 'on']), true],
    ['lamp_on', weighedTerm('lampon'), true],
    ['lampOn', weighedTerm('x', { forms: [createForm(['lamp', 'on'], 0.6)] }), true],
    ['lampOn', weighedTerm('x', { forms: [createForm(['lamp', 'on'], 0.59)] }), false],
    ['lamp', weighedTerm('x', { forms: [createForm(['x'], 1), createForm(['lamp'], 0.85)] }), true],
    ['wick', weighedTerm('lamp'), false],
  ])('%s', (name, term, isAsked) => {
    expect(isAskedFor(name, [weighedTerm('other'), term])).toBe(isAsked);
    expect(isAskedFor(name, [])).toBe(false);
  });
});

it.each<[string, number]>([
  ['lamp', 0.25],
  ['a wick and its lamp', 1],
  ['bulb', 0.125],
  ['bulb lamp', 0.25],
  ['nothing', 0],
])('%j covers %d of the weight of the words', (piece, coverage) => {
  const lamp = weighedTerm('lamp', { forms: [createForm(['bulb'], 0.5), createForm(['lamp'], 1)] });
  expect(computeCoverage(piece, [lamp, weighedTerm('wick', { weight: 3 })])).toBe(coverage);
});
