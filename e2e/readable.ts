import type { Page } from '@playwright/test';

/** What sticks out to the right of the screen. */
export const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if ((document.scrollingElement?.scrollWidth ?? 0) <= window.innerWidth && window.innerWidth <= window.screen.width) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.outerHTML.slice(0, 120))
      .slice(0, 5);
  });

/** Controls too small for a finger. A link within a sentence is as high as its line and is left out. */
export const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, textarea, summary, [role=tab], nav a')]
      .filter(
        (element) => element.checkVisibility({ visibilityProperty: true }) && !(element instanceof HTMLInputElement && element.disabled),
      )
      .map((element) => (element.matches('[type=radio], [type=checkbox]') ? (element.closest('label') ?? element) : element))
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 24 || height < 24;
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
