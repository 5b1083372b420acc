import { describe, expect, it } from 'vitest';
import { ruleSentences } from '../board-format.js';
import { getBoardRules, getRequiredAge } from './board-rules.js';

const lisbon = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };

describe('rules of a board', () => {
  it('inherit key by key from the cluster and have their level', () => {
    expect(getBoardRules({ lang: 'en' }, { lang: 'pt', where: lisbon })).toEqual({
      lang: { value: 'en', from: 'board' },
      where: { value: lisbon, from: 'room' },
    });
    expect(getBoardRules(null, null)).toEqual({});
  });

  it('stop inheriting a place when it is none', () => {
    expect(getBoardRules({ where: 'none' }, { where: lisbon }).where).toEqual({ value: 'none', from: 'board' });
  });

  it('inherit the age limit of the cluster beside requirements of the board', () => {
    const rules = getBoardRules({ entry: { require: ['a name'] } }, { entry: { age_min: 18 } });
    expect(rules).toEqual({ ageMin: { value: 18, from: 'room' }, require: { value: ['a name'], from: 'board' } });
    expect(getRequiredAge(rules)).toBe(18);
  });

  it('require a declared age from 18 on', () => {
    expect(getRequiredAge(getBoardRules({ entry: { age_min: 17 } }, null))).toBeUndefined();
    expect(getRequiredAge(getBoardRules({ entry: { age_min: 18 } }, null))).toBe(18);
    expect(getRequiredAge(getBoardRules(null, { entry: { age_min: 21 } }))).toBe(21);
  });

  it('are described in words without coordinates', () => {
    const rules = getBoardRules(
      { entry: { age_min: 18, require: ['a name', 'a licence'] }, limits: { post_max_chars: 1 } },
      { where: lisbon, lang: 'pt' },
    );
    const sentences = ruleSentences(rules);
    expect(sentences).toEqual([
      { said: 'Posts are near Lisbon, Portugal unless they state otherwise.', from: 'room' },
      { said: 'In Portuguese unless a post states otherwise.', from: 'room' },
      { said: 'For people of 18 and older; declared, not verified.', from: 'board' },
      { said: 'Asks for: a name, a licence.', from: 'board' },
      { said: 'A post has at most 1 character, title and body together.', from: 'board' },
    ]);
    expect(JSON.stringify(sentences)).not.toMatch(/38\.|9\.14/);
    expect(ruleSentences(getBoardRules({ where: 'none' }, null))).toEqual([
      { said: 'Posts have no place.', from: 'board' },
    ]);
    expect(ruleSentences({})).toEqual([]);
  });
});
