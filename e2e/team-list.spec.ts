import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, open, test } from './fixtures.js';

const COUNT = 200;
const number = (at: number) => String(at).padStart(3, '0');
const file = (id: string) => `.mesh/team/${id}.md`;
const MEMBERS = Object.fromEntries(
  Array.from({ length: COUNT - 1 }, (_, at): [string, string] => [
    file(`pilot-${number(at)}`),
    `---\nname: Pilot ${number(at)}\ndescription: Brings ship ${at} in.\nmodel: ${at === 7 ? 'opus' : 'strongest'}\n---\nYou are a pilot.\n`,
  ]),
);

test.use({
  client: 'claude-code',
  files: { ...MEMBERS, [file('consultant')]: '---\nname: Consultant\ntools: [read]\n---\nYou answer.\n' },
});

test('the team is one list that sorts, filters and selects, by mouse and by keyboard, with 200 members', async ({
  page,
  project,
}) => {
  const list = page.getByRole('list', { name: 'Members' });
  const row = (name: string) => list.getByRole('link', { name, exact: true });
  const selected = page.getByRole('status').filter({ hasText: /selected$/ });
  const isThere = (id: string) => existsSync(join(project.root, file(id)));
  await open(page, project, '/team');
  await expect(list.getByRole('link').first()).toHaveText('Consultant');
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', String(COUNT));
  expect(await list.getByRole('listitem').count()).toBeLessThan(COUNT * 0.75);
  await expectAccessible(page);

  // By mouse: in reverse, to the end of the list, and a range.
  const names = page.getByRole('button', { name: /^Member/ });
  await names.click();
  await names.click();
  await expect(page).toHaveURL(/sort=-name/);
  await expect(list.getByRole('link').first()).toHaveText('Pilot 198');
  await page.getByLabel('Select Pilot 198').check();
  await page.getByLabel('Select Pilot 195').click({ modifiers: ['Shift'] });
  await expect(selected).toHaveText('4 selected');
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(row('Consultant')).toBeInViewport();
  // The actions stay in view, and what was selected stays selected.
  await expect(selected).toBeInViewport();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByLabel('Effort').selectOption('high');
  await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
  await expect(page.getByText('4 members changed.')).toBeVisible();
  for (const at of [195, 196, 197, 198]) expect(project.read(file(`pilot-${at}`))).toContain('effort: high');
  expect(project.read(file('pilot-194'))).not.toContain('effort');

  // By keyboard: from the filter to the rows, one by one and in a range; what is filtered out is not selected.
  await page.keyboard.press('/');
  await page.keyboard.type('ship 8');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('19');
  await expect(page.getByLabel('Filter members')).toHaveValue('ship 198');
  await page.keyboard.press('End');
  await expect(selected).toHaveText('1 selected');
  await page.keyboard.press('Backspace');
  await expect(list.getByRole('listitem')).toHaveCount(11);
  await expect(selected).toHaveText('4 selected');
  // Eleven rows, four of them selected: on all 200 the rules take seconds.
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(row('Pilot 198')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(selected).toHaveCount(0);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  for (let at = 0; at < 2; at += 1) await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(selected).toHaveText('3 selected');
  await expect(page.getByLabel('Select Pilot 196')).toBeChecked();
  await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await page.keyboard.type('delete 3');
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 members deleted.')).toBeVisible();
  await expect(list.getByRole('listitem')).toHaveCount(8);
  expect(['pilot-195', 'pilot-196', 'pilot-197', 'pilot-198'].map(isThere)).toEqual([false, false, false, true]);

  // Each has a way back on the page, after any toast, with the file that it had.
  await page.reload();
  await page.getByText('Removed in the last 30 days (3)').press('Enter');
  await expectAccessible(page, { within: 'details[open]' });
  await page.getByRole('button', { name: 'Restore pilot-196' }).press('Enter');
  await expect(page.getByText('Removed in the last 30 days (2)')).toBeVisible();
  expect(project.read(file('pilot-196'))).toContain('effort: high');
  await expect(row('Pilot 196')).toBeVisible();

  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByLabel('Filter members').fill('');
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByLabel('Select all 198 shown').check();
  await expect(selected).toHaveText('198 selected');
  await expectAccessible(page, { within: '.roster .head, .actions, [data-at="0"]' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
