import { describe, expect, it } from 'vitest';
import { filtersSet, findCommand, searchBody } from './find-filters.js';
import { countryIn, type FindSearch, priceIn, readFindSearch } from './find-search.js';

const everything: FindSearch = {
  q: 'paint a picture',
  online: 'any',
  capability: 'paint',
  tags: 'art, image',
  category: 'media.image',
  protocols: 'http,a2a',
  input: 'text/plain',
  output: 'image/png',
  price: 0.1,
  country: 'NO',
  limit: 50,
};

/** Removes undefined values, as the query does. */
const present = (search: FindSearch) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

describe('search query', () => {
  it('round-trips', () => {
    expect(present(readFindSearch({ ...everything }))).toEqual(everything);
    expect(present(readFindSearch({}))).toEqual({});
  });

  it('treats numbers as text', () => {
    expect(readFindSearch({ q: 404, tags: 2026 })).toMatchObject({ q: '404', tags: '2026' });
  });

  it.each([
    ['q', '   '],
    ['q', true],
    ['q', { a: 1 }],
    ['online', 'none'],
    ['price', -1],
    ['price', 'cheap'],
    ['price', ''],
    ['price', Number.POSITIVE_INFINITY],
    ['price', null],
    ['country', 'NOR'],
    ['country', '1'],
    ['limit', 7],
    ['limit', 'all'],
  ])('ignores %s=%j', (key, value) => expect(present(readFindSearch({ [key]: value }))).toEqual({}));

  it('parses prices and countries as they are typed', () => {
    expect([priceIn('0'), priceIn('0.05'), priceIn(' 1 '), priceIn('1,5')]).toEqual([0, 0.05, 1, undefined]);
    expect([countryIn('no'), countryIn(' PT '), countryIn('p')]).toEqual(['NO', 'PT', undefined]);
  });

  it('counts the filters that are set', () => {
    expect(filtersSet({})).toBe(0);
    expect(filtersSet({ q: 'x', online: 'any', limit: 10 })).toBe(0);
    expect(filtersSet(everything)).toBe(8);
  });
});

describe('request to the daemon', () => {
  it('contains every filter under its name and requests the reasons', () => {
    expect(searchBody(everything, 'next')).toEqual({
      query: 'paint a picture',
      filters: {
        online_only: false,
        capability: 'paint',
        tags: 'art, image',
        category: 'media.image',
        protocols: 'http,a2a',
        input_mode: 'text/plain',
        output_mode: 'image/png',
        max_price: 0.1,
        country: 'NO',
        limit: 50,
        cursor: 'next',
      },
      explain: true,
    });
  });

  it('contains only the page size without filters', () => {
    expect(searchBody({}, '')).toEqual({ query: '', filters: { limit: 20 }, explain: true });
  });
});

describe('equivalent command', () => {
  it('has an option for every filter, one for each tag and protocol', () => {
    expect(findCommand(everything)).toBe(
      'meshd find --all --capability paint --tag art --tag image --category media.image --protocol http ' +
        "--protocol a2a --input text/plain --output image/png --max-price 0.1 --country NO --limit 50 'paint " +
        "a picture'",
    );
  });

  it('quotes everything for the shell and separates options from text', () => {
    expect(findCommand({ q: "it's $(rm -rf)", tags: 'a b, `id`' })).toBe(
      "meshd find --tag 'a b' --tag '`id`' 'it'\\''s $(rm -rf)'",
    );
    expect(findCommand({ q: '--all' })).toBe("meshd find -- '--all'");
    expect(findCommand({})).toBe("meshd find ''");
  });
});
