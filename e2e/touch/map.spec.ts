import { createClusterWithBoards, LISBON, PORTO } from '../a-board.js';
import { expect, test } from './finger.js';

const LIMA = { lat: -12.05, lon: -77.04, label: 'Lima, Peru' };

test('the map is moved and filtered, and leads to a post', async ({ page, finger, project }) => {
  const cluster = await createClusterWithBoards(project, { props: { where: LISBON } });
  await cluster.board({ slug: 'flea' });
  await cluster.post('flea', 'bela', { title: 'Crate', body: '', props: { where: PORTO } });
  await cluster.post('flea', 'bela', { title: 'Skis', body: '', props: { where: LIMA } });
  const map = page.getByRole('region', { name: 'Map of the world' });
  const dots = map.getByRole('list', { name: 'Map of the world: in view' }).getByRole('link');
  const places = page.getByRole('list', { name: 'Places' }).locator('[data-row]');
  await finger.open(project);
  await finger.goTo(/^Map/, 'Map');
  await expect(dots.filter({ hasText: 'Skis' })).toHaveCount(1);
  await finger.tap(map.getByRole('button', { name: 'Zoom out' }), { isOff: true });
  const why = page.getByText('This is the whole world.').first();
  // Text only for screen readers is one pixel high.
  await expect.poll(async () => (await why.boundingBox())?.height).toBeGreaterThan(20);
  // Two fingers that end twice as far apart show twice as much detail.
  const sheet = await map.locator('svg').first().boundingBox();
  if (!sheet) throw new Error('The map is not drawn.');
  const middle = { x: sheet.x + sheet.width / 2, y: sheet.y + sheet.height / 2 };
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd' ? [] : [-1, 1].map((side, id) => ({ ...middle, x: middle.x + (side * apart) / 2, id })),
    });
  await touch('touchStart', 60);
  for (const apart of [80, 100, 120]) await touch('touchMove', apart);
  await touch('touchEnd', 120);
  await expect(page).toHaveURL(/at=2_/);
  expect(await page.evaluate(() => window.visualViewport?.scale)).toBe(1);
  await finger.tap(map.getByRole('button', { name: 'Zoom in' }));
  await expect(page).toHaveURL(/at=4_/);
  const nothing = page.getByText('No places in this area.');
  for (let step = 0; step < 12 && !(await nothing.isVisible()); step += 1)
    await finger.tap(map.getByRole('button', { name: 'South' }));
  await expect(nothing).toBeVisible();
  await finger.tap(page.getByRole('button', { name: /^Show \d+ outside this area$/ }));
  await expect(page).not.toHaveURL(/at=/);

  const words = page.getByRole('searchbox').first();
  await expect(words).toHaveAttribute('enterkeyhint', 'search');
  await finger.write(words, 'zzz');
  await finger.tap(page.getByRole('button', { name: 'Clear the filters' }));
  await finger.write(words, 'skis');
  await expect.poll(() => places.allTextContents()).toEqual(['Skis']);
  await finger.tap(dots.filter({ hasText: 'Skis' }));
  await finger.expectPage('Skis');
});
