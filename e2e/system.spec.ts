import { readFileSync } from 'node:fs';
import { expect, expectAccessible, open, test } from './fixtures.js';

test('System says how the daemon is, and what to mend', async ({ page, project }) => {
  await open(page, project, '/system');
  const doctor = page.getByRole('region', { name: /^Doctor/ });
  await expect(doctor.getByRole('listitem').filter({ hasText: 'ok' }).first()).toBeVisible();
  await expect(doctor.getByText('mend', { exact: true })).toHaveCount(0);
  const daemon = page.getByRole('region', { name: 'Daemon' });
  await expect(daemon).toContainText('9, 1 exposed, 0 broken');
  await expect(daemon).toContainText('writable');
  await expect(page.getByRole('region', { name: 'Project index' })).toContainText('ready');
  await expect(page.getByRole('region', { name: 'Structure of the code' })).toContainText('TypeScript and JavaScript');
  const clients = page.getByRole('region', { name: /^Clients/ });
  await expect(clients.getByRole('listitem').filter({ hasText: /^builtin/ })).toContainText(/^builtinready/);
  await expect(page.getByRole('link', { name: 'API reference' })).toHaveAttribute('href', '/docs');
  await expect(page.getByRole('region', { name: 'About' })).toContainText(process.version);
  const log = page.getByRole('region', { name: 'Log' });
  await expect(log.getByRole('listitem').filter({ hasText: 'listening' }).first()).toBeVisible();
  await log.getByLabel('Level').selectOption('error');
  await expect(page).toHaveURL(/log=error/);
  await expect(log).toContainText('No line of error or above');
  await expectAccessible(page);

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download a support bundle' }).click();
  const bundle = readFileSync(await (await downloading).path(), 'utf8');
  expect(JSON.parse(bundle)).toMatchObject({ health: { store: 'ok' }, registrations: [{ member: 'consultant' }] });
  for (const kept of [await project.token('consultant'), project.root]) expect(bundle).not.toContain(kept);

  project.write('.mesh/team/deployer.md', '---\nname: [\n---\n');
  await expect(page.getByRole('link', { name: 'Needs you (1)' })).toBeVisible();
  await doctor.getByRole('button', { name: 'Check again' }).click();
  await expect(doctor.getByRole('listitem').filter({ hasText: 'deployer' })).toBeVisible();
  await expectAccessible(page);
});

test('what one prefers is kept by the daemon, for every tab and browser', async ({
  page,
  context,
  browser,
  project,
}) => {
  const html = page.locator('html');
  const tab = await context.newPage();
  await open(tab, project);
  await open(page, project, '/system');
  const preferences = page.getByRole('region', { name: 'Preferences' });
  await preferences.getByRole('radio', { name: 'dark' }).check();
  await preferences.getByRole('radio', { name: 'compact' }).check();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await expect(html).toHaveAttribute('data-density', 'compact');
  await expect(tab.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(tab.locator('html')).toHaveAttribute('data-density', 'compact');
  await expectAccessible(page);

  await page.reload();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await expect(preferences.getByRole('radio', { name: 'dark' })).toBeChecked();
  const other = await browser.newContext({ colorScheme: 'light' });
  const elsewhere = await other.newPage();
  await open(elsewhere, project);
  await expect(elsewhere.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(elsewhere.locator('html')).toHaveAttribute('data-density', 'compact');
  await other.close();

  await project.restart();
  await page.reload();
  await expect(preferences.getByRole('radio', { name: 'dark' })).toBeChecked();
  await preferences.getByRole('radio', { name: 'as the system' }).check();
  await expect(html).not.toHaveAttribute('data-theme', /./);
});

test('single-key shortcuts can be switched off', async ({ page, project }) => {
  await open(page, project, '/system');
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
  await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).toHaveAttribute('aria-checked', 'false');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+k');
  await page
    .getByRole('dialog', { name: 'Go to' })
    .getByRole('option', { name: /^Keyboard shortcuts/ })
    .click();
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toContainText('Single-key shortcuts are off');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show the shortcuts' }).click();
  await expect(sheet).toContainText('Single-key shortcuts are off');
});

test('tokens are listed by their last characters only', async ({ page, project }) => {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => bodies.push(response.text().catch(() => '')));
  await open(page, project, '/system');
  const tokens = page.getByRole('region', { name: 'Member tokens' });
  const token = await project.token('consultant');
  await expect(tokens.getByRole('listitem')).toHaveCount(1);
  await expect(tokens.getByRole('listitem')).toContainText(`••••${token.slice(-4)}`);
  expect(await page.content()).not.toContain('mk_');
  expect((await Promise.all(bodies)).join('\n')).not.toContain(token);

  await tokens.getByRole('button', { name: 'Rotate all' }).click();
  const asked = page.getByRole('dialog', { name: 'Rotate all tokens' });
  await expect(asked).toContainText('The old token stops working now: Consultant');
  await asked.getByRole('button', { name: 'Rotate all' }).click();
  await expect(asked).toHaveCount(0);
  const next = await project.token('consultant');
  expect(next).not.toBe(token);
  await expect(tokens.getByRole('listitem')).toContainText(`••••${next.slice(-4)}`);
  await tokens.getByRole('link', { name: 'Consultant' }).click();
  await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toBeVisible();
});
