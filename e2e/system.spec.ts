import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';
import { findOverflowing } from './readable.js';

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'System' }).getByRole('link', { name, exact: true });

test('System says how the daemon is, and what to mend', async ({ page, project }) => {
  await open(page, project, '/system');
  await expect(page).toHaveURL(/\/system\/settings$/);
  const clients = page.getByRole('region', { name: /^Clients/ });
  await expect(clients.getByRole('listitem').filter({ hasText: /^builtin/ })).toContainText(/^builtinready/);
  await part(page, 'Health').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible();
  await expect(page).toHaveTitle(/^Health – /);
  const doctor = page.getByRole('region', { name: /^Doctor/ });
  await expect(doctor.getByRole('listitem').filter({ hasText: 'ok' }).first()).toBeVisible();
  await expect(doctor.getByText('failed', { exact: true })).toHaveCount(0);
  const daemon = page.getByRole('region', { name: 'Daemon' });
  await expect(daemon).toContainText('9, 1 exposed, 0 broken');
  await expect(daemon).toContainText('writable');
  await expect(page.getByRole('region', { name: 'Project index' })).toContainText('ready');
  await expect(page.getByRole('region', { name: 'Structure of the code' })).toContainText('TypeScript and JavaScript');

  project.write('.mesh/team/deployer.md', '---\nname: [\n---\n');
  await expect(page.getByRole('link', { name: 'Needs you (1)' })).toBeVisible();
  await doctor.getByRole('button', { name: 'Check again' }).click();
  await expect(doctor.getByRole('listitem').filter({ hasText: 'deployer' })).toBeVisible();

  await part(page, 'About').click();
  await expect(page.getByRole('link', { name: 'API reference' })).toHaveAttribute('href', '/docs');
  await expect(page.getByRole('region', { name: 'Versions' })).toContainText(process.version);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download a support bundle' }).click();
  const bundle = readFileSync(await (await downloading).path(), 'utf8');
  expect(JSON.parse(bundle)).toMatchObject({ health: { store: 'ok' }, registrations: [{ member: 'consultant' }] });
  for (const kept of [await project.token('consultant'), project.root]) expect(bundle).not.toContain(kept);
});

test('the log is filtered by level, area, text and time, and the address keeps the filters', async ({
  page,
  project,
}) => {
  // The address of earlier versions.
  await open(page, project, '/system?log=error');
  await expect(page).toHaveURL(/\/system\/log\?log=error$/);
  const log = page.getByRole('region', { name: /^Lines/ });
  await expect(log).toContainText('No line at the end of the log matches these filters.');
  await expect(log.getByLabel('Level')).toHaveValue('error');
  await expectAccessible(page);
  await log.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(page).toHaveURL(/\/system\/log$/);
  const listening = log.getByRole('listitem').filter({ hasText: 'listening' }).first();
  await expect(listening).toContainText('daemon');
  await log.getByLabel('Text of the line').fill('LISTEN');
  await log.getByLabel('Since').selectOption('day');
  await log.getByLabel('Area').selectOption('daemon');
  await expect(page).toHaveURL(/q=LISTEN/);
  await page.reload();
  await expect(listening).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  // By keyboard.
  await tabTo(page, log.getByLabel('Area'));
  await page.keyboard.type('payments');
  await expect(listening).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(listening).toBeVisible();
  expect(await findOverflowing(page)).toEqual([]);
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
  await open(page, project, '/system/security');
  const tokens = page.getByRole('region', { name: 'Member tokens' });
  const token = await project.token('consultant');
  await expect(tokens.getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('region', { name: /^Approvals to expose/ })).toContainText('No member waits');
  await expect(page.getByRole('region', { name: /^State from another machine/ })).toContainText(
    'Nothing was set aside',
  );
  await expect(page.getByRole('region', { name: /^Other users/ })).toContainText('No program of another user');
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

test('telemetry is turned on, tested and turned off, by keyboard and on a phone', async ({ page, project }) => {
  const received: { path: string; key: string | undefined }[] = [];
  const collector = createServer((request, response) => {
    received.push({ path: request.url ?? '', key: request.headers['x-key']?.toString() });
    request.resume().on('end', () => response.writeHead(received.length > 1 ? 503 : 200).end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  await open(page, project, '/system');
  const panel = page.getByRole('region', { name: /^Telemetry/ });
  await expect(panel).toContainText('Nothing is sent.');
  await panel.getByLabel('Address of the collector').fill('http://collector.example');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('alert')).toContainText('"http://collector.example"');
  await panel.getByLabel('Address of the collector').fill(address);
  await page.keyboard.press('Tab');
  await page.keyboard.type('X-Key: lamp-4711');
  await page.keyboard.press('Enter');
  await expect(panel).toContainText('0 sent, 0 waiting, 0 dropped');
  await expect(panel).toContainText('X-Key');
  await expect(panel).not.toContainText('lamp-4711');
  await panel.getByRole('button', { name: 'Send a test span' }).click();
  await expect(panel.getByRole('status')).toContainText('The collector took it.');
  expect(received).toEqual([{ path: '/v1/traces', key: 'lamp-4711' }]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await panel.getByRole('button', { name: 'Send a test span' }).click();
  await expect(panel.getByRole('status')).toContainText('The collector answered 503.');
  expect(await findOverflowing(page)).toEqual([]);
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Turn off' }).click();
  await expect(panel).toContainText('Nothing is sent.');
  collector.closeAllConnections();
  collector.close();
});
