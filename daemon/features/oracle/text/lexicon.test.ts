import { describe, expect, it } from 'vitest';
import { Lexicon } from './lexicon.js';

/** A vocabulary of words that are their own stems, each in one row. */
function lexiconOf(...words: readonly string[]): Lexicon {
  const lexicon = new Lexicon();
  for (const word of words) lexicon.count(lexicon.add(word, [word]), 1);
  return lexicon;
}

const meant = (lexicon: Lexicon, word: string) => lexicon.corrections(word).map((one) => one.word);

describe('the vocabulary', () => {
  it('numbers stems in the order in which they come, each once', () => {
    const lexicon = lexiconOf('karn', 'bolt');
    expect(lexicon.add('karn', ['karns'])).toBe(0);
    expect(lexicon.add('mast', [])).toBe(2);
    expect([lexicon.size, lexicon.stems]).toEqual([3, ['karn', 'bolt', 'mast']]);
    expect([lexicon.getTerm('bolt'), lexicon.getTerm('karns')]).toEqual([1, undefined]);
  });

  it('counts the rows of each word, however many words there are', () => {
    const lexicon = lexiconOf(...Array.from({ length: 2_500 }, (_, number) => `word${number}`));
    lexicon.count(3, 1);
    lexicon.count(4, -1);
    lexicon.count(1_024, 1);
    expect([3, 4, 5, 1_023, 1_024, 2_499].map((term) => lexicon.rowsWith(term))).toEqual([2, 0, 1, 1, 2, 1]);
    expect([lexicon.rowsWith(-1), lexicon.rowsWith(1_000_000)]).toEqual([0, 0]);
  });

  it('takes a million words, and after that those that it knows', () => {
    const lexicon = lexiconOf('karn');
    (lexicon.stems as string[]).length = 999_999;
    expect([lexicon.canAdd('karn'), lexicon.canAdd('bolt')]).toEqual([true, true]);
    (lexicon.stems as string[]).length = 1_000_000;
    expect([lexicon.canAdd('karn'), lexicon.canAdd('bolt')]).toEqual([true, false]);
  });
});

describe('a mistyped word', () => {
  it.each([
    ['abd', 'abc', 0],
    ['abcf', 'abcd', 1],
    ['abdc', 'abcd', 1],
    ['abcd5', 'abcde', 0],
    ['abcdexy', 'abcdefg', 0],
    ['abcdexg', 'abcdefg', 1],
    ['abdcefg', 'abcdefg', 1],
    ['abdcegf', 'abcdefg', 0],
    ['abcdefxy', 'abcdefgh', 1],
    ['abcdexyz', 'abcdefgh', 0],
    ['abdcefghji', 'abcdefghij', 1],
    ['abdcefghjik', 'abcdefghij', 0],
  ])('%s may stand for %s: %i', (typed, word, times) => {
    expect(meant(lexiconOf(word), typed)).toHaveLength(times);
  });

  it('says which word it stands for and how many edits that takes', () => {
    expect(lexiconOf('mast', 'contract').corrections('contarxt')).toEqual([{ term: 1, word: 'contract', edits: 2 }]);
    expect(lexiconOf('mast', 'contract').corrections('contarct')).toEqual([{ term: 1, word: 'contract', edits: 1 }]);
  });

  it('stands for the words with the fewest edits only', () => {
    expect(meant(lexiconOf('abcdefxy', 'abcdefgx', 'abcdexyh'), 'abcdefgh')).toEqual(['abcdefgx']);
  });

  it('stands for the two most common of these, of equally common ones the first', () => {
    const lexicon = lexiconOf('abcde1', 'abcde2', 'abcde3', 'abcde4');
    lexicon.count(3, 1);
    expect(meant(lexicon, 'abcdef')).toEqual(['abcde4', 'abcde1']);
    lexicon.count(2, 1);
    lexicon.count(2, 1);
    expect(meant(lexicon, 'abcdef')).toEqual(['abcde3', 'abcde4']);
  });

  it('does not stand for a word whose rows are all gone', () => {
    const lexicon = lexiconOf('contract', 'contrast');
    lexicon.count(0, -1);
    expect(meant(lexicon, 'contracr')).toEqual(['contrast']);
  });

  it('stands once for a word that has several spellings', () => {
    const lexicon = new Lexicon();
    lexicon.count(lexicon.add('contract', ['contracts', 'contracte']), 1);
    lexicon.count(lexicon.add('contracto', ['contracto']), 1);
    expect(lexicon.corrections('contractx')).toEqual([
      { term: 0, word: 'contracts', edits: 1 },
      { term: 1, word: 'contracto', edits: 1 },
    ]);
  });

  it('stands for the spelling with fewer edits of one word', () => {
    const lexicon = new Lexicon();
    lexicon.count(lexicon.add('contract', ['contractly', 'contracts']), 1);
    expect(lexicon.corrections('contractx')).toEqual([{ term: 0, word: 'contracts', edits: 1 }]);
  });

  it('has a spelling of one stem, the first that had it', () => {
    const lexicon = lexiconOf('contract');
    lexicon.count(lexicon.add('other', ['contract']), 1);
    expect(lexicon.corrections('contracr')).toEqual([{ term: 0, word: 'contract', edits: 1 }]);
  });

  it('is compared with words that came after the first correction', () => {
    const lexicon = lexiconOf('mast');
    expect(meant(lexicon, 'contracr')).toEqual([]);
    for (let number = 0; number < 300; number += 1) lexicon.add(`word${number}`, [`word${number}`]);
    lexicon.count(lexicon.add('contract', ['contract']), 1);
    expect(meant(lexicon, 'contracr')).toEqual(['contract']);
    expect(meant(lexicon, 'contracr')).toEqual(['contract']);
  });
});

describe('of the words that are alike', () => {
  const letters = [...'klmnopqrstuvwxyz'];
  /** Sixty words that share at least eight of ten parts with `abcdefghij`. */
  const alike = [
    ...letters.map((letter) => `abcdefghi${letter}`),
    ...letters.map((letter) => `${letter}bcdefghij`),
    ...letters.map((letter) => `abcdefghij${letter}`),
    ...letters.slice(0, 12).map((letter) => `${letter}abcdefghij`),
  ];
  const lexiconWith = (count: number) => {
    const lexicon = lexiconOf('abcdexghij');
    for (const word of alike.slice(0, count)) lexicon.add(word, [word]);
    return lexicon;
  };

  it('sixty are compared, those that share the most with the mistyped word', () => {
    expect(meant(lexiconWith(59), 'abcdefghij')).toEqual(['abcdexghij']);
    expect(meant(lexiconWith(60), 'abcdefghij')).toEqual([]);
    expect(meant(lexiconWith(60), 'abcdexghij')).toEqual(['abcdexghij']);
  });

  it('those that are too long or too short take no place of the sixty', () => {
    const lexicon = lexiconOf('abcdexghij');
    for (const one of letters)
      for (const other of letters.slice(0, 8)) lexicon.add(one + other, [`abcdefghij${one}${other}k`]);
    for (const one of letters)
      for (const other of letters.slice(0, 8)) lexicon.add(other + one, [`k${one}${other}abcdefghij`]);
    expect(meant(lexicon, 'abcdefghij')).toEqual(['abcdexghij']);
  });
});
