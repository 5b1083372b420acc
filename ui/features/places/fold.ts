/** Letters that are no letter with a mark: Unicode takes none of them apart. */
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

/** A name as it is looked for: in small letters, without accents and apostrophes, its words one space apart. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(WHOLE_LETTERS, (letter) => WHOLE[letter] ?? letter)
    .replace(QUOTES, '')
    .replace(GAPS, ' ')
    .trim();
