import type { Page } from '@playwright/test';
import type { ScheduleList } from '../daemon/contract/work/schedules.js';
import { expect, expectAccessible, open, test } from './fixtures.js';
import { test as byKeys } from './keyboard/keys.js';
import { findOverflowing, tooSmall } from './readable.js';

const MODEL = {
  client: 'claude-code',
  files: { '.mesh/roadmap.md': '- [ ] build: Build it @developer\n- [x] ports: Done\n' },
} as const;

const schedule = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Schedules' }).getByRole('listitem').filter({ hasText: title });
const runs = (page: Page, title: string) => page.getByRole('list', { name: title }).getByRole('listitem');

test.use({ ...MODEL, clockStep: 11 * 60 });

test('a schedule is added with its next times in view, runs, and tells what went without an answer', async ({
  page,
  agent,
  project,
}) => {
  agent.plays({ text: 'The lamps are well.' });
  await open(page, project, '/schedules');
  await expect(page.getByText('No schedules yet.')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'New schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  const cron = dialog.getByLabel('Times, as a cron expression');
  await dialog.getByLabel('Member').selectOption('developer');
  await dialog.getByLabel('What to do').fill('Look at the lamps');
  await cron.fill('0 25 * * *');
  await expect(dialog.getByText('The hour "25" cannot be read: it takes 0 to 23')).toBeVisible();
  await dialog.getByLabel('Or one of these').selectOption('0 8 * * 1');
  await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
  await expect(dialog.getByRole('status').getByRole('listitem')).toHaveText([
    /^Mon .* 08:00 \+0[12]:00, in \d/,
    /^Mon .* 08:00/,
    /^Mon .* 08:00/,
  ]);
  await expectAccessible(page, { within: 'dialog' });
  await dialog.getByRole('button', { name: 'Add' }).click();
  const lamps = schedule(page, 'Look at the lamps');
  await expect(lamps).toContainText(/developer · 0 8 \* \* 1 · Europe\/Berlin.*Next run in \d+ .*Mon .* 08:00/);

  await lamps.getByRole('button', { name: 'Run now' }).click();
  await lamps.getByText('Last runs').click();
  await expect(runs(page, 'Look at the lamps')).toContainText([/answered.*Conversation.*started by you/]);
  await expectAccessible(page);
  await page.getByRole('link', { name: /^Conversation of/ }).click();
  await expect(page.getByRole('log').getByText('The lamps are well.')).toBeVisible();
  await page.getByRole('link', { name: 'Scheduled: Look at the lamps' }).click();
  await expect(page).toHaveURL(/\/schedules\?show=sched-/);
  await expect(runs(page, 'Look at the lamps')).toHaveCount(1);

  agent.plays(
    { permission: { name: 'Bash', input: { command: 'npm test' }, reason: 'The tests must run.' } },
    { text: 'Without the tests, then.' },
  );
  await lamps.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Times, as a cron expression').fill('*/5 * * * *');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(lamps).toContainText('*/5 * * * *');
  project.passTime();
  await expect(runs(page, 'Look at the lamps').first()).toContainText(/working.*Watch/);
  await lamps.getByRole('button', { name: 'Pause' }).click();
  await expect(lamps).toContainText('paused');
  await expect(page.getByRole('link', { name: 'Needs you (1)' })).toBeVisible();
  project.passTime();
  await expect(lamps).toContainText('A run went on without a permission that nobody answered.');
  await expectAccessible(page);

  await page.setViewportSize({ width: 360, height: 780 });
  expect(await findOverflowing(page)).toEqual([]);
  expect(await tooSmall(page)).toEqual([]);
  await page.getByRole('link', { name: 'Needs you (1)' }).click();
  const need = page.getByRole('region', { name: /^Needs you/ }).getByRole('listitem');
  await expect(need).toContainText('A run went on without a permission that nobody answered.');
  expect(await findOverflowing(page)).toEqual([]);
  await expectAccessible(page);
  await need.getByRole('button', { name: 'Mark as seen' }).click();
  await expect(page.getByText('Nothing needs you.')).toBeVisible();
  await page.goto(`${project.address}/app/talk`);
  await expect(page.getByRole('listitem').filter({ hasText: 'Look at the lamps' }).first()).toContainText('scheduled');
});

byKeys.describe('by keyboard', () => {
  byKeys.use(MODEL);

  byKeys(
    'a schedule is added after a task, run, paused, and deleted with an undo',
    async ({ page, keys, agent, project }) => {
      agent.plays({ text: 'Released.' });
      await keys.open(project);
      await keys.press('g', 'e');
      await keys.expectPage('Schedules');
      await keys.enter(page.getByRole('button', { name: 'New schedule' }));
      const dialog = page.getByRole('dialog', { name: 'New schedule' });
      await keys.write(dialog.getByLabel('What to do'), 'Release it');
      await keys.reach(dialog.getByLabel('When'));
      await keys.press('ArrowDown');
      await keys.reach(dialog.getByLabel('Task'));
      await expect(dialog.getByLabel('Task')).toContainText('build');
      await keys.press('ArrowDown');
      await expect(dialog.getByLabel('Task')).toHaveValue('build');
      await keys.enter(dialog.getByRole('button', { name: 'Add' }));
      const release = schedule(page, 'Release it');
      await expect(release).toContainText('After task build');
      await keys.enter(release.getByRole('button', { name: 'Run now' }));
      await expect(release).toContainText('answered');
      await keys.enter(release.getByText('Last runs'));
      await expect(runs(page, 'Release it')).toContainText([/answered/]);
      await keys.back(release.getByRole('button', { name: 'Pause' }));
      await keys.press('Enter');
      await expect(release).toContainText('paused');
      await keys.enter(release.getByRole('button', { name: 'Delete' }));
      await keys.expectAt(page.getByRole('button', { name: 'Undo the deletion of Release it' }));
      await keys.press('Enter');
      await expect(release.getByRole('button', { name: 'Resume' })).toBeVisible();
      expect((await project.api<ScheduleList>('GET', '/schedules')).count).toBe(1);
    },
  );
});
