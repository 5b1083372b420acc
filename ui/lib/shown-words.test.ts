import { expect, it } from 'vitest';
import { shownWords } from './shown-words.js';

it('cuts a pile of marks upon one letter, and no word of any script', () => {
  const piled = `a${'\u0301'.repeat(100_000)}b`;
  expect(shownWords(piled)).toBe(`a${'\u0301'.repeat(16)}\ufffdb`);
  for (const words of ['Việt Nam', 'क्षत्रिय', 'ٱلرَّحْمَٰنِ', 'שָׁלוֹם', 'น้ำ', '🏴\u{e0067}\u{e0062}'])
    expect(shownWords(words)).toBe(words);
});

it('shows what cannot be seen as an escape and leaves every script as it is', () => {
  expect(shownWords('De\u202eployer\u2066!\u2069')).toBe('De\\u202eployer\\u2066!\\u2069');
  expect(shownWords('Hafen שלום مرفأ 港')).toBe('Hafen שלום مرفأ 港');
});
