import { describeDeployer, FILE, members } from './a-roster.js';
import { expect, expectAccessible, expectLive, open, test } from './fixtures.js';

test('a daemon that is gone leaves what was last known, and one that returns brings what changed', async ({
  page,
  project,
}) => {
  await open(page, project, '/team');
  await expect(members(page).getByRole('listitem')).toHaveCount(9);
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await project.kill('SIGKILL');
  await expect(page.getByText(/^Offline — showing \d\d:\d\d$/)).toBeVisible();
  await expect(members(page).getByRole('listitem')).toHaveCount(9);
  await expect(page.locator('main')).toHaveAttribute('data-line', 'offline');
  await expectAccessible(page);

  describeDeployer(project, 'Sails at dawn.');
  await project.restart();
  await expectLive(page);
  await expect(members(page).getByText('Sails at dawn.')).toBeVisible();
  describeDeployer(project, 'Sails at dusk.');
  await expect(members(page).getByText('Sails at dusk.')).toBeVisible();
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
});

test('what cannot be saved while the daemon is gone is said, kept, and saved when it is back', async ({
  page,
  project,
}) => {
  await open(page, project, '/team/deployer?tab=file');
  const before = project.read(FILE);
  await page.getByLabel('Model').fill('opus');
  await project.kill('SIGKILL');
  await expect(page.getByText(/^Offline/)).toBeVisible();
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'The file was not saved.' })).toContainText(
    'The daemon did not answer.',
  );
  await project.restart();
  await expectLive(page);
  await expect(page.getByLabel('Model')).toHaveValue('opus');
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
  expect(project.read(FILE)).toBe(before.replace('model: strongest', 'model: opus'));
});

test('ten tabs are live at once', async ({ page, context, project }) => {
  const tabs = [page, ...(await Promise.all(Array.from({ length: 9 }, () => context.newPage())))];
  await Promise.all(tabs.map((tab) => open(tab, project, '/team')));
  expect((await project.api<{ events_sockets: number }>('GET', '/health')).events_sockets).toBe(10);
  describeDeployer(project, 'Seen in ten places.');
  for (const tab of tabs) await expect(members(tab).getByText('Seen in ten places.')).toBeVisible();
  for (const tab of tabs) await expectLive(tab);
});

test('no address makes the page speak to anyone else', async ({ page, project }) => {
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  for (const query of [
    '?hub=ws://evil.test',
    '?url=ws://evil.test&server=ws://evil.test&ws=ws://evil.test',
    '#ws://evil.test',
  ]) {
    await open(page, project, `/team${query}`);
    await expect(members(page).getByRole('listitem')).toHaveCount(9);
  }
  expect(sockets.length).toBeGreaterThan(0);
  expect(sockets.filter((address) => !address.startsWith(`ws://127.0.0.1:${project.port}/events`))).toEqual([]);
});

test('a part of the page that a restart kept away comes once the daemon is back, and takes nothing with it', async ({
  page,
  project,
}) => {
  let isAway = true;
  await page.route('**/project-switcher-*.js', (route) => (isAway ? route.abort('connectionreset') : route.continue()));
  const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('project-switcher'));
  await open(page, project);
  await refused;
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  isAway = false;
  await expect(page.locator('[data-alone]')).toBeAttached();
});

test('what a part of the page imports itself may be away: it comes, or it says so and the page stands', async ({
  page,
  project,
}) => {
  let isAway = true;
  await page.route('**/projects-queries-*.js', (route) => (isAway ? route.abort('connectionreset') : route.continue()));
  await open(page, project);
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  const again = page.getByRole('button', { name: 'Reload the projects' });
  await expect(again).toBeVisible();
  await expectAccessible(page);
  isAway = false;
  await again.click();
  await expect(page.locator('[data-alone]')).toBeAttached();
});

test('a page that a restart kept away comes once the daemon is back', async ({ page, project }) => {
  let isAway = true;
  await page.route('**/requests-page-*.js', (route) => (isAway ? route.abort('connectionreset') : route.continue()));
  await open(page, project);
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('requests-page'));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Requests' }).click();
  await refused;
  isAway = false;
  await expect(page.getByRole('heading', { level: 1, name: 'Requests' })).toBeVisible();
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
});
