import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ProjectList } from '../daemon/contract/projects.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

/** Starts the daemon of another project of the same user. `stop` stops it. */
async function another(
  project: Project,
): Promise<{ name: string; root: string; address: string; stop(): Promise<void> }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-e2e-other-')));
  writeFileSync(join(root, 'README.md'), '# Buoy\n\nBuoy marks the fairway.\n');
  const address = (await project.meshd('up', '--root', root, '--port', '0')).trim().split('\n').at(-1) ?? '';
  let isUp = true;
  const stop = async () => {
    if (isUp) await project.meshd('down', '--root', root);
    isUp = false;
  };
  return { name: basename(root), root, address, stop };
}

test('projects of one user are linked to each other, by pointer, keyboard and word', async ({ page, project }) => {
  test.slow();
  const own = basename(project.root);
  await page.setViewportSize({ width: 700, height: 800 });
  await open(page, project);
  const bar = page.getByRole('region', { name: 'Status' });
  await expect(bar.getByText(own, { exact: true })).toBeVisible();
  await expect(bar.getByRole('button', { name: /projects$/ })).toHaveCount(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  const other = await another(project);
  try {
    const listed = JSON.parse(await project.meshd('ls', '--json')) as ProjectList;
    expect(listed.projects.map(({ root, current }) => [root, current]).sort()).toEqual(
      [
        [project.root, true],
        [other.root, false],
      ].sort(),
    );
    await open(page, project);
    const toggle = bar.getByRole('button', { name: `${own}, one of 2 projects` });
    await toggle.click();
    const menu = page.getByRole('navigation', { name: 'Projects' });
    await expect(menu.getByRole('link', { name: own })).toHaveAttribute('aria-current', 'true');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
    await expect(toggle).toBeFocused();
    await page.keyboard.press('ArrowDown');
    const there = menu.getByRole('link', { name: other.name });
    await page.keyboard.press('Home');
    const isFirst = (await menu.getByRole('link').first().innerText()).startsWith(other.name);
    if (!isFirst) await page.keyboard.press('ArrowDown');
    await expect(there).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${other.address}/app`);
    await expect(bar.getByRole('button', { name: `${other.name}, one of 2 projects` })).toBeVisible();

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(`go to project ${own}`);
    await page.getByRole('option', { name: /^Go to project/ }).click();
    await expect(page).toHaveURL(`${project.address}/app`);

    await expect(toggle).toBeVisible();
    await other.stop();
    await toggle.click();
    await expect(menu.getByRole('link', { name: other.name })).toHaveAttribute('aria-disabled', 'true');
    await expect(menu.getByText(/^stopped, seen \d\d:\d\d$/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
  } finally {
    await other.stop();
    rmSync(other.root, { recursive: true, force: true });
  }
});
