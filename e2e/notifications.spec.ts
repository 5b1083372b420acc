import type { BrowserContext, Page } from '@playwright/test';
import type { BudgetList } from '../daemon/contract/work/budgets.js';
import { expect, holdNext, open, test, WITH_MOTION } from './fixtures.js';

test.use(WITH_MOTION);

interface Shown {
  title: string;
  body: string;
  isOpen: boolean;
}

declare global {
  interface Window {
    shownNotices: (Shown & { onclick: (() => void) | null })[];
    isSeen: boolean;
  }
}

/**
 * Simulates a browser that answers the permission request with `answer`, records the notifications, and has no focused
 * page.
 */
async function mockNotifications(context: BrowserContext, answer: NotificationPermission): Promise<void> {
  await context.addInitScript((given) => {
    window.shownNotices = [];
    window.isSeen = false;
    document.hasFocus = () => window.isSeen;
    if (location.protocol === 'about:') return;
    let permission = (localStorage.getItem('test.permission') ?? 'default') as NotificationPermission;
    class Notice {
      static get permission() {
        return permission;
      }
      static async requestPermission() {
        permission = given;
        localStorage.setItem('test.permission', given);
        return given;
      }
      onclick: (() => void) | null = null;
      onclose: (() => void) | null = null;
      isOpen = true;
      readonly body: string;
      constructor(
        readonly title: string,
        { body = '' }: NotificationOptions,
      ) {
        this.body = body;
        window.shownNotices.push(this);
      }
      close() {
        this.isOpen = false;
        this.onclose?.();
      }
    }
    Object.defineProperty(window, 'Notification', { value: Notice });
  }, answer);
}

const shownIn = (page: Page) =>
  page.evaluate(() => window.shownNotices.map(({ title, body, isOpen }) => ({ title, body, isOpen })));

/** Waits until it is decided which tab shows notifications. */
const untilNotified = (page: Page) =>
  expect
    .poll(() => page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name)))
    .toContain('meshd.teller');

test('what needs one is told by one tab of many, once one has asked for it', async ({ page, context, project }) => {
  await mockNotifications(context, 'granted');
  project.write('.mesh/team/deployer.md', '---\nname: [\n---\n');
  const reading = holdNext(page, /\d\/budgets$/, 'GET');
  await open(page, project, '/system');
  await expect(page.getByRole('link', { name: 'Needs you (1)' })).toBeVisible();
  const wanted = page.getByRole('switch', { name: 'Browser notifications' });
  await expect(wanted).toHaveAttribute('aria-checked', 'false');
  expect(await page.evaluate(() => Notification.permission)).toBe('default');
  await wanted.click();
  await expect(wanted).toHaveAttribute('aria-checked', 'true');
  const other = await context.newPage();
  await open(other, project, '/rooms');
  await untilNotified(page);
  // A budget that is read last is no news.
  const late = await reading;
  const list: BudgetList = await (await late.fetch()).json();
  await late.fulfill({ json: { ...list, budgets: list.budgets.map((budget) => ({ ...budget, state: 'reached' })) } });
  await expect(page.getByRole('link', { name: 'Needs you (2)' })).toBeVisible();
  await expect(other.getByRole('link', { name: 'Needs you (1)' })).toBeVisible();

  project.write('.mesh/team/scribe.md', '---\nname: [\n---\n');
  const told = async () => [...(await shownIn(page)), ...(await shownIn(other))];
  await expect
    .poll(told)
    .toEqual([{ title: 'The file of scribe cannot be read', body: expect.any(String), isOpen: true }]);
  await expect(other.getByRole('link', { name: 'Needs you (2)' })).toBeVisible();
  expect(await told()).toHaveLength(1);

  const teller = (await shownIn(page)).length > 0 ? page : other;
  await teller.evaluate(() => window.shownNotices[0]?.onclick?.());
  await expect(teller).toHaveURL(/\/app\/team\/scribe$/);
  expect((await told())[0]?.isOpen).toBe(false);

  // While a tab has the focus, no notification is shown.
  await other.evaluate(() => {
    window.isSeen = true;
    window.dispatchEvent(new Event('focus'));
  });
  await expect
    .poll(() => page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name)))
    .toContain('meshd.looked-at');
  project.write('.mesh/team/pilot.md', '---\nname: [\n---\n');
  await expect(page.getByRole('link', { name: 'Needs you (4)' })).toBeVisible();
  await expect(other.getByRole('link', { name: 'Needs you (3)' })).toBeVisible();
  expect(await told()).toHaveLength(1);
});

test('a browser that denies notifications is not said to show them', async ({ page, context, project }) => {
  await mockNotifications(context, 'denied');
  await open(page, project, '/system');
  const wanted = page.getByRole('switch', { name: 'Browser notifications' });
  await wanted.click();
  await expect(page.getByRole('status').filter({ hasText: 'This browser blocks them' })).toBeVisible();
  await expect(wanted).toHaveAttribute('aria-checked', 'false');
});
