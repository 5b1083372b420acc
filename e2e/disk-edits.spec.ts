import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitWinterRoster, FILE, members } from './a-roster.js';
import { expect, expectAccessible, open, test } from './fixtures.js';

test('a removed file leaves the roster, and its default can be brought back', async ({ page, project }) => {
  const before = project.read(FILE);
  await open(page, project, '/team');
  await expect(members(page).getByRole('listitem')).toHaveCount(9);
  rmSync(join(project.root, FILE));
  await expect(members(page).getByRole('listitem')).toHaveCount(8);
  await expect(page.getByText('A default member has no file: deployer.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore deployer' }).click();
  await expect(members(page).getByRole('listitem')).toHaveCount(9);
  await expect(page.getByText(/no file:/)).toHaveCount(0);
  expect(project.read(FILE)).toBe(before);
});

test('a page open on a member says so when its file goes', async ({ page, project }) => {
  await open(page, project, '/team/deployer');
  rmSync(join(project.root, FILE));
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such member' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Show the team' }).click();
  await expect(members(page).getByRole('listitem')).toHaveCount(8);
});

test('another branch brings its roster with it', async ({ page, project }) => {
  commitWinterRoster(project);
  await open(page, project, '/team');
  await expect(members(page).getByText('UI Reviewer', { exact: true })).toBeVisible();
  await expect(members(page).getByRole('listitem')).toHaveCount(9);
  project.git('checkout', '-q', 'winter');
  await expect(members(page).getByText('Ice Watch', { exact: true })).toBeVisible();
  await expect(members(page).getByText('Lays the boats up for the winter.')).toBeVisible();
  await expect(members(page).getByText('UI Reviewer', { exact: true })).toHaveCount(0);
  project.git('checkout', '-q', 'main');
  await expect(members(page).getByText('UI Reviewer', { exact: true })).toBeVisible();
  await expect(members(page).getByText('Ice Watch', { exact: true })).toHaveCount(0);
});

test('a broken file says where and why, its last good version serves on, and mending it is enough', async ({
  page,
  project,
}) => {
  const consultant = '.mesh/team/consultant.md';
  const good = project.read(consultant);
  await open(page, project);
  await expect(page.getByText('Nothing needs you.')).toBeVisible();
  project.write(consultant, good.replace('kind: profile', 'kind: [profile'));
  const needs = page.getByRole('region', { name: /^Needs you/ });
  await expect(needs.getByText(/^line \d+, column \d+: ./)).toBeVisible();
  await expect(page).toHaveTitle(/^\(1\) Home/);
  await expectAccessible(page);
  expect((await project.answer('consultant', 'Which port does it listen on?')).status).toBe('done');

  await page.getByRole('link', { name: 'Needs you (1)' }).click();
  await needs.getByRole('link', { name: 'Consultant: the file cannot be read' }).click();
  const notice = page.getByRole('alert').filter({ hasText: '.mesh/team/consultant.md:' });
  await expect(notice.getByText(/consultant\.md:\d+:\d+/)).toBeVisible();
  await expect(notice.getByRole('list', { name: /^Lines around \d+$/ })).toContainText('kind: [profile');
  await expect(notice).toContainText('The last valid version is still used.');
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'Fix the file' }).click();
  await page.getByRole('button', { name: /^Go to line \d+, column \d+$/ }).click();
  const raw = page.getByRole('textbox', { name: consultant });
  await expect(raw).toBeFocused();
  await expectAccessible(page);
  await raw.fill(good);
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(notice).toHaveCount(0);
  expect(project.read(consultant)).toBe(good);

  project.write(consultant, '---\n: [\n---\n');
  await expect(notice).toBeVisible();
  await notice.getByRole('button', { name: 'Restore the shipped default' }).click();
  await expect(page.getByText('consultant.md is the shipped default again.')).toBeVisible();
  await expect(notice).toHaveCount(0);
  expect(project.read(consultant)).toBe(good);
});

test('a file that was never good is on the roster with its reason, and takes nobody with it', async ({
  page,
  project,
}) => {
  await open(page, project, '/team');
  project.write('.mesh/team/newcomer.md', '---\nname: "Newcomer\n---\nHello.\n');
  const row = members(page).getByRole('listitem').filter({ hasText: 'newcomer' });
  await expect(row.getByText(/^newcomer\.md:\d+:\d+/)).toBeVisible();
  await expect(row.getByText('broken', { exact: true })).toBeVisible();
  await expect(members(page).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'Broken 1' }).click();
  await expect(members(page).getByRole('listitem')).toHaveCount(1);
  await expectAccessible(page);
  await row.getByRole('link').click();
  await expect(page.getByText('There is no earlier valid version, so this member does not answer.')).toBeVisible();
  project.write('.mesh/team/newcomer.md', '---\nname: Newcomer\n---\nHello.\n');
  await expect(page.getByRole('heading', { level: 1, name: 'Newcomer' })).toBeVisible();
  await expect(page.getByText('There is no earlier valid version')).toHaveCount(0);
});

test('a roster of nobody says whether the folder is empty or gone, and the default members are brought back', async ({
  page,
  project,
}) => {
  await open(page, project, '/team');
  const members = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
  await expect(members).toHaveCount(9);
  const folder = join(project.root, '.mesh/team');
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await expect(page.getByText('The folder .mesh/team has no member files.')).toBeVisible();
  rmSync(folder, { recursive: true });
  await page.reload();
  await expect(page.getByText('The folder .mesh/team is missing:')).toBeVisible();
  await expect(page.getByText(/^meshd team restore /)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore the 9 default members' }).click();
  await expect(members).toHaveCount(9);
});
