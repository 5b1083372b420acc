/** Letters that Unicode does not decompose into a base letter and a mark. */
const WHOLE: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ə: 'e',
};
const MARKS = /\p{M}+/gu;
const WHOLE_LETTERS = new RegExp(`[${Object.keys(WHOLE).join('')}]`, 'g');
const QUOTES = /['’‘ʻʼ`´]/g;
const GAPS = /[\s\-–./_]+/g;

/** Normalizes a name for search: lower case, without accents and apostrophes, words separated by one space. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(WHOLE_LETTERS, (letter) => WHOLE[letter] ?? letter)
    .replace(QUOTES, '')
    .replace(GAPS, ' ')
    .trim();
