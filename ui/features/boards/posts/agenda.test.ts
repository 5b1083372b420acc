import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('heads each day by that day, also west of Greenwich', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  vi.resetModules();
  const { formatDay } = await import('./agenda.js');
  expect(formatDay('2026-12-05')).toMatch(/^Saturday,? 5 December 2026$/);
  expect(formatDay(undefined)).toBe('No day given');
});
