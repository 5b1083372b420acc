import { describe, expect, it } from 'vitest';
import type { RequestList, RequestRow } from '../../../daemon/contract/asks.js';
import { findFinalPage, untilItsEnd } from './final-pages.js';

const row = (request_id: string, status: RequestRow['status'] = 'done') => ({ request_id, status }) as RequestRow;
const page = (next_cursor: string | null, ...requests: RequestRow[]): RequestList => ({
  requests,
  count: requests.length,
  next_cursor,
});

describe('findFinalPage', () => {
  const first = page('7', row('c', 'running'), row('b'));
  const second = page('4', row('a'), row('z', 'error'));
  const third = page(null, row('y', 'needs_input'));
  const was = { pages: [first, second, third], pageParams: ['', '7', '4'] };

  it('returns the cached page once all its requests have ended', () => expect(findFinalPage(was, '7')).toBe(second));
  it.each([
    ['a request of it is under way', '4'],
    ['it was never read', '5'],
  ])('returns undefined when %s', (_, cursor) => expect(findFinalPage(was, cursor)).toBeUndefined());
  it('returns undefined before the first read', () => expect(findFinalPage(undefined, '7')).toBeUndefined());
});

describe('untilItsEnd', () => {
  const was = page('5', row('b', 'running'), row('a'));

  it('returns the new rows and keeps the end of the page', () =>
    expect(untilItsEnd(page('3', row('d'), row('c'), row('b'), row('a'), row('z'), row('y')), was)).toEqual(
      page('5', row('d'), row('c'), row('b'), row('a')),
    ));
  it('returns undefined when more rows arrived than fit', () =>
    expect(untilItsEnd(page('6', row('f'), row('e')), was)).toBeUndefined());
});
