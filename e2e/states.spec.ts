import { arrived, EMPTY, FILES, fill, go, headingAt, NOTHING, PAGES } from './every-page.js';
import { expect, expectAccessible, open, test } from './fixtures.js';

test.use({ files: FILES });

test('pages of a daemon to which nothing has happened hold to the rules in both themes', async ({ page, project }) => {
  test.slow();
  await open(page, project, '/system');
  for (const row of Object.values(EMPTY)) {
    for (const place of row.places(NOTHING)) {
      await test.step(place, async () => {
        await go(page, place);
        await arrived(page, headingAt(row, place));
        await expectAccessible(page, { within: 'main' });
      });
    }
  }
});

test('pages that were seen stay without their daemon, say so and hold to the rules in both themes', async ({
  page,
  project,
}) => {
  test.slow();
  const held = await fill(project);
  await open(page, project, '/system');
  const seen = Object.values(PAGES).map((row) => {
    const [place = ''] = row.places(held);
    return { name: headingAt(row, place), place };
  });
  for (const { name, place } of seen) {
    await go(page, place);
    await arrived(page, name);
  }
  await project.kill('SIGKILL');
  await expect(page.getByText(/^Offline — showing \d\d:\d\d$/)).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'does not answer' })).toBeVisible();
  for (const { name, place } of seen) {
    await test.step(place, async () => {
      await go(page, place);
      await arrived(page, name);
      // What the notice takes is not taken from the message box.
      for (const box of await page.getByRole('textbox', { name: /^Message to/ }).all())
        await expect(box).toBeInViewport({ ratio: 1 });
      await expect(page.getByText(/^Offline — showing \d\d:\d\d$/)).toBeVisible();
      // The frame around a page is the same on each, so it is checked once.
      await expectAccessible(page, place === '/' ? {} : { within: 'main' });
    });
  }
});

test('who is here, over the Wall of a narrow screen, goes with Esc as what is about a conversation does', async ({
  page,
  project,
}) => {
  const { room: cluster, conv } = await fill(project);
  await page.setViewportSize({ width: 360, height: 640 });
  for (const [place, name] of [
    [`/rooms/${cluster}?people=shown`, 'Who is here'],
    [`/talk/${conv}?about=shown`, 'About this conversation'],
  ] as const) {
    await open(page, project, place);
    const over = page.getByLabel(name, { exact: true });
    await expect(over).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(over).toBeHidden();
    await expect(page).not.toHaveURL(/=shown/);
  }
});
