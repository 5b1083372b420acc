import type { Page } from '@playwright/test';

/** Returns the elements that extend beyond the right edge of the screen. */
export const findOverflowing = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if ((document.scrollingElement?.scrollWidth ?? 0) <= window.innerWidth && window.innerWidth <= window.screen.width)
      return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.outerHTML.slice(0, 120))
      .slice(0, 5);
  });

/** Returns the controls too small for touch. A link within a sentence is as high as its line and is left out. */
export const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, textarea, summary, [role=tab], nav a')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !(element instanceof HTMLInputElement && element.disabled),
      )
      .map((element) =>
        element.matches('[type=radio], [type=checkbox]') ? (element.closest('label') ?? element) : element,
      )
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 24 || height < 24;
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );

/** Text of twice the size. WCAG 1.4.4. */
export const TWICE = 'html { font-size: 200% !important; }';
/** Spacing that a reader may set without losing content. WCAG 1.4.12. */
export const SPACED =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { ' +
  'margin-bottom: 2em !important; }';

/** Runs `act` with an additional stylesheet of the reader on the page. */
export async function withStyle(page: Page, style: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, style);
  await act();
  await page.evaluate(() => void document.adoptedStyleSheets.pop());
}

/** Returns text that its box cuts off at the bottom. A single line with an ellipsis is cut on purpose. */
export const findCutText = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => element.checkVisibility() && element.clientHeight > 1 && element.innerText?.trim() !== '')
      .filter((element) => {
        const { overflowY, textOverflow, clipPath } = getComputedStyle(element);
        return (
          clipPath === 'none' &&
          (overflowY === 'hidden' || overflowY === 'clip') &&
          textOverflow !== 'ellipsis' &&
          element.scrollHeight > element.clientHeight + 2
        );
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );

/** Returns the elements that are completely covered when focused, for example by a fixed bar. WCAG 2.4.11. */
export const hiddenFocus = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const before = document.activeElement;
    const hidden = [
      ...document.querySelectorAll<HTMLElement>(
        'main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])',
      ),
    ]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled'))
      .filter((element) => {
        // What has the focus already is not brought into view by getting it again.
        if (document.activeElement === element) element.blur();
        element.focus();
        if (document.activeElement !== element) return false;
        const shown = element.matches('[type=radio], [type=checkbox]')
          ? (element.closest('label') ?? element)
          : element;
        return ![...shown.getClientRects()].some(({ left, top, width, height }) =>
          [0.1, 0.5, 0.9].some((x) =>
            [0.1, 0.5, 0.9].some((y) => {
              const there = document.elementFromPoint(left + x * width, top + y * height);
              return there !== null && (shown.contains(there) || there.contains(shown));
            }),
          ),
        );
      })
      .map((element) => element.outerHTML.slice(0, 120));
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return hidden;
  });

/** Returns the animations that still run with reduced motion, which stays on. */
export async function moving(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  return page.evaluate(() =>
    document
      .getAnimations()
      .filter((one) => Number(one.effect?.getComputedTiming().duration) > 1)
      .map((one) => (one instanceof CSSAnimation ? one.animationName : String(one.id))),
  );
}
