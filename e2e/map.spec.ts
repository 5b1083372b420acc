import type { Page } from '@playwright/test';
import { createClusterWithBoards, LISBON, MADRID, PORTO } from './a-board.js';
import { expect, expectAccessible, open, type Project, tabTo, test } from './fixtures.js';

const OSLO = { lat: 59.91, lon: 10.75, label: 'Oslo, Norway' };
const map = (page: Page) => page.getByRole('region', { name: 'Map of the world' });
const dots = (page: Page) => map(page).getByRole('list', { name: 'Map of the world: in view' }).getByRole('link');
const list = (page: Page) => page.getByRole('list', { name: 'Places' });
const names = (page: Page) => list(page).locator('[data-row]').allTextContents();
const move = (page: Page, name: string) => map(page).getByRole('button', { name, exact: true });

async function places(project: Project) {
  const cluster = await createClusterWithBoards(project, { props: { where: LISBON } });
  await cluster.board({ slug: 'flea' });
  await Promise.all([
    ...Array.from({ length: 12 }, (_, at) =>
      cluster.post('flea', 'bela', { title: `Crate ${at + 1}`, body: '', props: { where: PORTO } }),
    ),
    cluster.post('flea', 'bela', { title: 'Skis', body: '', props: { where: OSLO } }),
    cluster.post('flea', 'bela', { title: 'By mail', body: '', props: { where: { label: 'online' } } }),
  ]);
  const hidden = await createClusterWithBoards(project, {
    name: 'Secret',
    visibility: 'private',
    keep: false,
    props: { where: MADRID },
  });
  await hidden.board({ slug: 'plans' });
  await hidden.post('plans', 'eva', { title: 'Nobody’s business', body: '' });
  return cluster;
}

test('what is public stands on the map and in the list beside it, by name and never by coordinates', async ({
  page,
  project,
}) => {
  await open(page, project, '/map');
  await expect(page.getByText('No places yet.')).toBeVisible();
  await expectAccessible(page);

  const cluster = await places(project);
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(['By mail', 'Crate 1', 'Crate 2']);
  await expect(list(page)).not.toContainText('Nobody');
  await expect(list(page).getByRole('listitem').filter({ hasText: 'Iberian exchange' }).last()).toContainText(
    'Oslo, Norway',
  );
  await expect(dots(page).filter({ hasText: 'Skis' })).toHaveCount(1);
  await expect(page.locator('body')).not.toContainText(/41\.1|59\.9|38\.7/);
  expect(await page.locator('[role=application]').count()).toBe(0);
  await expectAccessible(page);

  await dots(page).filter({ hasText: 'Skis' }).click();
  await expect(page).toHaveURL(new RegExp(`/rooms/${cluster.id}/p/p_[0-9a-f]{16}`));
  await expect(page.getByRole('heading', { level: 1, name: 'Skis' })).toBeVisible();
});

test('the map is moved by keyboard, and the address keeps what is looked at', async ({ page, project }) => {
  await places(project);
  await open(page, project, '/map');
  await expect(dots(page).filter({ hasText: /near Porto, Portugal/ })).toHaveCount(1);
  await tabTo(page, move(page, 'Zoom in'));
  await expect(move(page, 'Zoom out')).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await page.keyboard.press('+');
  await expect(page).toHaveURL(/at=4_/);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowUp');
  await expect(dots(page).filter({ hasText: 'Skis' })).toHaveCount(1);
  await expect.poll(() => names(page)).toContain('Skis');
  await page.reload();
  await expect(dots(page).filter({ hasText: 'Skis' })).toHaveCount(1);

  await tabTo(page, move(page, 'South'));
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('Enter');
  await expect(page.getByText('No places in this area.')).toBeVisible();
  await page.getByRole('button', { name: /^Show \d+ outside this area$/ }).click();
  await expect(page).not.toHaveURL(/at=/);
  await expect.poll(async () => (await names(page)).length).toBe(15);
});

test('the map comes as close as a city’s surroundings, and no closer', async ({ page, project }) => {
  await places(project);
  await open(page, project, '/map');
  for (let step = 0; step < 6; step += 1) await move(page, 'Zoom in').click();
  await expect(page).toHaveURL(/at=64_/);
  await expect(move(page, 'Zoom in')).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await move(page, 'Whole world').click();
  await expect(page).not.toHaveURL(/at=/);
});

test('dots that would lie on one another are one, which leads closer', async ({ page, project }) => {
  await places(project);
  await open(page, project, '/map');
  const many = dots(page).filter({ hasText: /^\d+.*near Porto, Portugal$/ });
  await expect(many).toHaveCount(1);
  await many.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/at=/);
  await expect(dots(page).filter({ hasText: '12 posts near Porto, Portugal' })).toHaveCount(1);
  await dots(page).filter({ hasText: '12 posts near Porto, Portugal' }).click();
  await expect(page).toHaveURL(/at=64_/);
  await expect.poll(async () => (await names(page)).length).toBe(12);
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/at=/);
});

test('a mouse moves the map faster, and a wheel alone only scrolls the page', async ({ page, project }) => {
  await places(project);
  await open(page, project, '/map?at=4_460_90');
  const skis = dots(page).filter({ hasText: 'Skis' });
  await expect(skis).toHaveCount(1);
  const before = await skis.boundingBox();
  const box = await map(page).locator('svg').first().boundingBox();
  if (!box || !before) throw new Error('The map is not drawn.');
  const [x, y] = [box.x + 40, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 20, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.round(((await skis.boundingBox())?.x ?? 0) - before.x)).toBe(60);
  await expect(page).not.toHaveURL(/at=4_460_90/);
  await page.mouse.wheel(0, -100);
  await expect(page).toHaveURL(/at=4_/);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect(page).toHaveURL(/at=5_/);

  // A double click comes closer, and what is under the pointer stays there; with Shift it goes back.
  await page.mouse.move(x, y);
  await page.mouse.dblclick(x, y);
  await expect(page).toHaveURL(/at=10_/);
  await page.keyboard.down('Shift');
  await page.mouse.dblclick(x, y);
  await page.keyboard.up('Shift');
  await expect(page).toHaveURL(/at=5_/);
});

test('words and kind narrow map and list alike, and stand in the address', async ({ page, project }) => {
  await places(project);
  await open(page, project, '/map?q=skis');
  await expect.poll(() => names(page)).toEqual(['Skis']);
  await expect(dots(page)).toHaveCount(1);
  await page.getByRole('searchbox', { name: 'Title, cluster or place' }).fill('');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('cluster');
  await expect(page).toHaveURL(/kind=cluster/);
  await expect.poll(() => names(page)).toEqual(['Iberian exchange']);
  await page.getByRole('searchbox', { name: 'Title, cluster or place' }).fill('zzz');
  await expect(page.getByText('No place matches these filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect.poll(async () => (await names(page)).length).toBe(15);
});

test('the map is a few keys away, and its data comes from the daemon alone', async ({ page, project }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await open(page, project);
  expect(asked.some((path) => /gazetteer|world.*json/.test(path))).toBe(false);
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(page.getByRole('heading', { level: 1, name: 'Map' })).toBeVisible();
  await expect(map(page).locator('svg path').nth(1)).toHaveAttribute('d', /^M/);
  expect(asked.filter((path) => /world-.*json$/.test(path))).toHaveLength(1);
  expect(asked.some((path) => /gazetteer|near.*json/.test(path))).toBe(false);
  await move(page, 'Zoom in').click();
  await move(page, 'Zoom in').click();
  await expect.poll(() => asked.some((path) => /near.*json$/.test(path))).toBe(true);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 780 } });

  test('the map holds to the rules', async ({ page, project }) => {
    await places(project);
    await open(page, project, '/map');
    await expect(dots(page).first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await expectAccessible(page);
  });
});
