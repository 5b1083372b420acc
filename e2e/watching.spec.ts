import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, type Project, tabTo, test } from './fixtures.js';
import { findOverflowing } from './readable.js';

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Requests' }).getByRole('link', { name, exact: true });
const refuse = (project: Project, headers: Record<string, string>) =>
  fetch(`${project.address}/team/consultant/ask`, { method: 'POST', headers });

test('refused calls are listed by reason and caller, without what they sent', async ({ page, project }) => {
  await open(page, project, '/requests');
  await page.getByLabel('State').selectOption('refused');
  await expect(page).toHaveURL(/tab=refused/);
  await expect(page.getByText('No call was refused.')).toBeVisible();
  await expectAccessible(page);

  const token = await project.token('consultant');
  await refuse(project, { 'user-agent': 'harbour-clock/2.1' });
  const guess = { 'user-agent': 'guesser/1', authorization: `Bearer ${token.slice(0, -4)}nope` };
  for (let at = 0; at < 3; at += 1) await refuse(project, guess);
  await page.reload();
  const calls = page.getByRole('list', { name: 'Refused calls' }).getByRole('listitem');
  await expect(calls).toHaveCount(2);
  await expect(calls.first()).toContainText('3 calls:Wrong credential (401) to consultant');
  await expect(calls.first()).toContainText('guesser/1 · 127.0.0.1 · POST /team/:id/ask');
  expect(await page.content()).not.toContain('mk_');
  await expectAccessible(page);
  await page.getByLabel('Reason').selectOption('no_credential');
  await expect(calls).toHaveCount(1);
  await expect(calls).toContainText('harbour-clock/2.1');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await findOverflowing(page)).toEqual([]);

  // By keyboard.
  await tabTo(page, page.getByLabel('Caller'));
  await page.keyboard.type('nobody');
  await tabTo(page, page.getByRole('button', { name: 'Clear the filters' }));
  await page.keyboard.press('Enter');
  await expect(calls).toHaveCount(2);
  await page.getByLabel('Reason').focus();
  await page.keyboard.type('No cred');
  await expect(calls).toHaveCount(1);
});

test('usage is shown over time by chart and table, and read by keyboard', async ({ page, project }) => {
  await open(page, project, '/requests?tab=usage');
  await expect(page.getByText('Nothing was asked in this time.')).toBeVisible();
  await expectAccessible(page);
  await project.answer('consultant', 'What is the default of LAMP_ANGLE?');
  await refuse(project, { 'user-agent': 'guesser/1' });
  await page.reload();
  const totals = page.getByRole('region', { name: 'In all' });
  await expect(totals).toContainText(/Asks\s*1/);
  await expect(totals).toContainText(/Refused calls\s*1/);
  const chart = page.getByRole('slider', { name: 'Asks by answer' });
  await expect(chart.locator('canvas')).toBeVisible();
  await expect(chart).toHaveAttribute('aria-valuetext', /(Found|Likely) 1/);
  await expectAccessible(page);

  await tabTo(page, chart);
  await page.keyboard.press('ArrowLeft');
  await expect(chart).toHaveAttribute('aria-valuenow', '29');
  await expect(chart).toHaveAttribute('aria-valuetext', /(Found|Likely) 0/);
  await page.keyboard.press('End');
  await expect(chart).toHaveAttribute('aria-valuetext', /(Found|Likely) 1/);
  const asks = page.getByRole('region', { name: 'Asks by answer' });
  // The columns are matched to the legend by colour with forced colours too.
  const colours = () =>
    asks.locator('[data-swatch]').evaluateAll((swatches) => swatches.map((swatch) => getComputedStyle(swatch).color));
  const free = await colours();
  await page.emulateMedia({ forcedColors: 'active' });
  const forced = await colours();
  expect(forced).toEqual(free);
  await page.emulateMedia({ forcedColors: null });
  await asks.getByText('Show as a table').press('Enter');
  await expect(asks.getByRole('row')).toHaveCount(32);
  await expect(asks.getByRole('row').nth(1)).toContainText('1');
  const callers = page.getByRole('region', { name: /^By caller/ });
  await expect(callers.getByRole('row', { name: /^harbour-clock\/2\.1/ })).toContainText('1');
  await expect(callers.getByRole('row', { name: /^guesser\/1/ })).toBeVisible();
  await expectAccessible(page);

  await page.getByLabel('Time', { exact: true }).selectOption('day');
  await expect(chart).toHaveAttribute('aria-valuemax', /^2[45]$/);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(chart.locator('canvas')).toBeInViewport();
  expect(await findOverflowing(page)).toEqual([]);
  await tab(page, 'All').click();
  await expect(page.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(1);
});

test('a member that the repository exposes is approved in Security', async ({ page, project }) => {
  project.write('.mesh/team/beacon.md', '---\nname: Beacon\nexposure: external\n---\nYou know the lamps.\n');
  await open(page, project, '/system/security');
  const approvals = page.getByRole('region', { name: /^Approvals to expose/ });
  await expect(approvals.getByRole('listitem')).toContainText('Beacon');
  await expect(approvals.getByRole('listitem')).toContainText('needs approval');
  await expectAccessible(page);
  await approvals.getByRole('button', { name: 'Keep Beacon internal' }).click();
  await expect(approvals.getByRole('listitem')).toContainText('kept internal');
  await approvals.getByRole('button', { name: 'Expose Beacon' }).press('Enter');
  await expect(page.getByRole('region', { name: /^Member tokens/ })).toContainText('Beacon');
  await expect(approvals).toContainText('No member waits');
});
