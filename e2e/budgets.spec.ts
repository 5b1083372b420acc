import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectLive, expectTakesKeys, open, test } from './fixtures.js';
import { byKeyboard } from './keyboard/keys.js';

test.use({ client: 'acp' });

const question = (page: Page, name: RegExp) => page.getByRole('group', { name });
const tray = (page: Page) => page.getByRole('link', { name: /^Needs you \(\d+\)$/ });
const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });

async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message to Developer' });
  await box.fill(text);
  await box.press('Enter');
}

test('a budget warns, ends a turn, and goes on when it is raised', async ({ page, agent, project }) => {
  await open(page, project, '/requests?tab=usage');
  const day = page.getByRole('region', { name: 'Budget of a day' });
  await day.getByRole('button', { name: 'Set budget' }).click();
  const dialog = page.getByRole('dialog', { name: 'Budget of all turns today' });
  await dialog.getByLabel('Tokens').fill('1.5');
  await expect(dialog.getByText('A whole number above 0, or nothing for no limit.')).toBeVisible();
  await dialog.getByLabel('Tokens').fill('');
  await dialog.getByLabel('Cost in US dollars').fill('1');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Set budget' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(day).toContainText('none yet of $1.00');

  agent.plays({ cost: 0.85 }, { text: 'It is half done.' });
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await say(page, 'Begin');
  const warning = question(page, /^85 % of the budget of all turns today are spent\.$/);
  await expect(warning).toContainText('Cost: $0.85 of $1.00.');
  await expect(tray(page)).toHaveText('Needs you (1)');
  await expectAccessible(page);
  await warning.getByRole('button', { name: /Leave it/ }).click();
  await expect(warning).toHaveCount(0);
  await expect(tray(page)).toHaveCount(0);

  agent.plays({ text: 'More of it. ' }, { cost: 1.2 }, agent.gate('end'), { text: 'Too much.' });
  await say(page, 'Go on');
  await expect(log(page).getByText('More of it.')).toBeVisible();
  await expect(log(page)).toContainText('The budget of all turns of a day is used up: $1.20 of $1.00.');
  const reached = question(page, /^The budget of all turns today is used up\.$/);
  await expect(reached).toBeVisible();
  agent.plays({ text: 'All is done.' });
  await say(page, 'And the rest');
  await expect(reached).toContainText('1 message waits for it.');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 720 });

  await byKeyboard(page, async (keys) => {
    await keys.back(tray(page), 80);
    await keys.press('Enter');
    await expect(page).toHaveURL(/\/app\/?#needs-you$/);
    const raise = reached.getByRole('button', { name: /Raise by 50 %/ });
    await keys.reach(raise, { within: 40 });
    await expectTakesKeys(reached);
    await keys.press('2');
    await expect(reached).toHaveCount(0);
    await page.goBack();
    await expectLive(page);
    await expect(log(page).getByText('All is done.')).toBeVisible();
    const panel = page.getByRole('region', { name: 'Budget', exact: true });
    await expect(panel).toContainText('No limit is set.');
    await keys.enter(panel.getByRole('button', { name: 'Set budget' }), 60);
    const limits = page.getByRole('dialog');
    await keys.write(limits.getByLabel('Turns', { exact: true }), '3');
    await keys.press('Enter');
    await expect(panel).toContainText('3 of 3');
    await expect(panel).toContainText('Used up');
    await expect(panel.getByRole('button', { name: 'Change budget' })).toBeFocused();

    // The day's budget, and the warning that its new limit brings, left as it is.
    await keys.press('g', 'r');
    await keys.expectPage('Requests');
    await keys.enter(page.getByRole('link', { name: 'Usage' }), 40);
    await keys.enter(day.getByRole('button', { name: 'Change budget' }), 60);
    await keys.write(dialog.getByLabel('Cost in US dollars'), '1.3');
    await keys.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(day).toContainText('$1.20 of $1.30');
    await keys.back(tray(page), 80);
    await keys.press('Enter');
    const nearly = question(page, /^92 % of the budget of all turns today are spent\.$/);
    await expectTakesKeys(nearly);
    await keys.enter(nearly.getByRole('button', { name: /Leave it/ }), 60);
    await expect(nearly).toHaveCount(0);
  });
});
