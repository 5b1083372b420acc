import { expect, it } from 'vitest';
import { parseQueryTime } from './query-time.js';

it('parses the time of a query parameter in its time zone, and an absent one as undefined', () => {
  expect(parseQueryTime('since', '2026-11-27T08:00:00Z')).toBe(Date.UTC(2026, 10, 27, 8));
  expect(parseQueryTime('since', '2026-11-27T08:00:00+02:00')).toBe(Date.UTC(2026, 10, 27, 6));
  expect(parseQueryTime('since', '2026-11-27')).toBe(Date.UTC(2026, 10, 27));
  expect(parseQueryTime('since', '2026-11-27 08:00:00Z')).toBe(Date.UTC(2026, 10, 27, 8));
  expect(parseQueryTime('since', undefined)).toBeUndefined();
});

it.each(['', 'yesterday', '7', '2026', '2026-11', '2026-13-01', '27 Nov 2026', '2026-11-27x'])(
  'rejects %j and names the parameter with an example',
  (text) => {
    expect(() => parseQueryTime('since', text)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: '"since" must be an ISO 8601 time, such as 2026-11-27T08:00:00Z.',
        details: { path: 'since' },
      }),
    );
  },
);
