import { describe, expect, it } from 'vitest';
import { foundPassage, namedTerm, weighedTerm } from '../../testing/parts/ranked-passages.js';
import { readPassage } from './passages/passage-text.js';
import { createForm, type Reading } from './question.js';
import { rank, sumWeights, type WeighedTerm } from './ranking.js';

const YEAR_MS = 365 * 86_400_000;

interface Case {
  text?: string;
  path?: string;
  title?: string;
  kind?: string;
  worth?: number;
  changedMs?: number;
  newestMs?: number;
  meanLength?: number;
  terms?: readonly WeighedTerm[];
  shape?: Reading['shape'];
  said?: readonly string[];
  literals?: readonly string[];
}

/** Ranks one passage; by default of the one word of the question, in a file that is called otherwise. */
function score({ text = 'lamp', path = 'src/a.ts', title = '', ...given }: Case = {}) {
  const { terms = [weighedTerm('lamp')], kind = 'code', worth = 1, changedMs = 0, newestMs = 0 } = given;
  const { shape = 'what', said = [], literals = [] } = given;
  const lines = text.split('\n');
  const passage = readPassage(lines, title, path);
  return rank(
    foundPassage({ path, title, kind, worth, changedMs }),
    passage,
    terms,
    { shape, terms, said: new Set(said), isOtherLanguage: false, literals },
    { newestMs, meanLength: given.meanLength ?? passage.lineOf.length },
  );
}

const LAMP_WICK = [weighedTerm('lamp'), weighedTerm('wick', { weight: 3 })];

it('the weight of words together is 1 where they weigh nothing', () => {
  expect(sumWeights(LAMP_WICK)).toBe(4);
  expect(sumWeights([])).toBe(1);
  expect(sumWeights([weighedTerm('lamp', { weight: 0 })])).toBe(1);
});

it('a score is made of its grounds', () => {
  const found = score({ terms: LAMP_WICK, text: 'lamp wick /on', path: 'lamp.ts', literals: ['/on'], worth: 0.5 });
  const { words, close, neighbours, literals, file_name, kind, whole_file } = found.grounds;
  expect(whole_file).toBe(0);
  expect(found.score).toBeCloseTo((words + close + neighbours + literals + file_name) * kind, 10);
  expect(found.score).toBeGreaterThan(0.5);
});

describe('how often words occur', () => {
  const bulb = weighedTerm('lamp', { forms: [createForm(['lamp'], 1), createForm(['bulb'], 0.5)] });
  const send = namedTerm('reply.send', ['reply', 'send']);

  it.each<[string, Case, number]>([
    ['once', {}, 1],
    ['twice, which counts for less than double', { text: 'lamp lamp' }, 5.2 / 3.6],
    ['never', { text: 'x' }, 0],
    ['in a short passage', { meanLength: 4 }, 2.6 / 0.85 / (1 / 0.85 + 1.6)],
    ['in a long passage', { text: 'lamp x x x', meanLength: 2 }, 2.6 / 1.2 / (1 / 1.2 + 1.6)],
    ['in a project whose passages are empty', { meanLength: 0 }, 1],
    ['in the title', { text: 'x', title: 'Lamp' }, (3 * 2.6) / 4.6],
    ['in the path', { text: 'x', path: 'lamp/a.ts' }, 1],
    ['in all of them', { title: 'lamp', path: 'lamp/a.ts' }, (5 * 2.6) / 6.6],
    ['by a related word', { text: 'bulb', terms: [bulb] }, (0.5 * 2.6) / 2.1],
    ['by a related word too', { text: 'bulb lamp', terms: [bulb] }, (1.5 * 2.6) / 3.1],
    ['by a related word in the title', { text: 'x', title: 'bulb', terms: [bulb] }, (1.5 * 2.6) / 3.1],
    ['by a related word in the path', { text: 'x', path: 'bulb/a.ts', terms: [bulb] }, (0.5 * 2.6) / 2.1],
    ['one of two words', { terms: LAMP_WICK }, 0.25],
    ['the other of two words', { text: 'wick', terms: LAMP_WICK }, 0.75],
    ['a member, by title and path', { text: 'x', title: 'send', path: 'reply.ts', terms: [send] }, (2.85 * 2.6) / 4.45],
    ['no member: its last part is not in the title', { text: 'x', title: 'reply', path: 'send.ts', terms: [send] }, 0],
    ['no member: another part is missing', { text: 'x', title: 'send', path: 'a.ts', terms: [send] }, 0],
    ['no member: no name', { text: 'x', title: 'send', path: 'reply.ts', terms: [{ ...send, isName: false }] }, 0],
    [
      'no member: a name of one part that is read as another',
      {
        text: 'x',
        title: 'send',
        terms: [{ ...send, forms: [createForm(['sendd'], 1), createForm(['send'], 0.85)] }],
      },
      (2.55 * 2.6) / 4.15,
    ],
    ['several words of a name in the title', { text: 'x', title: 'reply send', terms: [send] }, (2.85 * 2.6) / 4.45],
    ['not each in a place of its own', { text: 'reply', title: 'send', terms: [send] }, 0],
  ])('%s', (_, given, words) => expect(score(given).grounds.words).toBeCloseTo(words, 6));

  it.each<[string, Case, number, number[]]>([
    ['in the text', {}, 1, [1]],
    ['in the title', { text: 'x', title: 'lamp' }, 1, [1]],
    ['in the path, which tells less', { text: 'x', path: 'lamp/a.ts' }, 0.75, [0.75]],
    ['by a related word', { text: 'bulb', terms: [bulb] }, 0.5, [0.5]],
    ['by the better of two', { text: 'bulb\nlamp', terms: [bulb] }, 1, [1]],
    ['one of two words', { terms: LAMP_WICK }, 0.25, [1, 0]],
    ['a member, by title and path', { text: 'x', title: 'send', path: 'reply.ts', terms: [send] }, 0.95, [0.95]],
  ])('covers the question: %s', (_, given, coverage, strengths) => {
    const found = score(given);
    expect(found.coverage).toBeCloseTo(coverage, 10);
    expect(found.strengths).toEqual(strengths);
  });
});

describe('how close together words stand', () => {
  const at = (...lines: number[]) => {
    const text = Array.from({ length: 40 }, () => '-');
    lines.forEach((line, index) => {
      text[line] = `${text[line]} ${index === 0 ? 'lamp' : 'wick'}`;
    });
    return score({ terms: LAMP_WICK, text: text.join('\n') });
  };

  it('within ten lines, either first', () => {
    expect(at(5, 14).closeness).toBe(1);
    expect(at(5, 15).closeness).toBe(0.75);
    expect(at(14, 5).closeness).toBe(1);
    expect(at(15, 5).closeness).toBe(0.75);
    expect(at(5, 5).closeness).toBe(1);
    expect(at(5, 30, 12).closeness).toBe(1);
    expect(at(5, 14).grounds.close).toBeCloseTo(0.3, 10);
    expect(at(5, 15).grounds.close).toBeCloseTo(0.225, 10);
  });

  it('by the best form in there', () => {
    const bulb = weighedTerm('lamp', { forms: [createForm(['bulb'], 0.5), createForm(['lamp'], 1)] });
    expect(score({ text: 'bulb lamp', terms: [bulb] }).closeness).toBe(1);
    expect(score({ text: 'lamp\nbulb', terms: [bulb] }).closeness).toBe(1);
    expect(score({ text: 'bulb', terms: [bulb] }).closeness).toBe(0.5);
    const lamp = weighedTerm('lamp', { forms: [createForm(['lamp'], 1), createForm(['bulb'], 0.5)] });
    expect(score({ text: 'lamp bulb', terms: [lamp] }).closeness).toBe(1);
    expect(score({ text: 'x', title: 'lamp' }).closeness).toBe(0);
  });
});

describe('words that are adjacent as in the question', () => {
  const three = [...LAMP_WICK, weighedTerm('bulb', { weight: 4 })];
  const wick = weighedTerm('wick', {
    weight: 3,
    forms: ['wick', 'a', 'b', 'cord'].map((word) => createForm([word], 1)),
  });

  it.each<[string, string, readonly WeighedTerm[], number]>([
    ['side by side', 'lamp wick', LAMP_WICK, 2 / 4],
    ['with one between', 'lamp x wick', LAMP_WICK, 2 / 4],
    ['the other way round', 'wick lamp', LAMP_WICK, 2 / 4],
    ['not with two between', 'lamp x x wick', LAMP_WICK, 0],
    ['not the other way round with one between', 'wick x lamp', LAMP_WICK, 0],
    ['each pair of the question', 'lamp wick bulb', three, (2 + 3.5) / 8],
    ['one pair of the question', 'wick bulb', three, 3.5 / 8],
    ['no others', 'lamp x x bulb', three, 0],
    ['in one of three forms', 'lamp b', [weighedTerm('lamp'), wick], 2 / 4],
    ['and not in the fourth', 'lamp cord', [weighedTerm('lamp'), wick], 0],
    ['in one of three forms, first', 'b lamp', [wick, weighedTerm('lamp')], 2 / 4],
    ['and not in the fourth, first', 'cord lamp', [wick, weighedTerm('lamp')], 0],
  ])('%s', (_, text, terms, share) => expect(score({ text, terms }).grounds.neighbours).toBeCloseTo(0.2 * share, 10));
});

it.each<[readonly string[], number]>([
  [[], 0],
  [['a/b'], 0.15],
  [['a/b', 'c/d'], 0.075],
  [['on a'], 0],
])('the literals %j occur as they are, in any case', (literals, share) => {
  expect(score({ text: 'on\nA/B', literals }).grounds.literals).toBe(share);
});

describe('words in the name of the file', () => {
  const skip = [weighedTerm('skip'), weighedTerm('list')];
  const bulb = [weighedTerm('lamp', { forms: [createForm(['lamp'], 1), createForm(['bulb'], 0.5)] })];

  it.each<[string, Case, number]>([
    ['the whole name', { path: 'x/lamp.ts' }, 0.2],
    ['without its ending alone', { path: 'lamp.d.ts' }, 0.1],
    ['one of two words', { path: 'lamp-wick.ts' }, 0.1],
    ['not those of its folder', { path: 'lamp/a.ts' }, 0],
    ['where code is asked for', { path: 'lamp.ts', shape: 'where' }, 0.4],
    ['where a document answers', { path: 'lamp.md', shape: 'where', kind: 'section' }, 0.2],
    ['a file without a name', { path: 'x/.lamp' }, 0],
    ['a related word', { path: 'bulb.ts', terms: bulb }, 0.1],
    ['two words of the question in one', { path: 'skiplist.ts', terms: skip }, 0.2],
    ['and not the other way round', { path: 'listskip.ts', terms: skip }, 0],
    [
      'a part of a name of the question',
      { path: 'send.ts', terms: [namedTerm('reply.send', ['reply', 'send'])] },
      0.19,
    ],
    ['no word without a question', { path: 'lamp.ts', terms: [] }, 0],
  ])('%s', (_, given, share) => expect(score(given).grounds.file_name).toBeCloseTo(share, 10));
});

describe('the kind of a passage', () => {
  const kind = (given: Case) => score(given).grounds.kind;
  const named = namedTerm('lampOn', ['lamp', 'on']);

  it('counts by the worth of its file', () => expect(kind({ worth: 0.5 })).toBe(0.5));

  it.each([
    ...['test', 'tests', 'testing', 'tested', 'spec', 'specs', 'fixture', 'fixtures', 'benchmark', 'benchmarks'].map(
      (word) => ['test/a.ts', word],
    ),
    ...['example', 'examples', 'sample', 'demo'].map((word) => ['examples/a.ts', word]),
    ...['changelog', 'release', 'released', 'license', 'licence', 'authors', 'contributors', 'introduced', 'added'].map(
      (word) => ['CHANGELOG.md', word],
    ),
    ['CHANGELOG.md', 'breaking'],
  ] as [string, string][])('%s counts in full for a question with `%s`', (path, word) => {
    expect(kind({ path, worth: 0.5, said: ['x', word] })).toBe(1);
    expect(kind({ path, worth: 0.5, said: ['x'] })).toBe(0.5);
    for (const other of ['test/a.ts', 'examples/a.ts', 'CHANGELOG.md', 'src/a.ts'])
      if (other !== path) expect(kind({ path: other, worth: 0.5, said: [word] })).toBe(0.5);
  });

  it('logs of changes count in full for a question about the past', () => {
    expect(kind({ path: 'CHANGELOG.md', worth: 0.5, shape: 'history' })).toBe(1);
    expect(kind({ path: 'test/a.ts', worth: 0.5, shape: 'history' })).toBe(0.5);
  });

  it('counts a little more when its file was changed within the last year', () => {
    const newestMs = 10 * YEAR_MS;
    expect(kind({ newestMs, changedMs: newestMs })).toBeCloseTo(1.03, 10);
    expect(kind({ newestMs, changedMs: newestMs - YEAR_MS / 2 })).toBeCloseTo(1.015, 10);
    expect(kind({ newestMs, changedMs: newestMs - YEAR_MS })).toBe(1);
    expect(kind({ newestMs, changedMs: newestMs - 2 * YEAR_MS })).toBe(1);
    expect(kind({ newestMs, changedMs: 0 })).toBe(1);
    expect(kind({ newestMs: 1, changedMs: 0 })).toBe(1);
    expect(kind({ newestMs: 0, changedMs: 1 })).toBe(1);
  });

  it('counts less the more of its lines are imports', () => {
    expect(kind({ text: "import a from 'b';\nlamp" })).toBeCloseTo(0.7, 10);
    expect(kind({ text: "import a from 'b';" })).toBeCloseTo(0.4, 10);
  });

  it.each<[string, Case, number, boolean]>([
    ['code, where a place is asked for', { shape: 'where' }, 1.12, false],
    ['a document, where a place is asked for', { shape: 'where', kind: 'section' }, 0.94, false],
    ['a definition, where a place is asked for', { shape: 'where', title: 'lampOn', terms: [named] }, 1.4, true],
    ['a definition, where anything else is asked for', { title: 'lampOn', terms: [named] }, 1.06, true],
    ['a definition by the parts of its name', { title: 'lamp on', terms: [named] }, 1.06, true],
    ['a definition by its whole name', { title: 'lampon', terms: [named] }, 1.06, true],
    ['a member', { title: 'on', path: 'lamp.ts', terms: [named] }, 1.06, true],
    ['no definition: a document', { kind: 'section', title: 'lampOn', terms: [named] }, 1, false],
    ['no definition: no name', { title: 'lamp' }, 1, false],
    ['no definition: another name', { title: 'wick', terms: [named] }, 1, false],
    [
      'no definition: a third form',
      { title: 'bulb', terms: [{ ...named, forms: [...named.forms, createForm(['bulb'], 0.6)] }] },
      1,
      false,
    ],
    ['a definition of one of the names', { title: 'lampOn', terms: [weighedTerm('x'), named] }, 1.06, true],
  ])('%s', (_, given, factor, isDefinition) => {
    expect(kind(given)).toBeCloseTo(factor, 10);
    expect(score(given).isDefinition).toBe(isDefinition);
  });
});
