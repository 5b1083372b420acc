import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

const FILE = '.mesh/team/deployer.md';
const LIMIT_MS = 300;
const EDITS = 5;

const members = (page: Page) => page.getByRole('list', { name: 'Members' });
const described = (project: Project, words: string) => project.read(FILE).replace(/^description: .*$/m, `description: ${words}`);

/** Makes a page note, by the system's clock, when each new text came to stand on it. */
async function watchFor(page: Page): Promise<(text: string) => Promise<number>> {
  await page.evaluate(() => {
    const seen = new Map<string, number>();
    const look = () => {
      for (const [text] of (document.querySelector('main')?.textContent ?? '').matchAll(/Edit \d+\./g))
        if (!seen.has(text)) seen.set(text, performance.timeOrigin + performance.now());
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { seen });
  });
  return async (text) => {
    const at = await page.waitForFunction((wanted) => (window as unknown as { seen: Map<string, number> }).seen.get(wanted), text);
    return (await at.jsonValue()) as number;
  };
}

/** How long each of several edits took from the disk to the open page, shortest first. */
async function measure(page: Page, project: Project, edit: (text: string) => void): Promise<number[]> {
  const seenAt = await watchFor(page);
  const lengths: number[] = [];
  for (let number = 1; number <= EDITS; number += 1) {
    const text = `Edit ${number}.`;
    const content = described(project, text);
    edit(content);
    const written = performance.timeOrigin + performance.now();
    lengths.push((await seenAt(text)) - written);
  }
  return lengths.sort((a, b) => a - b);
}

const median = (sorted: number[]) => sorted[Math.floor(sorted.length / 2)];

test.describe('within 300 ms the open roster shows', () => {
  test('what was written into a file by hand', async ({ page, project }, info) => {
    await open(page, project, '/team');
    await expect(members(page).getByRole('listitem')).toHaveCount(9);
    const lengths = await measure(page, project, (text) => project.write(FILE, text));
    info.annotations.push({ type: 'ms', description: lengths.map(Math.round).join(' ') });
    expect(median(lengths)).toBeLessThan(LIMIT_MS);
  });

  test('what an editor put in the file’s place', async ({ page, project }, info) => {
    await open(page, project, '/team');
    await expect(members(page).getByRole('listitem')).toHaveCount(9);
    const lengths = await measure(page, project, (text) => {
      project.write(`${FILE}.swp`, text);
      renameSync(join(project.root, `${FILE}.swp`), join(project.root, FILE));
    });
    info.annotations.push({ type: 'ms', description: lengths.map(Math.round).join(' ') });
    expect(median(lengths)).toBeLessThan(LIMIT_MS);
  });
});

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
  project.git('add', '-A', '.mesh');
  project.git('commit', '-q', '-m', 'Keep the roster');
  project.git('checkout', '-q', '-b', 'winter');
  project.write(FILE, described(project, 'Lays the boats up for the winter.'));
  project.write('.mesh/team/ice-watch.md', '---\nname: Ice Watch\n---\nWatches the ice.\n');
  project.git('rm', '-q', '-f', '.mesh/team/ui-reviewer.md');
  project.git('add', '-A', '.mesh');
  project.git('commit', '-q', '-m', 'Winter');
  project.git('checkout', '-q', 'main');

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

test('a broken file says where and why, its last good version serves on, and mending it is enough', async ({ page, project }) => {
  const consultant = '.mesh/team/consultant.md';
  const good = project.read(consultant);
  await open(page, project);
  await expect(page.getByText('Nothing waits for you.')).toBeVisible();
  project.write(consultant, good.replace('kind: profile', 'kind: [profile'));
  const needs = page.getByRole('region', { name: /^Needs you/ });
  await expect(needs.getByText(/^line \d+, column \d+: ./)).toBeVisible();
  await expect(page).toHaveTitle(/^\(1\) Desk/);
  await expectAccessible(page);
  expect((await project.answer('consultant', 'Which port does it listen on?')).status).toBe('done');

  await page.getByRole('link', { name: 'Needs you (1)' }).click();
  await needs.getByRole('link', { name: 'Consultant: the file cannot be read' }).click();
  const notice = page.getByRole('alert').filter({ hasText: '.mesh/team/consultant.md:' });
  await expect(notice.getByText(/consultant\.md:\d+:\d+/)).toBeVisible();
  await expect(notice.getByRole('list', { name: /^Lines around \d+$/ })).toContainText('kind: [profile');
  await expect(notice).toContainText('The last good version is still answering.');
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'Mend the file' }).click();
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

test('a file that was never good is on the roster with its reason, and takes nobody with it', async ({ page, project }) => {
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
  await expect(page.getByText('No good version was ever read, so this member does not answer.')).toBeVisible();
  project.write('.mesh/team/newcomer.md', '---\nname: Newcomer\n---\nHello.\n');
  await expect(page.getByRole('heading', { level: 1, name: 'Newcomer' })).toBeVisible();
  await expect(page.getByText('No good version was ever read')).toHaveCount(0);
});
