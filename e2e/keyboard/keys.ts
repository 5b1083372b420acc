import type { Page } from '@playwright/test';
import { test as base, expect, expectLive, type Locator, type Project } from '../fixtures.js';
import { onlyBy } from '../only-by.js';

/** The most Tab presses that may be needed to reach the main purpose of a page. */
const TABS_MAX = 12;

const hasFocus = (element: Element) => element === document.activeElement;

/**
 * Returns why the focus is not visible, or undefined. The heading that is focused on a new page needs no indicator,
 * since it cannot be pressed.
 */
function findHiddenReason(): string | undefined {
  const at = document.activeElement;
  if (!at || at === document.body) return 'The focus is nowhere.';
  const named = at.outerHTML.slice(0, 160);
  const { top, right, bottom, left } = at.getBoundingClientRect();
  const [x0, x1, y0, y1] = [
    Math.max(left, 0),
    Math.min(right, innerWidth),
    Math.max(top, 0),
    Math.min(bottom, innerHeight),
  ];
  if (x1 - x0 < 1 || y1 - y0 < 1) return `Out of view: ${named}`;
  const isUncovered = [0.02, 0.5, 0.98].some((x) =>
    [0.1, 0.5, 0.9].some((y) => {
      const hit = document.elementFromPoint(x0 + (x1 - x0) * x, y0 + (y1 - y0) * y);
      return hit !== null && (at.contains(hit) || hit.contains(at) || at.closest('label')?.contains(hit) === true);
    }),
  );
  if (!isUncovered) return `Covered: ${named}`;
  if (at.matches('h1, h2, h3, main')) return undefined;
  const isRinged = [null, '::after'].some((part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(at, part);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  });
  return at.matches(':focus-visible, input[type=date]') && isRinged ? undefined : `Without a ring: ${named}`;
}

/** A user who has only a keyboard. */
export class Keys {
  constructor(readonly page: Page) {}

  /** Opens an address as if it was typed into the address bar. */
  async open(project: Project, path = ''): Promise<void> {
    await this.page.goto(`${project.address}/app${path}`);
    await expectLive(this.page);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Expects the focus on or inside `target`, and visible. */
  async expectAt(target: Locator): Promise<void> {
    const where = () =>
      target.evaluate((element) =>
        element.contains(document.activeElement) ? 'there' : document.activeElement?.outerHTML.slice(0, 160),
      );
    await expect.poll(where, `Focus in ${target}`).toBe('there');
    await this.expectSeen();
  }

  async expectSeen(): Promise<void> {
    await expect.poll(() => this.page.evaluate(findHiddenReason)).toBe(undefined);
  }

  /** Tabs to `target` in at most `within` presses. Every stop on the way must be visible. */
  async reach(
    target: Locator,
    { within = TABS_MAX, key = 'Tab' }: { within?: number; key?: 'Tab' | 'Shift+Tab' } = {},
  ): Promise<void> {
    await expect(target).toBeVisible();
    const way: string[] = [];
    for (let pressed = 0; !(await target.evaluate(hasFocus)); pressed += 1) {
      if (pressed === within)
        throw new Error(`${within} times ${key} do not lead to ${target}, but over ${way.join(' | ')}`);
      await this.press(key);
      way.push(
        await this.page.evaluate(
          () => document.activeElement?.outerHTML.replace(/\sclass="[^"]*"/g, '').slice(0, 70) ?? '',
        ),
      );
      await this.expectSeen();
    }
  }

  async back(target: Locator, within = TABS_MAX): Promise<void> {
    await this.reach(target, { within, key: 'Shift+Tab' });
  }

  /** Tabs to `target` and presses Enter. */
  async enter(target: Locator, within = TABS_MAX): Promise<void> {
    await this.reach(target, { within });
    await this.press('Enter');
  }

  /** Tabs to a field and replaces its text. */
  async write(field: Locator, text: string, within = TABS_MAX): Promise<void> {
    await this.reach(field, { within });
    await this.press('ControlOrMeta+a');
    await this.type(text);
    await expect(field).toHaveValue(text);
  }

  /** Tabs to a group of radio buttons and selects one with the arrow keys. */
  async choose(radio: Locator, group: Locator, within = TABS_MAX): Promise<void> {
    await this.reach(group.locator('input:checked'), { within });
    for (let pressed = 0; !(await radio.isChecked()); pressed += 1) {
      expect(pressed, `Arrows lead to ${radio}`).toBeLessThan(8);
      await this.press('ArrowDown');
    }
    await this.expectAt(radio);
  }

  /** Leaves the filter and moves along the rows to one of them. */
  async walkTo(row: Locator): Promise<void> {
    await expect(row).toBeVisible();
    await this.press('Escape');
    for (let walked = 0; !(await row.evaluate(hasFocus)); walked += 1) {
      expect(walked, `Rows to walk to ${row}`).toBeLessThan(TABS_MAX);
      await this.press('j');
    }
    await this.expectSeen();
  }

  /** Goes to the result with this name through the command palette. */
  async goTo(words: string, title: string): Promise<void> {
    await this.press('ControlOrMeta+k');
    const palette = this.page.getByRole('dialog', { name: 'Go to' });
    await expect(palette.getByRole('combobox')).toBeFocused();
    await this.type(words);
    await expect(palette.getByRole('option', { selected: true })).toHaveText(new RegExp(`^${words}`));
    await this.press('Enter');
    await this.expectPage(title);
  }

  /** Uses the browser's back navigation. */
  async goBack(title: string): Promise<void> {
    await this.page.goBack();
    await this.expectPage(title);
  }

  /** Expects a new page: its heading is visible, and the focus is in `main`. */
  async expectPage(title: string | RegExp): Promise<void> {
    await expect(this.page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await this.expectAt(this.page.locator('main'));
  }
}

const BY_KEYS = ['keyboard.press', 'keyboard.type'];

/** Has one part of a journey done by keyboard alone: any other act on the page throws. */
export async function byKeyboard(page: Page, part: (keys: Keys) => Promise<void>): Promise<void> {
  const undo = onlyBy(page, BY_KEYS);
  try {
    await part(new Keys(page));
  } finally {
    undo();
  }
}

export const test = base.extend<{ keys: Keys }>({
  keys: async ({ page, project: _project }, use) => {
    const undo = onlyBy(page, BY_KEYS);
    await use(new Keys(page));
    undo();
  },
});

export { expect };
