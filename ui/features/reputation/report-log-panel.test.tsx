// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Reputation } from '../../../daemon/contract/network/reputation.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { ReportLogPanel } from './report-log-panel.js';

removeAfterEach();

it('shows older reports, a hundred more each time', async () => {
  const reports = Array.from({ length: 250 }, (_, at) => ({
    ...{ seq: at + 1, reporter: 'ada', proof: 'bound', dims: {}, filed_at: at, agent: 'pier' },
  }));
  const rules = {
    ...{ weights: { proven: 1, bound: 1, unbound: 1 }, reporter_weight_max: 1, unbound_weight_max: 1 },
    ...{ half_life_days: 90, dimension_weights: {}, text: '' },
  };
  stubDaemon(() => ({ body: { reports, rules, next_cursor: null } }));
  const page = await drawPart(<ReportLogPanel agentId="pier" standing={{ as_of: 300, reports: 250 } as Reputation} />);
  expect(page.words()).toContain('10 of 250 shown');
  await page.press('Show older');
  expect(page.words()).toContain('110 of 250 shown');
  await page.press('Show older');
  expect(page.words()).toContain('210 of 250 shown');
});
