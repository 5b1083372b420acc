import type { Page } from '@playwright/test';
import { expect } from './fixtures.js';

/** What somebody may write who means harm. Each of the markups would set `window.struck`. */
export const SCRIPT = '<script>window.struck = 1</script>';
export const IMAGE = '<img src=x onerror="window.struck = 2">';
export const FRAME = '<iframe srcdoc="<script>parent.struck = 3</script>"></iframe>';
export const LINK = '[press](javascript:window.struck=4) <a href="javascript:window.struck=5">here</a>';
export const FAR =
  '![far](http://evil.test/pixel.png) <img src="http://evil.test/pixel.png"> <link rel=stylesheet href="http://evil.test/s.css">';
const MARKDOWN = '[data](data:text/html,<script>struck=6</script>) <svg onload="window.struck=7"></svg> <style>*{display:none}</style>';
export const REVERSED = 'before\u202Egnp.exe\u2066after';
export const LONG = 'unbroken'.repeat(60);
export const HOSTILE = [SCRIPT, IMAGE, FRAME, LINK, FAR, MARKDOWN, REVERSED].join('\n\n');

/** Nothing of what is written ran, came in as markup, or bent the page. What left the machine, the fixture sees. */
export async function expectHarmless(page: Page, where: string): Promise<void> {
  expect(await page.evaluate(() => 'struck' in window), where).toBe(false);
  const markup = 'img, iframe, object, embed, main script, main style, main link, a[href^="javascript:" i], a[href^="data:" i]';
  expect(await page.locator(markup).evaluateAll((found) => found.map((element) => element.outerHTML)), where).toEqual([]);
  const handlers = await page.evaluate(
    () => [...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((name) => name.startsWith('on'))).length,
  );
  expect(handlers, where).toBe(0);
  expect(await page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - window.innerWidth), where).toBeLessThanOrEqual(0);
}
