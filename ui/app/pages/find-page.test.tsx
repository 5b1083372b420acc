// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { FindPage } from './find-page.js';

removeAfterEach();

it('clears the filters and keeps what was searched for', async () => {
  stubDaemon(() => ({ body: { agents: [], count: 0, query_id: 'q', unfilterable: [], next_cursor: null } }));
  const page = await drawPart(<FindPage />, { route: '/find', at: '/find?q=lamps&country=PT&category=light' });
  await page.press('Clear the 2 filters');
  expect(page.address()).toBe('/find?q=lamps');
});
