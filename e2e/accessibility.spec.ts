import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page, Route } from '@playwright/test';
import { arrived, FILES, fill, go, headingAt, NOTHING, PAGES } from './every-page.js';
import { expect, expectAccessible, open, test } from './fixtures.js';
import { findCutText, findOverflowing, hiddenFocus, moving, SPACED, TWICE, withStyle } from './readable.js';

test.use({ files: FILES });

const routes = Object.keys(PAGES);
const parts = [routes.slice(0, 5), routes.slice(5, 11), routes.slice(11, 14), routes.slice(14)];

/**
 * A panel that the user opens covers a narrow page and can be closed, so covering focused content is allowed. WCAG
 * 2.4.11, note 2.
 */
const isCovered = (place: string) => /[?&](file|about)=/.test(place);

test('every route of the dashboard, and every tab, has its row', () => {
  const router = readFileSync(fileURLToPath(new URL('../ui/app/routes.tsx', import.meta.url)), 'utf8');
  expect([...router.matchAll(/^\s+path: '([^']+)'/gm)].map(([, path]) => path).sort()).toEqual([...routes].sort());
  for (const [, path = '', rest = ''] of router.matchAll(/^\s+path: '([^']+)',((?:(?!createRoute)[\s\S])*)/gm)) {
    const tabs = [...(/tab: oneOf\(search\['tab'\], \[([^\]]*)\]/.exec(rest)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, tab]) => tab,
    );
    const shown = PAGES[path]?.places(NOTHING).join(' ') ?? '';
    for (const tab of tabs) expect(shown, path).toContain(`tab=${tab}`);
  }
});

const softly = expect.configure({ soft: true, timeout: 5_000 });

/** Scrolls to where a page starts. One that shares its frame with the page before keeps the position. */
const toTop = (page: Page) =>
  page.evaluate(() => {
    for (const element of document.querySelectorAll('*')) if (element.scrollTop > 0) element.scrollTop = 0;
  });

/** Expects the page to stay readable and still when its reader changes the window, the text or the motion. */
async function expectBends(page: Page, place: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 640 });
  expect.soft(await moving(page), 'without motion').toEqual([]);
  expect.soft(await hiddenFocus(page), 'focus under a bar').toEqual([]);
  await withStyle(page, TWICE, async () => {
    expect.soft(await findOverflowing(page), 'text of twice the size').toEqual([]);
  });
  await withStyle(page, SPACED, async () => {
    expect.soft(await findOverflowing(page), 'spaced').toEqual([]);
    expect.soft(await findCutText(page), 'spaced').toEqual([]);
  });
  await page.setViewportSize({ width: 320, height: 640 });
  // A page that was just resized renders again first.
  await softly.poll(() => findOverflowing(page), { message: '320 px' }).toEqual([]);
  if (!isCovered(place)) expect.soft(await hiddenFocus(page), 'focus under a bar at 320 px').toEqual([]);
  await withStyle(page, SPACED, async () => expect.soft(await findOverflowing(page), 'spaced at 320 px').toEqual([]));
}

for (const [at, part] of parts.entries()) {
  test(`pages with data hold to the rules in both themes, and bend to the reader, ${at + 1} of ${parts.length}`, async ({
    page,
    project,
  }) => {
    test.slow();
    const held = await fill(project);
    await open(page, project, '/system');
    for (const route of part) {
      const row = PAGES[route] ?? { heading: '', places: () => [] };
      for (const place of row.places(held)) {
        await test.step(place, async () => {
          await page.setViewportSize({ width: 1280, height: 800 });
          await go(page, place);
          await arrived(page, headingAt(row, place));
          await toTop(page);
          await expectAccessible(page);
          await expectBends(page, place);
        });
      }
    }
  });
}

/** The status of a delayed response. */
const FAILED = 500;
/** The statuses of an immediate response: forbidden and not found. */
const REFUSALS = [403, 404];

for (const [at, part] of parts.entries()) {
  test(`pages hold to the rules while they wait, and when the daemon fails or refuses, ${at + 1} of ${parts.length}`, async ({
    page,
    project,
  }) => {
    test.slow();
    let status: number | undefined;
    const waiting: Route[] = [];
    const refuse = (one: Route, code: number) =>
      one.fulfill({ status: code, json: { error: 'internal', message: 'The daemon says no.', id: 'err-1' } });
    await page.route(
      ({ port, pathname }) => port === String(project.port) && !pathname.startsWith('/app'),
      (one) => (status === undefined ? void waiting.push(one) : refuse(one, status)),
    );
    const main = page.locator('main');
    const see = async (sign: Locator, what: string) => {
      await expect(sign.first(), what).toBeAttached();
      await expectAccessible(page, { within: 'main' });
    };
    const said = main.getByText(/There is no such|The daemon says no/);
    for (const route of part) {
      const [place = ''] = PAGES[route]?.places(NOTHING) ?? [];
      status = undefined;
      await page.goto(`${project.address}/app${place}`);
      await see(main.locator('[class*=skeleton]'), `${place} waits`);
      status = FAILED;
      await Promise.all(waiting.splice(0).map((one) => refuse(one, FAILED)));
      await see(said, `${place} ${FAILED}`);
      // Only a page about a single thing can be refused or not found.
      if (!route.includes('$')) continue;
      for (const code of REFUSALS) {
        status = code;
        await page.goto(`${project.address}/app${place}`);
        await see(said, `${place} ${code}`);
      }
    }
  });
}
