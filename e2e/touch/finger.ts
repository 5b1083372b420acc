import type { Page } from '@playwright/test';
import { test as base, expect, expectLive, type Locator, type Project } from '../fixtures.js';
import { onlyBy } from '../only-by.js';
import { findOverflowing } from '../readable.js';

/** The minimum size of a touch target in pixels. */
const TARGET_MIN_PX = 44;

/** Returns the size of the area in which a touch hits this control or its label. */
function getReach(element: Element, least: number): { width: number; height: number } {
  const owners = [element, element.closest('label'), ...((element as HTMLInputElement).labels ?? [])];
  const measured = () => {
    const [box] = element.getClientRects();
    if (!box) return { width: 0, height: 0 };
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const reaches = (dx: number, dy: number) => {
      const hit = document.elementFromPoint(x + dx, y + dy);
      return hit !== null && owners.some((owner) => owner?.contains(hit));
    };
    const along = (dx: number, dy: number) => {
      let far = 0;
      while (far < 60 && reaches(dx * far, dy * far)) far += 0.5;
      return far;
    };
    return { width: along(1, 0) + along(-1, 0), height: along(0, 1) + along(0, -1) };
  };
  const here = measured();
  // A fixed element need not be scrolled into view.
  if (here.width >= least && here.height >= least) return here;
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  return measured();
}

/** A user who has only a touch screen. */
class Finger {
  constructor(readonly page: Page) {}

  /** Opens an address as if it was typed into the address bar. */
  async open(project: Project, path = ''): Promise<void> {
    await this.page.goto(`${project.address}/app${path}`);
    await expectLive(this.page);
    await this.expectNarrow();
  }

  /**
   * Taps an element, which must be large enough. Exceptions: a link in running text is as high as its line, a disabled
   * control is tapped in vain, and a control under its own label is tapped through it.
   */
  async tap(target: Locator, { isInText = false, isOff = false, isUnderLabel = false } = {}): Promise<void> {
    await expect(target).toBeVisible();
    if (!isInText) await expect.poll(() => this.isEasy(target), `${target} is found by a finger`).toBe('easy');
    if (isOff) await expect(target).toBeDisabled();
    await target.tap({ force: isOff || isUnderLabel });
    await this.expectNarrow();
  }

  /** Taps a field and replaces its text with the on-screen keyboard. */
  async write(field: Locator, text: string): Promise<void> {
    await this.tap(field);
    await expect(field).toBeFocused();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(text);
    await expect(field).toHaveValue(text);
    await this.expectNarrow();
  }

  /** Presses Enter on the on-screen keyboard. */
  async enter(): Promise<void> {
    await this.page.keyboard.press('Enter');
  }

  /** Navigates with the bar at the bottom of the screen. */
  async goTo(name: string | RegExp, title: string): Promise<void> {
    const bar = this.page.getByRole('navigation', { name: 'Main' });
    const link = bar.getByRole('link', { name });
    const network = bar.getByRole('button', { name: /^Network/, expanded: false });
    // The group unfolds by itself once it is known that it was used.
    await expect(async () => {
      if (!(await link.isVisible()) && (await network.isVisible())) await network.tap({ timeout: 1_000 });
      await expect(link).toBeVisible({ timeout: 500 });
    }).toPass({ timeout: 20_000 });
    await this.tap(link);
    await this.expectPage(title);
  }

  /** Scrolls the page down by this many pixels. */
  async swipe(pixels: number): Promise<void> {
    await this.page.evaluate((by) => window.scrollBy({ top: by, behavior: 'instant' }), pixels);
  }

  async expectPage(title: string | RegExp): Promise<void> {
    await expect(this.page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await this.expectNarrow();
  }

  async expectNarrow(): Promise<void> {
    expect(await findOverflowing(this.page)).toEqual([]);
  }

  private async isEasy(target: Locator): Promise<string> {
    const { width, height } = await target.evaluate(getReach, TARGET_MIN_PX);
    return width >= TARGET_MIN_PX && height >= TARGET_MIN_PX ? 'easy' : `${width} × ${height}`;
  }
}

export const test = base.extend<{ finger: Finger }>({
  hasTouch: true,
  isMobile: true,
  viewport: { width: 360, height: 780 },
  finger: async ({ page, project: _project }, use) => {
    const undo = onlyBy(page, ['locator.tap', 'keyboard.press', 'keyboard.type']);
    await use(new Finger(page));
    undo();
  },
});

export { expect };
