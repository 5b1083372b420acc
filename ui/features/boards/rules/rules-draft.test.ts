import { describe, expect, it } from 'vitest';
import type { Props } from '../../../../daemon/contract/clusters.js';
import { EMPTY_BOARD, newBoardProblems, slugFromName, toNewBoard } from '../new-board.js';
import { NO_RULES, propsPatch, rulesProblems, toDraft, toProps } from './rules-draft.js';

const lisbon = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };
const PROPS: Props = {
  where: lisbon,
  lang: 'pt',
  entry: { age_min: 18, require: ['a name'] },
  limits: { post_max_chars: 280 },
};

describe('rules draft', () => {
  it('round-trips rules without a change', () => {
    for (const props of [
      PROPS,
      {},
      { where: 'none' },
      { where: { label: 'online' } },
      { entry: { require: ['x'] } },
    ] as Props[]) {
      expect(toProps(toDraft(props))).toEqual(props);
      expect(propsPatch(toDraft(props), props)).toBeUndefined();
    }
    expect(propsPatch(NO_RULES, null)).toBeUndefined();
  });

  it('sends changed rules and clears emptied ones with null', () => {
    expect(propsPatch({ ...toDraft(PROPS), lang: '', mostChars: '300' }, PROPS)).toEqual({
      lang: null,
      limits: { post_max_chars: 300 },
    });
    expect(propsPatch({ ...toDraft(PROPS), where: { kind: 'inherit' } }, PROPS)).toEqual({ where: null });
    expect(propsPatch({ ...NO_RULES, require: 'a, b ,, a' }, null)).toEqual({ entry: { require: ['a', 'b'] } });
    expect(propsPatch({ ...toDraft(PROPS), age: '', mostChars: '' }, PROPS)).toEqual({
      entry: { age_min: null },
      limits: { post_max_chars: null },
    });
  });

  it('reports problems field by field', () => {
    expect(rulesProblems({ ...NO_RULES, age: '121' })).toHaveProperty('age');
    expect(rulesProblems({ ...NO_RULES, age: '-1' })).toHaveProperty('age');
    expect(rulesProblems({ ...NO_RULES, mostChars: '0' })).toHaveProperty('mostChars');
    expect(rulesProblems({ ...NO_RULES, mostChars: '65537' })).toHaveProperty('mostChars');
    expect(rulesProblems({ ...NO_RULES, require: 'x'.repeat(65) })).toHaveProperty('require');
    expect(rulesProblems({ ...NO_RULES, require: Array.from({ length: 17 }, (_, at) => at).join() })).toHaveProperty(
      'require',
    );
    expect(rulesProblems({ ...NO_RULES, where: { kind: 'place' } })).toHaveProperty('where');
    expect(rulesProblems({ ...NO_RULES, age: '0', mostChars: '65536' })).toEqual({});
  });
});

describe('new board', () => {
  it.each([
    ['Flea market', 'flea-market'],
    ['Café & Wein – Łódź!', 'cafe-wein-lodz'],
    ['--', ''],
    ['日本', ''],
    ['x'.repeat(60), 'x'.repeat(40)],
  ])('named %s has the hashtag %s', (name, slug) => expect(slugFromName(name)).toBe(slug));

  it('requires a name, a hashtag and a charter of at most 400 characters', () => {
    expect(newBoardProblems(EMPTY_BOARD)).toMatchObject({ name: expect.any(String), slug: expect.any(String) });
    expect(newBoardProblems({ ...EMPTY_BOARD, name: '日本' })).toHaveProperty('slug');
    expect(newBoardProblems({ ...EMPTY_BOARD, name: 'Flats', about: '🏮'.repeat(401) })).toHaveProperty('about');
    expect(newBoardProblems({ ...EMPTY_BOARD, name: 'Flats', about: '🏮'.repeat(400) })).toEqual({});
  });

  it('has no props when nothing is set', () => {
    expect(toNewBoard({ ...EMPTY_BOARD, name: ' Flats ' })).toEqual({
      slug: 'flats',
      name: 'Flats',
      kind: 'generic',
      about: '',
    });
    expect(toNewBoard({ ...EMPTY_BOARD, name: 'Flats', slug: 'f', rules: { ...NO_RULES, lang: 'en' } })).toMatchObject({
      slug: 'f',
      props: { lang: 'en' },
    });
  });
});
