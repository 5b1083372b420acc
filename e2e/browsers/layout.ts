import type { Page } from '@playwright/test';

/** What the pages of two browsers are compared by. */
interface Layout {
  /** Landmarks in document order: role and name. */
  landmarks: string[];
  /** The left, top, width and height in px of the landmarks, the heading and the controls in view, by what they are. */
  boxes: Record<string, [number, number, number, number]>;
}

/** Differences in px that browsers may have. Downwards: one line of text, which may break elsewhere. */
const TOLERANCE = { across: 16, down: 24 } as const;

/** Reads the layout of what the page shows without scrolling. */
export const readLayout = (page: Page): Promise<Layout> =>
  page.evaluate(() => {
    const LANDMARKS =
      'header, nav, main, aside, footer, form[aria-label], section[aria-label], [role=region], [role=log]';
    const nameOf = (element: Element) => {
      const by = element.getAttribute('aria-labelledby');
      const words = element.getAttribute('aria-label') ?? (by === null ? '' : document.getElementById(by)?.textContent);
      return `${element.getAttribute('role') ?? element.localName} ${words ?? ''}`.trim();
    };
    const seen = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const landmarks = [...document.querySelectorAll(LANDMARKS)].filter(seen);
    const boxes: Layout['boxes'] = {};
    const add = (element: Element, name: string) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      // What does not end on the screen ends where its text does.
      if (width > 0 && top < innerHeight) boxes[name] ??= [left, top, width, Math.min(height, innerHeight - top)];
    };
    for (const element of landmarks) add(element, nameOf(element));
    // How far a row was scrolled sideways is up to the browser.
    const isInRow = (element: Element) => {
      const row = element.closest('nav');
      return row !== null && row.scrollWidth > row.clientWidth;
    };
    const parts = [...document.querySelectorAll('h1, h2, a, button, input, select, textarea, summary')];
    for (const element of parts.filter((part) => seen(part) && !isInRow(part)))
      add(element, `${nameOf(element)} ${element.textContent?.trim().slice(0, 40)}`.trim());
    return { landmarks: landmarks.map(nameOf), boxes };
  });

/** Returns the elements that both have and that lie elsewhere in `other`. */
export function findMoved(usual: Layout, other: Layout): string[] {
  return Object.entries(usual.boxes).flatMap(([name, box]) => {
    const is = other.boxes[name];
    if (!is) return [];
    const far = box.some((value, at) => Math.abs(value - (is[at] ?? 0)) > (at % 2 ? TOLERANCE.down : TOLERANCE.across));
    return far ? [`${name}: ${box.map(Math.round)} became ${is.map(Math.round)}`] : [];
  });
}

/** Returns the landmarks that only one of the two has, or that come in another order. */
export function findUnlike(usual: Layout, other: Layout): string[] {
  return usual.landmarks.join() === other.landmarks.join()
    ? []
    : [`landmarks ${usual.landmarks.join(', ')} became ${other.landmarks.join(', ')}`];
}
