import { describe, expect, it } from 'vitest';
import { openPassages } from '../../testing/parts/open-passages.js';
import { type Reading, readQuestion } from './question.js';
import type { WeighedTerm } from './ranking.js';
import { Search, telling } from './search.js';

const ZIPFS: Readonly<Record<string, number>> = {
  ...{ lamp: 3, house: 5.5, the: 7, light: 3.5, brighter: 2.5, garage: 3.1, dune: 2.9, mooring: 2 },
  ...{ wick: 3.49, mirrur: 2.5, mirrpr: 2.6 },
};
const zipfOf = (word: string) => ZIPFS[word] ?? 0;

function open(files: Record<string, string>, untracked: readonly string[] = []) {
  const passages = openPassages(files, untracked);
  const search = new Search(passages.database, passages.linesOf, zipfOf);
  const weigh = (text: string) => search.weighTerms(readQuestion(text));
  const find = (text: string, refs: readonly string[] = []) => {
    const reading = readQuestion(text);
    return search.find(search.weighTerms(reading), reading, refs).passages;
  };
  return { ...passages, search, weigh, find };
}

const idf = (passages: number, frequency: number) => Math.log(1 + passages / (frequency + 1)) ** 0.85;
const pages = (...texts: string[]) => Object.fromEntries(texts.map((text, at) => [`p${at}.md`, text]));

describe('the weight of a word', () => {
  const FILES = pages('lamp house', 'lamp', 'light wick', 'the x');

  it.each<[string, number]>([
    ['lamp', idf(4, 2)],
    ['house', idf(4, 1) * 0.4],
    ['light', idf(4, 1)],
    ['`lamp`', idf(4, 2) * 1.15],
  ])('%s is by how rare it is here, and how common in English', (word, weight) => {
    expect(open(FILES).weigh(word)[0]).toMatchObject({ weight: expect.closeTo(weight, 10), isKnown: true });
  });

  it('is never below a fifth', () => {
    const { search } = open({ 'a.md': 'glad glow' });
    const common = new Search(
      open({ 'a.md': 'glow' }).database,
      () => undefined,
      () => 9,
    );
    expect(common.weighTerms(readQuestion('glow'))[0]?.weight).toBeCloseTo(idf(1, 1) * 0.2, 10);
    expect(search.weighTerms(readQuestion('glow'))[0]?.weight).toBeCloseTo(idf(1, 1), 10);
  });

  it('counts the passages in scope with the word in title, names or text', () => {
    const { database, weigh } = open(
      { 'a.md': '# Lamp\n', 'b.ts': 'const lampOn = 1;', 'lamp/c.md': 'x', 'd.md': 'lamp' },
      ['d.md'],
    );
    expect(weigh('lamp')[0]?.frequency).toBe(3);
    const tracked = new Search(database.tracked, () => undefined, zipfOf);
    expect(tracked.weighTerms(readQuestion('lamp'))[0]).toMatchObject({
      frequency: 2,
      weight: expect.closeTo(idf(3, 2), 10),
    });
  });

  it('counts a name whole or in parts, and not its related words', () => {
    const { weigh } = open({ 'a.md': 'lampOn', 'b.md': 'lamp on', 'c.md': 'x', 'd.md': 'house' });
    expect(weigh('lampOn')[0]).toMatchObject({ frequency: 2, weight: expect.closeTo(idf(4, 2) * 1.15, 10) });
    expect(weigh('`house.lamp_on`')[0]?.frequency).toBe(0);
  });

  it('is known of an empty index', () => {
    expect(open({}).weigh('lamp')[0]).toMatchObject({ frequency: 0, isKnown: false });
  });

  it('is weighed anew when the index was changed', () => {
    const { search, weigh, put } = open({ 'a.md': 'lamp' });
    expect(weigh('lamp')[0]?.weight).toBeCloseTo(idf(1, 1), 10);
    put('b.md', 'x');
    expect(weigh('lamp')[0]?.weight).toBeCloseTo(idf(1, 1), 10);
    search.forget();
    expect(weigh('lamp')[0]?.weight).toBeCloseTo(idf(2, 1), 10);
  });
});

describe('a word that does not occur', () => {
  const read = (files: Record<string, string>, word: string) => open(files).weigh(word)[0] as WeighedTerm;

  it('counts by its related words', () => {
    expect(read(pages('delete it', 'x'), 'remove')).toMatchObject({
      ...{ frequency: 0, isKnown: true, isForeign: false, isCorrected: false },
      weight: expect.closeTo(idf(2, 1) * 0.85, 10),
    });
    expect(read(pages('delete it'), '`remove`')).toMatchObject({ isKnown: false, isForeign: false });
  });

  it.each<[string, boolean, number]>([
    ['mooring', true, 1],
    ['mooring2', false, 0.25],
    ['brighter', true, 1],
    ['garage', false, 0.25],
    ['`mooring`', false, 0.25],
    ['webhook', true, 1],
  ])('%s: that it is foreign is %s', (word, isForeign, share) => {
    expect(read(pages('x', 'y'), word)).toMatchObject({
      ...{ isForeign, isKnown: false, frequency: 0, isTechnology: word === 'webhook' },
      weight: expect.closeTo(idf(2, 0) * share, 10),
    });
  });

  it('names a technology by a list, or by its capital when it is not common', () => {
    const technology = (text: string) => open(pages('x')).weigh(text).at(-1)?.isTechnology;
    expect(technology('send with webhook')).toBe(true);
    expect(technology('send with `webhook`')).toBe(false);
    expect(technology('send with Lamp')).toBe(true);
    expect(technology('send with Garage')).toBe(false);
    expect(technology('send with lamp')).toBe(false);
    const common = new Search(
      open(pages('x')).database,
      () => undefined,
      () => 2.6,
    );
    expect(common.weighTerms(readQuestion('webhook'))[0]?.isTechnology).toBe(false);
    const rare = new Search(
      open(pages('x')).database,
      () => undefined,
      () => 2.5,
    );
    expect(rare.weighTerms(readQuestion('webhook'))[0]?.isTechnology).toBe(true);
  });

  it('is everyday English from a frequency on', () => {
    expect(read(pages('x'), 'light').isEveryday).toBe(true);
    expect(read(pages('x'), 'wick').isEveryday).toBe(false);
  });
});

describe('a misspelled word', () => {
  const near = (written: string, ...known: string[]) => {
    const [term] = open(pages(known.join(' '), 'x')).weigh(written);
    return term?.isCorrected ? term.forms.at(-1)?.text : undefined;
  };

  it.each<[string, string[], string | undefined]>([
    ['harbur', ['harbor'], 'harbor'],
    ['harbr', ['harbor'], undefined],
    ['harbour', ['garbour'], undefined],
    ['harbur', ['harx'], undefined],
    ['lanternfsh', ['lanternfish'], 'lanternfish'],
    ['lantrnfsh', ['lanternfish'], 'lanternfish'],
    ['lantrnfs', ['lanternfish'], undefined],
    ['harburx', ['harbor'], undefined],
    ['9arburs', ['9arbors'], undefined],
    ['harbor', [], undefined],
    ['bakolumig', ['bafosumig'], 'bafosumig'],
    ['bakolumig', ['bafolusig'], undefined],
    ['harbur', ['harbug', 'harbuk'], 'harbug'],
    ['lantermfisch', ['lanternfish', 'lanterfisch'], 'lanterfisch'],
  ])('%s beside %j is read as %s', (written, known, stem) => expect(near(written, ...known)).toBe(stem));

  it('counts a little less than the other, and by how much it differs', () => {
    const [one] = open(pages('harbor', 'x')).weigh('harbur');
    expect(one).toMatchObject({
      frequency: 0,
      isKnown: true,
      isForeign: false,
      weight: expect.closeTo(idf(2, 1) * 0.9, 10),
    });
    expect(one?.forms.at(-1)).toEqual({ text: 'harbor', stems: ['harbor'], weight: 0.85 });
    const [two] = open(pages('lanternfish', 'x')).weigh('lantrnfsh');
    expect(two?.forms.at(-1)).toEqual({ text: 'lanternfish', stems: ['lanternfish'], weight: 0.7 });
  });

  it('is not one that is common in English, or names a technology', () => {
    expect(near('mirrur', 'mirror')).toBe('mirror');
    expect(near('mirrpr', 'mirror')).toBeUndefined();
    expect(near('webhook', 'webhoak')).toBeUndefined();
  });

  it('is not read as a word that occurs only in other scopes, nor one of a path as misspelled', () => {
    expect(open({ 'harbor/a.md': 'x' }).weigh('harbor')[0]?.isCorrected).toBe(false);
    const { database } = open({ 'a.md': 'harbor', 'b.md': 'x' }, ['a.md']);
    const search = new Search(database.tracked, () => undefined, zipfOf);
    expect(search.weighTerms(readQuestion('harbur'))[0]?.isCorrected).toBe(false);
  });

  it('is looked for anew when the index was changed', () => {
    const { search, weigh, put } = open(pages('x'));
    expect(weigh('harbur')[0]?.isCorrected).toBe(false);
    put('b.md', 'harbor');
    expect(weigh('harbur')[0]?.isCorrected).toBe(false);
    search.forget();
    expect(weigh('harbur')[0]?.isCorrected).toBe(true);
  });
});

describe('the passages that are found', () => {
  it('hold a word of the question, a related one, or the parts of a name in title and path', () => {
    const paths = (files: Record<string, string>, text: string) =>
      open(files)
        .find(text)
        .map(({ passage }) => passage.path);
    expect(paths({ 'a.md': 'delete', 'b.md': 'remove', 'c.md': 'x' }, 'remove').sort()).toEqual(['a.md', 'b.md']);
    expect(paths({ 'reply.md': '# Send\n', 'b.md': 'x', 'send.md': '# x' }, '`reply.send`')[0]).toBe('reply.md');
    expect(paths({ 'a.md': 'x' }, '?')).toEqual([]);
    expect(paths({ 'a.md': 'x' }, 'lamp')).toEqual([]);
  });

  it('are better the more of the question they hold, then by their path and line', () => {
    const found = open({ 'b.md': 'lamp', 'a.md': 'lamp', 'c.md': 'lamp wick', 'd.md': 'wick' }).find('lamp wick');
    expect(found.map(({ passage }) => passage.path)).toEqual(['c.md', 'd.md', 'a.md', 'b.md']);
    const section = '# Lamp\n\nlamp\n\n\n\n';
    const lines = open({ 'a.md': section + section })
      .find('lamp')
      .map(({ passage }) => passage.startLine);
    expect(lines).toEqual([1, 7]);
  });

  it('are better under the paths that are named', () => {
    const files = { 'src/a.md': 'lamp', 'src/on/b.md': 'lamp', 'srcs/c.md': 'lamp' };
    const scores = (...refs: string[]) =>
      new Map(
        open(files)
          .find('lamp', refs)
          .map((one) => [one.passage.path, [one.score - one.grounds.whole_file, one.grounds.kind]]),
      );
    const plain = scores();
    const named = scores('src//');
    for (const path of ['src/a.md', 'src/on/b.md']) {
      expect(named.get(path)?.[0]).toBeCloseTo((plain.get(path)?.[0] ?? 0) * 1.12, 10);
      expect(named.get(path)?.[1]).toBeCloseTo((plain.get(path)?.[1] ?? 0) * 1.12, 10);
    }
    expect(named.get('srcs/c.md')).toEqual(plain.get('srcs/c.md'));
    expect(scores('src/a.md', 'x').get('src/a.md')?.[0]).toBeCloseTo((plain.get('src/a.md')?.[0] ?? 0) * 1.12, 10);
    expect(scores('src/a').get('src/a.md')).toEqual(plain.get('src/a.md'));
  });

  it('gain by the other passages of their file', () => {
    const section = (word: string) => `# ${word}\n\nx\n\n\n\n\n`;
    const found = open({ 'a.md': ['lamp', 'lamp', 'wick', 'lamp', 'lamp', 'lamp'].map(section).join('') }).find(
      'lamp wick',
    );
    const own = found.map(({ score, grounds }) => score - grounds.whole_file);
    expect([...own].sort((a, b) => b - a)).toEqual(own);
    const others = own.slice(1, 4).reduce((sum, score, at) => sum + score / 2 ** (at + 1), 0);
    const wholes = found.map(({ grounds }) => grounds.whole_file);
    expect(wholes[0]).toBeCloseTo(0.5 + 0.5 * others, 6);
    expect(wholes[1]).toBeCloseTo(0.5 + 0.5 * others, 6);
    expect(wholes.slice(2)).toEqual(wholes.slice(2).map(() => expect.closeTo(0.5, 6)));
  });

  it('gain by what their file covers as a whole, by its worth', () => {
    const { find, database } = open({ 'a.md': 'lamp', 'b.md': 'wick', 'c.md': 'x' });
    database.put(
      { ...(database.file('a.md') as object as Parameters<typeof database.put>[0]), worth: 0.5, isText: true },
      [{ startLine: 1, endLine: 1, kind: 'section', title: '', pathWords: 'a md', names: '', text: 'lamp' }],
    );
    const found = new Map(find('lamp wick').map((one) => [one.passage.path, one.grounds.whole_file]));
    expect(found.get('a.md')).toBeCloseTo(0.125, 6);
    expect(found.get('b.md')).toBeCloseTo(0.25, 6);
  });

  it('are none whose file cannot be read', () => {
    const { find, texts } = open({ 'a.md': 'lamp', 'b.md': 'lamp' });
    texts.delete('a.md');
    expect(find('lamp').map(({ passage }) => passage.path)).toEqual(['b.md']);
  });

  it('are read once until the index is changed', () => {
    const { search, find, texts } = open({ 'a.md': 'lamp' });
    expect(find('lamp')[0]?.text.lines).toEqual(['lamp']);
    texts.set('a.md', 'wick');
    expect(find('lamp')[0]?.text.lines).toEqual(['lamp']);
    search.forget();
    expect(find('lamp')[0]?.text.lines).toEqual(['wick']);
  });

  it('count more when they were changed last', () => {
    const { search, database, find } = open({ 'a.md': 'lamp', 'b.md': 'lamp' });
    const commit = (at: number, path: string) => ({
      hash: path,
      at,
      author: 'x',
      subject: 'x',
      isCut: false,
      paths: [path],
    });
    const year = 365 * 86_400_000;
    const kinds = () => find('lamp').map(({ passage, grounds }) => `${passage.path} ${grounds.kind.toFixed(3)}`);
    database.putCommits([commit(3 * year, 'a.md'), commit(2.5 * year, 'b.md')]);
    expect(kinds()).toEqual(['a.md 1.030', 'b.md 1.015']);
    database.putCommits([commit(2.5 * year, 'b.md')]);
    expect(kinds()).toEqual(['b.md 1.015', 'a.md 1.000']);
    search.forget();
    expect(kinds()).toEqual(['b.md 1.030', 'a.md 1.000']);
  });

  it('of some files hold no word of the question', () => {
    const { search } = open({ 'a.md': 'lamp', 'b.md': 'x', 'c.md': 'lamp' });
    const reading: Reading = readQuestion('lamp');
    const found = search.among(['b.md', 'a.md', 'gone.md'], search.weighTerms(reading), reading, []);
    expect(found.passages.map(({ passage }) => passage.path)).toEqual(['a.md', 'b.md']);
    expect(found.terms).toHaveLength(1);
  });
});

it('only words that are selective are searched for, unless none is', () => {
  const terms = (...frequencies: number[]) => frequencies.map((frequency) => ({ frequency }));
  expect(telling(terms(2_000, 2_001), 100)).toEqual(terms(2_000));
  expect(telling(terms(3_000, 3_001), 30_000)).toEqual(terms(3_000));
  expect(telling(terms(4_000, 5_000), 100)).toEqual(terms(4_000, 5_000));
});
