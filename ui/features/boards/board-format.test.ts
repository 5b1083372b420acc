import { describe, expect, it } from 'vitest';
import { formatDistance, formatTimeLeft } from './board-format.js';
import { formatLanguage, languageOptions } from './rules/languages.js';

const NOW = 1_800_000_000;

describe('formatTimeLeft', () => {
  it.each([
    [null, 'no end'],
    [-1, 'ended'],
    [0, 'ended'],
    [30, 'less than a minute left'],
    [90, '1 min left'],
    [3_600, '1 h left'],
    [86_400 - 20, '24 h left'],
    [2 * 86_400, '2 days left'],
    [7 * 86_400 - 30, '7 days left'],
    [30 * 86_400, '30 days left'],
    [365 * 86_400, '12 months left'],
  ])('for %s s ahead is %s', (ahead, words) =>
    expect(formatTimeLeft(ahead === null ? null : NOW + ahead, NOW)).toBe(words),
  );
});

describe('formatDistance', () => {
  it.each([
    [0, 'less than 1 km away'],
    [3.25, '3.3 km away'],
    [12.4, '12 km away'],
    [12_345.6, '12,346 km away'],
  ])('for %s km is %s', (km, words) => expect(formatDistance(km)).toBe(words));
});

describe('languages', () => {
  it('are named, and an unknown code is kept', () => {
    expect(formatLanguage('pt-BR')).toBe('Brazilian Portuguese');
    expect(formatLanguage('zzz')).toBe('zzz');
    expect(formatLanguage('not a code')).toBe('not a code');
  });

  it('are offered with the known one among them', () => {
    expect(languageOptions().some(({ value }) => value === 'gsw')).toBe(false);
    expect(languageOptions('gsw').find(({ value }) => value === 'gsw')?.label).toBe('Swiss German');
    expect(new Set(languageOptions('en').map(({ value }) => value)).size).toBe(languageOptions('en').length);
  });
});
