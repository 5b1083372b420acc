import { expect, it } from 'vitest';
import { toDisplayText } from './display-text.js';

it('cuts a long run of combining marks and leaves words of every script unchanged', () => {
  const piled = `a${'\u0301'.repeat(100_000)}b`;
  expect(toDisplayText(piled)).toBe(`a${'\u0301'.repeat(16)}\ufffdb`);
  for (const words of ['Việt Nam', 'क्षत्रिय', 'ٱلرَّحْمَٰنِ', 'שָׁלוֹם', 'น้ำ', '🏴\u{e0067}\u{e0062}'])
    expect(toDisplayText(words)).toBe(words);
});

it('escapes invisible characters and leaves every script unchanged', () => {
  expect(toDisplayText('De\u202eployer\u2066!\u2069')).toBe('De\\u202eployer\\u2066!\\u2069');
  expect(toDisplayText('Hafen שלום مرفأ 港')).toBe('Hafen שלום مرفأ 港');
});
