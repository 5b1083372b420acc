import { describe, expect, it } from 'vitest';
import { emptyReading, namedTerm, rankedPassage, weighedTerm } from '../../testing/parts/ranked-passages.js';
import {
  type Cite,
  chooseFacts,
  composeAnswer,
  composeLikely,
  composeNotFound,
  type Fact,
  moveToFront,
} from './composition.js';
import { NO_MODEL_LINE } from './knowledge.js';
import type { Reading } from './question.js';
import type { Ranked, WeighedTerm } from './ranking.js';

const LAMP = [weighedTerm('lamp')];

const cite: Cite = (path, start_line, end_line) => ({
  ...{ path, start_line, end_line, commit: null, sha256: 'x', quote: 'x', status: 'checked' },
});

interface Parts extends Partial<Omit<Fact, 'citation' | 'lines'>> {
  path?: string;
  start?: number;
}

function toFact(text: string, { path = 'docs/a.md', start = 1, ...parts }: Parts = {}): Fact {
  const lines = text.split('\n');
  const citation = cite(path, start, start + lines.length - 1);
  if (!citation) throw new Error('There is no citation.');
  return { citation, lines, kind: 'prose', coverage: 0, score: 1, titles: [], ...parts };
}

describe('the facts of an answer', () => {
  function choose(passages: readonly Ranked[], citeOne: Cite = cite) {
    const fates: string[] = [];
    const facts = chooseFacts({ terms: LAMP, passages }, citeOne, {
      setFate: ({ passage }, fate) => fates.push(`${passage.path} ${fate}`),
    });
    return { facts: facts.map(({ citation }) => `${citation.path}:${citation.start_line}`), fates };
  }
  const passage = (path: string, score: number, startLine = 1, text = 'lamp') =>
    rankedPassage(text, { path, startLine, kind: 'section' }, { score });

  it('are the three best passages', () => {
    expect(choose(['a', 'b', 'c', 'd'].map((path) => passage(path, 1)))).toEqual({
      facts: ['a:1', 'b:1', 'c:1'],
      fates: ['a quoted', 'b quoted', 'c quoted', 'd enough'],
    });
    expect(choose([])).toEqual({ facts: [], fates: [] });
  });

  it('are at most two of one file', () => {
    expect(choose([1, 11, 21].map((line) => passage('a', 1, line)))).toEqual({
      facts: ['a:1', 'a:11'],
      fates: ['a quoted', 'a quoted', 'a same_file'],
    });
  });

  it('have a third of the best score', () => {
    expect(choose([passage('a', 10), passage('b', 3.5), passage('c', 3.49)]).fates).toEqual([
      'a quoted',
      'b quoted',
      'c low_score',
    ]);
  });

  it('do not hold the same lines twice', () => {
    const at = (line: number, path = 'a') => passage(path, 1, line, 'lamp\nlamp\nlamp');
    for (const line of [3, 4, 5, 6, 7]) expect(choose([at(5), at(line)]).fates[1]).toBe('a overlapping');
    for (const line of [2, 8]) expect(choose([at(5), at(line)]).fates[1]).toBe('a quoted');
    expect(choose([at(5), at(5, 'b')]).fates[1]).toBe('b quoted');
    expect(choose([at(5, 'b'), at(15), at(16)]).fates[2]).toBe('a overlapping');
  });

  it('can be quoted and cited', () => {
    expect(choose([passage('a', 1, 1, '---'), passage('b', 1)]).fates).toEqual(['a no_quote', 'b quoted']);
    const none: Cite = (path, start, end) => (path === 'a' ? undefined : cite(path, start, end));
    expect(choose([passage('a', 1), passage('b', 1)], none).fates).toEqual(['a no_quote', 'b quoted']);
  });

  it('have the kind and the titles of their passage', () => {
    const fact = (kind: string, title: string, text = 'lamp') => {
      const found = rankedPassage(text, { kind, title, startLine: 4 }, { score: 7 });
      const [one] = chooseFacts({ terms: LAMP, passages: [found] }, cite, { setFate: () => undefined });
      return one;
    };
    expect(fact('code', 'on, off')).toEqual({
      ...{ citation: cite('src/a.ts', 4, 4), lines: ['lamp'], kind: 'code', coverage: 1, score: 7 },
      titles: ['on', 'off'],
    });
    expect(fact('section', 'On > Off, out')).toMatchObject({ kind: 'prose', titles: ['On', 'Off, out'] });
    expect(fact('fenced', 'On')).toMatchObject({ kind: 'fenced', titles: ['On'] });
    expect(fact('text', '')).toMatchObject({ kind: 'prose', titles: [] });
  });
});

describe('the lead of an answer from code', () => {
  const code = (text: string, shape: Reading['shape'], parts: Parts = {}, terms: readonly WeighedTerm[] = LAMP) =>
    moveToFront([toFact(text, { path: 'src/a.ts', start: 5, kind: 'code', ...parts })], terms, emptyReading(shape))
      .lead;

  it.each<[string, string, Reading['shape'], Parts, string]>([
    [
      'names the place of a definition',
      'x();\nfunction lamp() {',
      'where',
      {},
      '**`lamp`** is in `src/a.ts`, line 6. [1]',
    ],
    [
      'with what its comment says',
      'x();\n// It lights the lamp.\nfunction lamp() {',
      'where',
      {},
      '**`lamp`** is in `src/a.ts`, line 7: It lights the lamp. [1]',
    ],
    [
      'and only that one',
      '// It is about nothing here.\nx();\n// It lights the lamp.\nfunction lamp() {',
      'where',
      {},
      '**`lamp`** is in `src/a.ts`, line 8: It lights the lamp. [1]',
    ],
    [
      'else what the passage is called',
      'x();',
      'where',
      { titles: ['on', 'off'] },
      '**`on`** is in `src/a.ts`, line 5. [1]',
    ],
    ['else the place', 'x();', 'where', {}, 'The closest match is in `src/a.ts`, line 5. [1]'],
    ['else what a comment says', '// It lights the lamp.\nx();', 'where', {}, 'It lights the lamp. [1]'],
    ['tells a value', 'const lamp = 5;', 'value', {}, 'In `src/a.ts`, line 5: `const lamp = 5;` [1]'],
    ['tells a value by its key', '  lamp: 5,', 'value', {}, 'In `src/a.ts`, line 5: `lamp: 5,` [1]'],
    [
      'tells no value without a number',
      'const lamp = on;',
      'value',
      {},
      'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]',
    ],
    [
      'but what a comment says of it',
      '// It lights the lamp.\nconst lamp = on;',
      'value',
      {},
      '**`lamp`** (`src/a.ts`, line 6): It lights the lamp. [1]',
    ],
    [
      'says what a comment says',
      '// It lights the lamp.\nconst lamp = 5;',
      'what',
      {},
      '**`lamp`** (`src/a.ts`, line 6): It lights the lamp. [1]',
    ],
    ['else quotes a short definition', 'const lamp = on;', 'what', {}, 'In `src/a.ts`, line 5: `const lamp = on;` [1]'],
    [
      'but not its beginning',
      'const lamp = {',
      'what',
      {},
      'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]',
    ],
    ['as a list', 'const lamp = [', 'what', {}, 'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]'],
    ['as a call', 'const lamp = on(', 'what', {}, 'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]'],
    [
      'nor a definition without a value',
      'function lamp()',
      'what',
      {},
      'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]',
    ],
    ['nor one that goes on', 'const lamp =', 'what', {}, 'The closest match is **`lamp`** in `src/a.ts`, line 5. [1]'],
    ['without a gap', 'const lamp=1', 'what', {}, 'In `src/a.ts`, line 5: `const lamp=1` [1]'],
    ['in backticks of its own', 'const lamp = `a  b`;', 'what', {}, 'In `src/a.ts`, line 5: `const lamp = a b ;` [1]'],
  ])('%s', (_, text, shape, parts, lead) => expect(code(text, shape, parts)).toBe(lead));

  it('quotes a definition of at most 160 characters', () => {
    const line = (length: number) => `const lamp = ${'1'.repeat(length - 13)}`;
    expect(code(line(160), 'what')).toBe(`In \`src/a.ts\`, line 5: \`${line(160)}\` [1]`);
    expect(code(line(161), 'what')).toBe('The closest match is **`lamp`** in `src/a.ts`, line 5. [1]');
  });
});

describe('the lead of an answer from prose', () => {
  const prose = (text: string, parts: Parts = {}) =>
    moveToFront([toFact(text, { start: 5, ...parts })], LAMP, emptyReading('what')).lead;

  it.each<[string, string, Parts, string]>([
    ['is its sentence', 'The lamp is lit.\nIt is red.', {}, 'The lamp is lit. [1]'],
    [
      'behind its heading',
      'The lamp is lit.',
      { titles: ['On', 'The *lamp*'] },
      '**The \\*lamp\\***: The lamp is lit. [1]',
    ],
    [
      'behind the first of joined headings',
      'The lamp is lit.',
      { titles: ['Lamp / Wick'] },
      '**Lamp**: The lamp is lit. [1]',
    ],
    [
      'behind 80 characters of it',
      'The lamp is lit.',
      { titles: ['a'.repeat(81)] },
      `**${'a'.repeat(80)}**: The lamp is lit. [1]`,
    ],
    ['else its text', '# Lamp\nlamp', { titles: ['Lamp'] }, '**Lamp**: lamp [1]'],
    ['else its text, shortened', `lamp ${'a'.repeat(400)}`, {}, `lamp ${'a'.repeat(195)} … [1]`],
    ['else its place', '# Lamp', {}, 'see `docs/a.md`, lines 5 to 5. [1]'],
    ['of a block of code its place', '```\nlamp\n```', {}, 'see `docs/a.md`, lines 5 to 7. [1]'],
    [
      'of a block of code with another mark',
      '  ~~~\nlamp',
      { titles: ['On'] },
      '**On**: see `docs/a.md`, lines 5 to 6. [1]',
    ],
    ['within a block of code its place', 'lamp', { kind: 'fenced' }, 'see `docs/a.md`, lines 5 to 5. [1]'],
    ['within a block of code its comment', '# Lights the lamp.\nlamp', { kind: 'fenced' }, 'Lights the lamp. [1]'],
  ])('%s', (_, text, parts, lead) => expect(prose(text, parts)).toBe(lead));
});

describe('the fact that comes first', () => {
  const order = (facts: readonly Fact[], shape: Reading['shape'] = 'what', terms: readonly WeighedTerm[] = LAMP) =>
    moveToFront(facts, terms, emptyReading(shape)).facts.map(({ citation }) => citation.path);
  const at = (path: string, text: string, parts: Parts = {}) => toFact(text, { path, ...parts });
  const WEAK = 'It is nothing of note.';
  const STRONG = 'The lamp is lit.';

  it('answers most directly', () => {
    expect(order([at('a', WEAK), at('b', STRONG), at('c', WEAK)])).toEqual(['b', 'a', 'c']);
    expect(order([at('a', STRONG), at('b', STRONG)])).toEqual(['a', 'b']);
  });

  it('is one of the first three', () => {
    expect(order([at('a', WEAK), at('b', WEAK), at('c', STRONG)])).toEqual(['c', 'a', 'b']);
    expect(order([at('a', WEAK), at('b', WEAK), at('c', WEAK), at('d', STRONG)])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has a score that is not much lower', () => {
    const share = (score: number) => order([at('a', WEAK, { score: 2 }), at('b', STRONG, { score: 2 * score })])[0];
    // Of 1.15 to 0.15, the square root.
    expect([share(0.3612), share(0.3611)]).toEqual(['b', 'a']);
    expect(order([at('a', WEAK, { score: 0 }), at('b', STRONG, { score: 0 })])[0]).toBe('a');
  });

  it('has a number in it where a value is asked for, its line aside', () => {
    const value = (text: string) => order([at('a', STRONG), at('b', text)], 'value')[0];
    expect(value('The lamp has 5 wicks.')).toBe('b');
    expect(value('The lamp in `a.ts`, line 5.')).toBe('a');
    expect(value('The lamp in `a.ts`, lines 12 to.')).toBe('a');
    expect(value('The lamp in a, line 5.')).toBe('b');
    expect(order([at('a', STRONG), at('b', 'The lamp has 5 wicks.')])[0]).toBe('a');
  });

  it('is code where a place is asked for', () => {
    const facts = [at('a', STRONG), at('b.ts', `// ${STRONG}\nx();`, { kind: 'code' })];
    expect(order(facts, 'where')[0]).toBe('b.ts');
    expect(order(facts)[0]).toBe('a');
    const other = at('b.ts', 'function other() {', { kind: 'code', coverage: 1 });
    expect(order([at('a', STRONG), other], 'where')[0]).toBe('b.ts');
    expect(order([at('a', STRONG), other], 'what')[0]).toBe('a');
  });

  it('defines what is asked for', () => {
    const facts = [at('a.ts', 'x();', { kind: 'code', coverage: 0.9 }), at('b.ts', 'let lamp;', { kind: 'code' })];
    expect(order(facts)[0]).toBe('a.ts');
    const defining = at('b.ts', 'function lamp() {', { kind: 'code' });
    expect(order([facts[0] as Fact, defining])[0]).toBe('b.ts');
    expect(order([facts[0] as Fact, defining], 'what', [weighedTerm('x'), weighedTerm('y')])[0]).toBe('a.ts');
  });

  it('has a heading that is about it', () => {
    const titled = at('b', WEAK, { titles: ['On', 'Lamp'] });
    expect(order([at('a', WEAK), titled])[0]).toBe('b');
    const half = [weighedTerm('lamp'), weighedTerm('wick')];
    // The heading counts for half, and the sentence for six tenths beside it.
    expect(
      order([at('a', 'The wick is so long.'), at('b', 'The wick is so long.', { titles: ['Lamp'] })], 'what', half),
    ).toEqual(['b', 'a']);
    expect(order([at('a', STRONG), titled])[0]).toBe('a');
    expect(order([at('a', 'lamp'), at('b', 'wick', { titles: ['Lamp'] })])[0]).toBe('a');
    expect(order([at('a', 'wick'), at('b', 'wick', { titles: ['Lamp'] })])[0]).toBe('b');
  });

  it('has a sentence about most of it rather than a heading about a part', () => {
    const terms = [weighedTerm('lamp', { weight: 2 }), weighedTerm('wick', { weight: 2 }), weighedTerm('bulb')];
    const facts = [at('a', 'The wick of a bulb.'), at('b', 'The wick is so long.', { titles: ['on', 'lamp'] })];
    expect(order(facts, 'what', terms)[0]).toBe('a');
    const less = at('a', 'The wick is so long.');
    expect(order([less, facts[1] as Fact], 'what', terms)[0]).toBe('b');
  });

  it('is where all the words are, when a place is asked for', () => {
    const terms = [weighedTerm('lamp', { weight: 3 }), weighedTerm('wick')];
    const facts = [
      at('a.ts', '// It lights the lamp.\nx();', { kind: 'code', coverage: 0.75 }),
      at('b.ts', 'x();', { kind: 'code', coverage: 1 }),
    ];
    expect(order(facts, 'where', terms)[0]).toBe('b.ts');
    expect(order(facts, 'what', terms)[0]).toBe('a.ts');
  });

  it('is rather not a place without words', () => {
    const place = at('b', '# x', { coverage: 1 });
    expect(order([at('a', WEAK), place])[0]).toBe('b');
    expect(
      order([at('a', 'The lamp is lit by a wick.'), place], 'what', [weighedTerm('lamp'), weighedTerm('x')])[0],
    ).toBe('a');
  });

  it('is none of none', () => {
    expect(moveToFront([], LAMP, emptyReading('what')).lead).toBe(' [1]');
  });
});

describe('the text of an answer', () => {
  const body = (fact: Fact) => composeAnswer('Lead.', [fact]).split('\n\n').slice(1, -1).join('\n\n');

  it('has a lead, notes, the facts by number and the closing line', () => {
    const facts = [toFact('lamp', { start: 3 }), toFact('wick', { path: 'b.md' })];
    expect(composeAnswer('Lead.', facts, ['A note.', 'Another.'])).toBe(
      `Lead.\n\nA note.\n\nAnother.\n\n[1] \`docs/a.md:3-3\`\n> lamp\n\n[2] \`b.md:1-1\`\n> wick\n\n${NO_MODEL_LINE}`,
    );
    expect(composeAnswer('Lead.', [])).toBe(`Lead.\n\n${NO_MODEL_LINE}`);
  });

  it('names the definitions or the inner headings of a fact', () => {
    const head = (parts: Parts) => body(toFact('lamp', parts)).split('\n')[0];
    expect(head({ titles: ['a', 'b', 'c_d'] })).toBe('[1] `docs/a.md:1-1` — b › c\\_d');
    expect(head({ kind: 'code', titles: ['a', 'b', 'c'] })).toBe('[1] `docs/a.md:1-1` — a, b');
    expect(head({ titles: ['\\ * _ [ ] < > |'] })).toBe('[1] `docs/a.md:1-1` — \\\\ \\* \\_ \\[ \\] \\< \\> \\|');
  });

  it.each(['a.md', 'a.mdx', 'a.markdown', 'a.txt', 'a.MD', 'NOTES'])('quotes the prose of %s', (path) => {
    expect(body(toFact('lamp\n\nwick', { path })).split('\n').slice(1)).toEqual(['> lamp', '>', '> wick']);
  });

  it.each(['a.rst', 'a.mdown', 'a.md.in', 'docs/NOTES', 'NOTES1'])('sets the prose of %s apart', (path) => {
    expect(body(toFact('lamp', { path })).split('\n').slice(1)).toEqual(['```', 'lamp', '```']);
  });

  it.each(['```', '  ~~~', 'a <b', '![a](b)', '    code', '\tcode', '| a', '  | a'])(
    'sets prose apart that Markdown would read: %j',
    (line) => {
      const fence = line.includes('```') ? '````' : '```';
      expect(
        body(toFact(`lamp\n${line}`))
          .split('\n')
          .slice(1),
      ).toEqual([fence, 'lamp', line, fence]);
    },
  );

  it.each(['a ```', 'a ~~~', 'a > b', '[a](b)', '   a', 'a    b', 'a | b'])('and not %j', (line) => {
    expect(body(toFact(line)).split('\n').slice(1)).toEqual([`> ${line}`]);
  });

  it('sets code apart by its language, with a longer fence than any in it', () => {
    const fence = (text: string, path: string, kind: Fact['kind'] = 'code') =>
      body(toFact(text, { path, kind })).split('\n').slice(1);
    expect(fence('x', 'a.ts')).toEqual(['```ts', 'x', '```']);
    expect(fence('x', 'a.TS')).toEqual(['```TS', 'x', '```']);
    expect(fence('x', 'a.scala')).toEqual(['```scala', 'x', '```']);
    expect(fence('x', 'a.groovy')).toEqual(['```', 'x', '```']);
    expect(fence('x', 'a.c2')).toEqual(['```', 'x', '```']);
    expect(fence('x', 'Makefile')).toEqual(['```', 'x', '```']);
    expect(fence('x', 'a.md', 'fenced')).toEqual(['```md', 'x', '```']);
    expect(fence('a ``b`` ``` c\n`', 'a.ts')).toEqual(['````ts', 'a ``b`` ``` c', '`', '````']);
  });

  it('names the probable places', () => {
    const facts = [toFact('lamp', { start: 3 }), toFact('wick\nwick', { path: 'b.md' })];
    expect(composeLikely(facts, ['A note.'])).toBe(
      composeAnswer('Probably here: `docs/a.md:3-3`, `b.md:1-2`.', facts, ['A note.']),
    );
  });
});

describe('the text of an answer that finds nothing', () => {
  const none = (
    terms: readonly WeighedTerm[],
    searched: Partial<Parameters<typeof composeNotFound>[1]> = {},
    near: Parameters<typeof composeNotFound>[2] = [],
    notes?: readonly string[],
  ) => {
    const lines = composeNotFound(terms, { files: 7, left_out: 0, ...searched }, near, notes).split('\n\n');
    expect(lines.at(-1)).toBe(NO_MODEL_LINE);
    return lines.slice(0, -1);
  };

  it('says for what was searched, and what occurs nowhere', () => {
    const foreign = weighedTerm('wick', { isForeign: true });
    expect(none([weighedTerm('lamp', { written: '`the  lamp`' }), foreign])).toEqual([
      'Not found in this project.',
      'Searched 7 files for `the lamp`, `wick`. Nowhere in it: `wick`.',
    ]);
    expect(none([foreign], { pending: 2 })).toEqual([
      'Not found in the files that were read so far.',
      'Searched 7 files for `wick`.',
    ]);
    expect(none([])[1]).toBe('The question names nothing to search for in the 7 files of this project.');
  });

  it('names at most twelve words of at most sixty characters', () => {
    const many = Array.from({ length: 13 }, (_, at) => weighedTerm(`w${at}`));
    expect(none(many)[1]).toMatch(/`w10`, `w11`\.$/);
    expect(none([weighedTerm('lamp', { written: 'a'.repeat(61) })])[1]).toBe(
      `Searched 7 files for \`${'a'.repeat(60)}\`.`,
    );
  });

  it.each<[Partial<Parameters<typeof composeNotFound>[1]>, string]>([
    [{ left_out: 3 }, ' Left out: 3 too many, too large or not checked out.'],
    [{ not_text: 1 }, ' Left out: 1 not text.'],
    [{ not_text: 0 }, ''],
    [{ left_out: 1, submodules: ['a'] }, ' Left out: the submodule `a`.'],
    [
      { left_out: 4, not_text: 2, submodules: ['a'] },
      ' Left out: 3 too many, too large or not checked out, 2 not text, the submodule `a`.',
    ],
    [
      { left_out: 5, submodules: ['a', 'b', 'c', 'd', 'e'] },
      ` Left out: ${['a', 'b', 'c', 'd', 'e'].map((one) => `the submodule \`${one}\``).join(', ')}.`,
    ],
    [
      { left_out: 7, submodules: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
      ` Left out: ${['a', 'b', 'c', 'd', 'e'].map((one) => `the submodule \`${one}\``).join(', ')}, 2 more of them.`,
    ],
    [{ left_out: 1, submodules: ['a'.repeat(201)] }, ` Left out: the submodule \`${'a'.repeat(200)}\`.`],
  ])('says what was left out: %j', (searched, text) => {
    expect(none(LAMP, searched)[1]).toBe(`Searched 7 files for \`lamp\`.${text}`);
  });

  it('names what is nearest, and the notes', () => {
    const near = [
      { path: 'a.md', title: 'Lamp > Wick', startLine: 3 },
      { path: 'b.ts', title: 'on', startLine: 1 },
    ];
    expect(none(LAMP, {}, near, ['A note.']).slice(2)).toEqual([
      'Nearest names: `Wick` (`a.md:3`), `on` (`b.ts:1`).',
      'A note.',
    ]);
  });

  it('counts names as they are written', () => {
    expect(none([namedTerm('lampOn', ['lamp', 'on'])])[1]).toBe('Searched 7 files for `lampOn`.');
  });
});
