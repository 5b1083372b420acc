import { type Browser, chromium, type Page } from '@playwright/test';
import { arrived, FILES, fill, headingAt, PAGES } from '../every-page.js';
import { expect, expectLive, test } from '../fixtures.js';
import { findOverflowing } from '../readable.js';
import { BROWSERS, launchOf } from './browsers.js';
import { isFirefox } from './firefox.js';
import { findMoved, findUnlike, readLayout } from './layout.js';

test.use({ files: FILES });

const STOPS = 8;

/**
 * Presses Tab on a page that was just opened and returns what has the focus each time, with `unseen` where no ring is
 * drawn; up to `most` stops and the end of the page, where the focus goes to the browser's own controls and Firefox
 * keeps it. Firefox also stops at areas that scroll, which are left out.
 */
async function tabThrough(page: Page, most = STOPS): Promise<string[]> {
  const stops: string[] = [];
  for (let pressed = 0; pressed < STOPS && stops.length < most; pressed += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return undefined;
      if (element.matches('aside, main, pre, div, section') && !element.hasAttribute('tabindex')) return '';
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const isSeen = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30) ?? '';
      return `${element.localName} ${name}${isSeen ? '' : ' unseen'}`;
    });
    if (stop === undefined) break;
    if (stop !== '') stops.push(stop.replaceAll(/\d+/g, '0'));
  }
  return stops;
}

/** Collects errors on the console and responses that failed, until `take` returns and forgets them. */
function watchFailures(page: Page): { take: () => string[] } {
  let found: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`);
  });
  return {
    take() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}

async function visit(page: Page, address: string, heading: string, width = 1440): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(address);
  if (isFirefox(page.context())) await page.bringToFront();
  await expectLive(page);
  await arrived(page, heading);
}

const [newest] = BROWSERS;
let usual: Browser | undefined;

test.beforeAll(async () => {
  usual = newest && (await chromium.launch(launchOf(newest)));
});

test.afterAll(() => usual?.close());

test('every page is as in the newest Chromium', { tag: '@page' }, async ({ page, project }) => {
  test.setTimeout(600_000);
  if (!usual) throw new Error('The newest Chromium did not start.');
  const reference = await usual.newPage({ reducedMotion: 'reduce' });
  const held = await fill(project);
  const failures = watchFailures(page);
  const softly = expect.configure({ soft: true });
  for (const row of Object.values(PAGES)) {
    for (const place of row.places(held)) {
      await test.step(place, async () => {
        const address = `${project.address}/app${place}`;
        for (const one of [reference, page]) await visit(one, address, headingAt(row, place));
        const others = await tabThrough(reference);
        const isBegun = await page.evaluate(() => document.activeElement !== document.body);
        const stops = await tabThrough(page, others.length);
        const shared = Math.min(stops.length, others.length);
        softly(stops.slice(0, shared), `${place}: stops of Tab`).toEqual(others.slice(0, shared));
        // Where a page puts the focus itself, Tab goes on from there.
        if (!isBegun) softly(stops[0], `${place}: first Tab`).toBe('a Skip to the content');
        for (const width of [1440, 360]) {
          if (width < 1440)
            for (const one of [reference, page]) await visit(one, address, headingAt(row, place), width);
          await softly.poll(() => findOverflowing(page), { message: `${place}: wider than ${width} px` }).toEqual([]);
          // Text that is drawn by a module loaded later moves what is below it.
          const compare = async () => {
            const [was, is] = [await readLayout(reference), await readLayout(page)];
            return [...findMoved(was, is), ...findUnlike(was, is)];
          };
          await softly.poll(compare, { message: `${place}: elsewhere at ${width} px`, timeout: 5_000 }).toEqual([]);
        }
        softly(failures.take(), `${place}: failures`).toEqual([]);
      });
    }
  }
  await reference.close();
});
