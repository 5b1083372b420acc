import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import { readQuery } from './query-words.js';
import { RelatedWords } from './related-words.js';
import { Synonyms } from './synonyms.js';
import { TextIndex } from './text-index.js';

interface Setting {
  rows: readonly string[];
  /** Lines of words that stand for each other. */
  synonyms?: string;
  /** Lines of a word, those of the same sense, and those that are near. */
  related?: string;
  /** Words that have a vector. */
  vectors?: readonly string[];
}

/** Reads `query` over rows with these descriptions; words instead of terms. */
function read(query: string, { rows, synonyms = '', related = '', vectors = [] }: Setting) {
  const index = new TextIndex();
  for (const description of rows) index.add({ ...EMPTY_ROW, description });
  const english = { synonyms: new Synonyms(synonyms), relatedWords: new RelatedWords(() => related) };
  const named = (terms: readonly { term: number; weight: number }[]) =>
    terms.map(({ term, weight }) => [index.lexicon.stems[term], weight]);
  const found = readQuery(query, index, english, (term) => vectors.includes(index.lexicon.stems[term] as string));
  return { ...found, terms: named(found.terms), same: named(found.same), near: named(found.near), index };
}

const rarity = (live: number, holders: number) => Math.log(1 + (live - holders + 0.5) / (holders + 0.5));

describe('a word of a query', () => {
  it('that a row contains counts in full, once, by its stem', () => {
    const { terms, unknown, strange } = read('the Karn karns bolt', { rows: ['karn', 'bolt', 'mast'] });
    expect([terms, unknown, strange]).toEqual([
      [
        ['karn', 1],
        ['bolt', 1],
      ],
      [],
      0,
    ]);
  });

  it('that no row contains is looked up by its synonyms, not as if it were mistyped', () => {
    const { terms, unknown, strange } = read('contrast contrasts', { rows: ['contract'], synonyms: 'contrast helm' });
    expect([terms, unknown, strange]).toEqual([[], ['contrast'], 0]);
  });

  it('that is mistyped counts less with every edit', () => {
    expect(read('contarct', { rows: ['contract'] }).terms).toEqual([['contract', 0.8]]);
    expect(read('contarxt', { rows: ['contract'] }).terms).toEqual([['contract', 0.6]]);
    expect(read('contarct', { rows: ['contract'] }).strange).toBe(0);
  });

  it('counts as often as its best spelling, in whatever order', () => {
    expect(read('contarct contract', { rows: ['contract'] }).terms).toEqual([['contract', 1]]);
    expect(read('contract contarct', { rows: ['contract'] }).terms).toEqual([['contract', 1]]);
    expect(read('contarxt contarct', { rows: ['contract'] }).terms).toEqual([['contract', 0.8]]);
  });

  it('with neither synonyms nor corrections is counted as strange', () => {
    const { terms, strange } = read('karn xqzt vvvv', { rows: ['karn'] });
    expect([terms, strange]).toEqual([[['karn', 1]], 2]);
  });

  it('of a row that is gone is one that no row contains', () => {
    const index = new TextIndex();
    index.add({ ...EMPTY_ROW, description: 'karn' });
    index.remove(0);
    const english = { synonyms: new Synonyms(''), relatedWords: new RelatedWords(() => '') };
    expect(readQuery('karn', index, english, () => false)).toMatchObject({ terms: [], strange: 1 });
  });

  it('is looked up if it is among the first hundred different ones', () => {
    const strange = (count: number) => Array.from({ length: count }, (_, at) => `q${at}`).join(' ');
    expect(read(`${strange(99)} karn`, { rows: ['karn'] }).terms).toEqual([['karn', 1]]);
    expect(read(`${strange(99)} ${strange(99)} karn`, { rows: ['karn'] }).terms).toEqual([['karn', 1]]);
    expect(read(`${strange(100)} karn`, { rows: ['karn'] }).terms).toEqual([]);
  });
});

describe('of a long query', () => {
  const words = Array.from({ length: 25 }, (_, at) => `w${String.fromCharCode(97 + at)}k`);
  const many = ['wxk wbk', 'wxk wbk', 'wxk'];

  it('all of two dozen words are looked up, in their order', () => {
    const { terms } = read(words.slice(0, 24).join(' '), { rows: [...words, ...many] });
    expect(terms).toEqual(words.slice(0, 24).map((word) => [word, 1]));
  });

  it('the two dozen rarest words are looked up, rarest first, and equally rare ones as in the index', () => {
    const { terms } = read([...words].reverse().join(' '), { rows: [...words, ...many] });
    const others = words.filter((word) => word !== 'wxk' && word !== 'wbk');
    expect(terms).toEqual([...others, 'wbk'].map((word) => [word, 1]));
  });
});

describe('a synonym', () => {
  const synonyms = 'karn helm';

  it('of a word that no row contains counts 0.8, as long as it has no vector', () => {
    expect(read('karn', { rows: ['helm', 'bolt'], synonyms }).same).toEqual([['helm', 0.8]]);
    expect(read('karn', { rows: ['helm', 'bolt'], synonyms, vectors: ['helm'] }).same).toEqual([]);
  });

  it('of a word that rows contain counts 0.4, and less the rarer it is', () => {
    expect(read('karn', { rows: ['karn', 'helm', 'helm', 'bolt'], synonyms }).same).toEqual([['helm', 0.4]]);
    expect(read('karn', { rows: ['karn', 'karn', 'helm', 'bolt'], synonyms }).same).toEqual([
      ['helm', expect.closeTo((0.4 * rarity(4, 2)) / rarity(4, 1), 10)],
    ]);
  });

  it('that the query contains, or that no row contains, adds nothing', () => {
    expect(read('karn helm', { rows: ['karn', 'helm'], synonyms }).same).toEqual([]);
    expect(read('karn', { rows: ['karn', 'bolt'], synonyms }).same).toEqual([]);
  });

  it('whose rows are gone adds nothing', () => {
    const index = new TextIndex();
    for (const description of ['karn', 'helm']) index.add({ ...EMPTY_ROW, description });
    index.remove(1);
    const english = { synonyms: new Synonyms(synonyms), relatedWords: new RelatedWords(() => '') };
    expect(readQuery('karn', index, english, () => false).same).toEqual([]);
  });
});

describe('a related word', () => {
  const related = 'karn helm bolt\nmast bolt helm';

  it('of the same sense counts 0.4, one that is near counts 0.2 and apart from it', () => {
    const { terms, same, near } = read('karn', { rows: ['karn', 'helm', 'bolt'], related, vectors: ['helm', 'bolt'] });
    expect([terms, same, near]).toEqual([[['karn', 1]], [['helm', 0.4]], [['bolt', 0.2]]]);
  });

  it('of a word that no row contains is looked up too', () => {
    const { same, near } = read('karn', { rows: ['helm', 'bolt'], related });
    expect([same, near]).toEqual([[['helm', 0.4]], [['bolt', 0.2]]]);
  });

  it('of two words means the same if it does so for one of them', () => {
    const { same, near } = read('karn mast', { rows: ['helm', 'bolt'], related });
    expect([same, near]).toEqual([
      [
        ['helm', 0.4],
        ['bolt', 0.4],
      ],
      [],
    ]);
  });

  it('that is a synonym too counts as the synonym', () => {
    expect(read('karn', { rows: ['helm'], synonyms: 'karn helm', related }).same).toEqual([['helm', 0.8]]);
  });

  it('that the query contains adds nothing', () => {
    const { same, near } = read('karn helm', { rows: ['karn', 'helm', 'bolt'], related });
    expect([same, near]).toEqual([[], [['bolt', 0.2]]]);
  });

  it('in a large catalog is asked for only where no row contains the word', () => {
    const rows = (count: number) => ['karn', 'helm', ...Array<string>(count - 2).fill('')];
    expect(read('karn', { rows: rows(4_999), related }).same).toEqual([['helm', 0.4]]);
    expect(read('karn', { rows: rows(5_000), related }).same).toEqual([]);
    expect(read('mast', { rows: rows(5_000), related }).near).toEqual([['helm', 0.2]]);
    expect(read('karn mast', { rows: rows(5_000), related }).near).toEqual([['helm', 0.2]]);
  });

  it('is one of the forty-eight that count the most, the first in the index among equals', () => {
    const words = Array.from(
      { length: 50 },
      (_, at) => `w${String.fromCharCode(97 + (at % 25))}${at < 25 ? 'k' : 'm'}`,
    );
    const { same, near } = read('karn', {
      rows: words,
      related: `karn ${words.slice(40).join(',')} ${words.slice(0, 40).reverse().join(',')}`,
    });
    expect(same).toEqual(words.slice(40).map((word) => [word, 0.4]));
    expect(near).toEqual(words.slice(0, 38).map((word) => [word, 0.2]));
  });
});
