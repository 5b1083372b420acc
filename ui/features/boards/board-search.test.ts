import { describe, expect, it } from 'vitest';
import { kmIn, readBoardSearch } from './board-search.js';
import { declareAge, declaredAge } from './rules/adult-word.js';

describe('query of a board', () => {
  it('keeps valid parameters', () => {
    expect(
      readBoardSearch({ show: 'map', near: 'Lisbon, PT', km: 25, lang: 'pt-BR', at: '8_1_1', make: 'post' }),
    ).toEqual({
      show: 'map',
      near: 'Lisbon, PT',
      km: 25,
      lang: 'pt-BR',
      at: '8_1_1',
      make: 'post',
    });
  });

  it('ignores invalid parameters', () => {
    const none = { show: undefined, near: undefined, km: undefined, lang: undefined, at: undefined, make: undefined };
    expect(readBoardSearch({ show: 'x', near: '', km: 'far', lang: '<b>', at: 3, make: 'tea' })).toEqual(none);
    expect(readBoardSearch({})).toEqual(none);
  });

  it.each([
    ['0.5', 0.5],
    [20_000, 20_000],
    [20_001, undefined],
    [0, undefined],
    ['', undefined],
    [' ', undefined],
    [Number.NaN, undefined],
  ])('parses the radius %j', (typed, km) => expect(kmIn(typed)).toBe(km));
});

describe('declared age', () => {
  function aTab() {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
  }

  it('is stored for the tab, and a lower age does not replace a higher one', () => {
    const tab = aTab();
    expect(declaredAge(tab)).toBe(0);
    declareAge(21, tab);
    declareAge(18, tab);
    expect(declaredAge(tab)).toBe(21);
    expect(declaredAge(aTab())).toBe(0);
  });

  it('is 0 when the storage throws or holds an invalid value', () => {
    const closed = {
      getItem: () => {
        throw new Error('no');
      },
      setItem: () => {
        throw new Error('no');
      },
    };
    declareAge(18, closed);
    expect(declaredAge(closed)).toBe(0);
    expect(declaredAge({ getItem: () => 'old enough', setItem: () => undefined })).toBe(0);
  });
});
