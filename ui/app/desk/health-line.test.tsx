// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach } from '../../testing/drawn.js';
import { HealthLine } from './health-line.js';

removeAfterEach();

it.each([
  [0, 'up 1 min'],
  [90_000, 'up 1 min'],
  [150_000, 'up 2 min'],
])('says after %d ms: %s', async (ms, words) => {
  const health = {
    ...{ version: '0.1.0', started_at: new Date(Date.now() - ms).toISOString(), store: 'ok', members: 4 },
    ...{ members_broken: 1, knowledge: { state: 'indexing', files_done: 3, files_total: 9, commit: 'abcdef0123' } },
  };
  const page = await drawPart(<HealthLine />, { known: [[['health'], health]] });
  expect(page.words()).toBe(
    `meshd 0.1.0 · ${words} · store ok · indexing 3 of 9 files at abcdef0 · 4 members, 1 broken · Health`,
  );
});
