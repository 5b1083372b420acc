// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import type { UsageCounts, UsageReport } from '../../../daemon/contract/usage.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import UsageView, { UsageTable } from './usage-view.js';

removeAfterEach();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const NONE: UsageCounts = {
  ...{ asks: 0, found: 0, likely: 0, none: 0, answered: 0, failed: 0, stopped: 0, refused: 0 },
  ...{ p50_ms: null, p95_ms: null, input_tokens: null, output_tokens: null, cost_usd: null },
} as UsageCounts;
const EMPTY = {
  bucket: 'hour',
  buckets: [],
  members: [],
  callers: [],
  clients: [],
  total: NONE,
} as unknown as UsageReport;

it('asks for the usage of the chosen member, by the midnights of this browser', async () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  const calls = stubDaemon(({ path }) => (path.startsWith('/usage') ? { body: EMPTY } : { status: 503, body: {} }));
  const page = await drawPart(
    <UsageView search={{ span: 'day', member: 'developer' }} members={['developer']} onSearch={() => undefined} />,
  );
  expect(calls.map(({ path }) => path).find((path) => path.startsWith('/usage'))).toMatch(
    /utc_offset=540&member=developer/,
  );
  expect(page.words()).toContain('Nothing was asked in this time.');
});

it('gives each hour a row of its own in the night in which the clocks go back', async () => {
  const warned = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const page = await drawPart(
    <UsageTable
      label="Asks"
      name="Time"
      columns={[]}
      rows={['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'].map((at) => ['Sun 02:00', NONE, at] as const)}
    />,
  );
  expect(page.words()).toBe('TimeSun 02:00Sun 02:00');
  expect(warned.mock.calls).toEqual([]);
});
