import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, test as base, chromium, expect, type Locator, type Page } from '@playwright/test';
import { chromiumLaunch } from '../chromium.js';
import { expectDrawn, expectLive } from '../fixtures.js';
import { FixedDaemon } from './fixed-daemon.js';
import { fillHarbour, HARBOUR_FILES, type Harbour } from './harbour.js';

/**
 * Screenshots of every page in both themes, in a desktop and a phone window. `npm run looks --
 * --update-snapshots=changed` updates those that changed; each must be reviewed before it is committed. They are
 * not stable across machines: another release of Chromium, or other versions of FreeType and HarfBuzz, draw letters in
 * other pixels. So they are compared only with the Chromium that made them, and are no part of `npm run check`.
 */
const DRAWN_BY = { program: '/usr/bin/chromium', platform: 'linux', major: '150' };

const FONTS = fileURLToPath(new URL('./fonts.conf', import.meta.url));

/** Less than a word in another colour or position, but more than rounding differences between machines. */
const TOLERANCE = { threshold: 0.1, maxDiffPixels: 250 };

const WIDTHS = [1440, 360] as const;
const THEMES = ['light', 'dark'] as const;
const HEIGHT = { 1440: 900, 360: 740 } as const;

interface Scene {
  daemon: FixedDaemon;
  browser: Browser;
}

const test = base.extend<{ filled: Page; bare: Page }, { harbour: Scene & { places: Harbour }; empty: Scene }>({
  harbour: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern.
    async ({}, use) => {
      const daemon = await FixedDaemon.start('filled', HARBOUR_FILES);
      const places = await fillHarbour(daemon).catch(async (error: unknown) => {
        await daemon.close();
        throw error;
      });
      await withBrowser(daemon, (browser) => use({ daemon, browser, places }));
    },
    { scope: 'worker', timeout: 300_000 },
  ],

  empty: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern.
    async ({}, use) => {
      const daemon = await FixedDaemon.start('empty', { 'README.md': HARBOUR_FILES['README.md'] ?? '' });
      await withBrowser(daemon, (browser) => use({ daemon, browser }));
    },
    { scope: 'worker', timeout: 120_000 },
  ],

  /** A new page at the daemon with sample data, before it navigates. */
  filled: ({ harbour }, use) => withPage(harbour, use),
  /** A new page at the daemon without data. */
  bare: ({ empty }, use) => withPage(empty, use),
});

async function withBrowser(daemon: FixedDaemon, use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    ...chromiumLaunch,
    args: [...chromiumLaunch.args, ...daemon.browserArgs],
    env: { ...process.env, FONTCONFIG_FILE: FONTS },
  });
  await use(browser);
  await browser.close();
  await daemon.close();
}

async function withPage({ daemon, browser }: Scene, use: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({
    baseURL: daemon.address,
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
    reducedMotion: 'reduce',
  });
  await page.clock.setFixedTime(daemon.nowMs);
  await use(page);
  await page.close();
}

/** Compares the page with its screenshots in both widths and both themes. */
async function expectLooks(page: Page, name: string, mask: Locator[] = []): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: HEIGHT[width] });
      // A full-page screenshot would show fixed elements in its middle, so the window is enlarged instead. The page
      // under a dialog is not checked.
      const hasDialog = (await page.getByRole('dialog').count()) > 0;
      if (!hasDialog) await makeRoom(page, width);
      await expect(page).toHaveScreenshot(`${name}-${width}-${colorScheme}.png`, {
        // An animation driven by a dialog's scroll position stays as it is. With reduced motion there is no other.
        animations: hasDialog ? 'allow' : 'disabled',
        caret: 'hide',
        maskColor: '#808080',
        mask,
        ...TOLERANCE,
      });
    }
  }
}

/** Makes the window as high as the page. Repeats, because elements sized by the window's height grow with it. */
async function makeRoom(page: Page, width: number): Promise<void> {
  for (let time = 0; time < 5; time += 1) {
    const { whole, seen } = await page.evaluate(() => ({
      whole: document.documentElement.scrollHeight,
      seen: window.innerHeight,
    }));
    if (whole <= seen) return;
    await page.setViewportSize({ width, height: whole });
  }
}

async function settled(page: Page): Promise<void> {
  await expectLive(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expectDrawn(page);
  await page.evaluate(() => document.fonts.ready);
}

interface Shot {
  name: string;
  path: string | ((harbour: Harbour) => string);
  /** Actions before the screenshot. */
  act?: (page: Page) => Promise<unknown>;
  /** Elements that differ on every run. */
  mask?: (page: Page) => Locator[];
}

/** The value of a fact in a definition list. */
const fact = (page: Page, name: string) => page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd');

/** Waits for a dialog, whose code is loaded separately. */
const dialogOpen = (page: Page) => expect(page.getByRole('dialog')).toBeVisible();

const pressing = (key: string) => async (page: Page) => {
  await page.keyboard.press(key);
  await dialogOpen(page);
};

const SHOTS: readonly Shot[] = [
  { name: 'desk', path: '/' },
  { name: 'team', path: '/team' },
  { name: 'team-broken', path: '/team/night-watch' },
  { name: 'member', path: '/team/consultant' },
  { name: 'member-file', path: '/team/consultant?tab=file' },
  { name: 'member-raw', path: '/team/consultant?tab=file&as=raw' },
  { name: 'member-diff', path: '/team/consultant?tab=file&as=diff' },
  { name: 'member-access', path: '/team/consultant?tab=access' },
  { name: 'member-tests', path: '/team/consultant?tab=tests' },
  { name: 'member-talk', path: '/team/developer?tab=talk' },
  { name: 'member-drift', path: '/team/scribe' },
  { name: 'import', path: '/import' },
  { name: 'export', path: '/export' },
  { name: 'requests', path: '/requests' },
  { name: 'request-answered', path: ({ answered }) => `/requests/${answered}` },
  { name: 'request-failed', path: ({ failed }) => `/requests/${failed}` },
  { name: 'request-working', path: ({ working }) => `/requests/${working}` },
  { name: 'talk', path: '/talk' },
  { name: 'conversation', path: ({ talked }) => `/talk/${talked}` },
  { name: 'conversation-asking', path: ({ asking }) => `/talk/${asking}` },
  { name: 'roadmap', path: '/roadmap' },
  { name: 'rooms', path: '/rooms' },
  { name: 'room-boards', path: ({ exchange }) => `/rooms/${exchange}?tab=boards` },
  { name: 'room-rules', path: ({ exchange }) => `/rooms/${exchange}?tab=rules` },
  { name: 'room-share', path: ({ crew }) => `/rooms/${crew}?tab=share` },
  { name: 'board', path: ({ exchange }) => `/rooms/${exchange}/b/flea-market` },
  { name: 'board-map', path: ({ exchange }) => `/rooms/${exchange}/b/flea-market?show=map` },
  { name: 'board-agenda', path: ({ exchange }) => `/rooms/${exchange}/b/harbour-days?show=agenda` },
  { name: 'post', path: ({ exchange, post }) => `/rooms/${exchange}/p/${post}?board=flea-market` },
  { name: 'post-form', path: ({ exchange }) => `/rooms/${exchange}/b/flea-market?make=post` },
  { name: 'map', path: '/map' },
  { name: 'find', path: '/find?q=picture+of+a+harbour' },
  { name: 'agent', path: '/agents/painter' },
  { name: 'agent-member', path: ({ agent }) => `/agents/${agent}` },
  { name: 'ledger', path: '/ledger' },
  {
    name: 'system-health',
    path: '/system/health',
    mask: (page) => [
      ...['Process', 'Memory'].map((name) => fact(page, name)),
      page.getByRole('listitem').filter({ hasText: /Node\.js v/ }),
    ],
  },
  { name: 'system-settings', path: '/system/settings' },
  { name: 'system-security', path: '/system/security' },
  {
    name: 'system-about',
    path: '/system/about',
    mask: (page) => ['Node.js', 'SQLite', 'System'].map((name) => fact(page, name)),
  },
  { name: 'usage', path: '/requests?tab=usage' },
  { name: 'not-found', path: '/nowhere' },
  { name: 'palette', path: '/requests', act: pressing('Control+k') },
  { name: 'shortcuts', path: '/requests', act: pressing('?') },
  { name: 'new-room', path: '/rooms?make=new', act: dialogOpen },
  { name: 'new-member', path: '/team?make=form', act: dialogOpen },
  { name: 'new-conversation', path: '/talk?make=new', act: dialogOpen },
];

test.beforeAll(() => {
  const { platform, program, major } = DRAWN_BY;
  const version =
    process.platform === platform && existsSync(program)
      ? execFileSync(program, ['--version'], { encoding: 'utf8' })
      : '';
  // biome-ignore lint/suspicious/noSkippedTests: pictures of another browser cannot be compared with these.
  test.skip(
    !version.includes(` ${major}.`),
    `The screenshots are of Debian's Chromium ${major} on Linux, which draws letters in its own way: here is ` +
      `${version.trim() || 'another browser'}.`,
  );
});

for (const { name, path, act, mask } of SHOTS) {
  test(name, async ({ harbour: { places }, filled: page }) => {
    await page.goto(`/app${typeof path === 'string' ? path : path(places)}`);
    await settled(page);
    await act?.(page);
    await expectLooks(page, name, mask?.(page));
  });
}

test('agent-public', async ({ filled: page }) => {
  await page.goto('/agent/painter');
  await expect(page.getByRole('heading', { level: 1, name: 'painter' })).toBeVisible();
  await expectLooks(page, 'agent-public');
});

test('room-wall', async ({ harbour: { places }, filled: page }) => {
  await page.goto(`/app/rooms/${places.exchange}`);
  await settled(page);
  const leave = await places.speak();
  await expect(page.getByRole('log', { name: 'Wall' })).toContainText('Only for you: it does.');
  await expectLooks(page, 'room-wall');
  leave();
});

for (const name of ['desk', 'requests', 'talk', 'roadmap', 'rooms', 'map', 'ledger'] as const) {
  test(`${name}-empty`, async ({ bare: page }) => {
    await page.goto(name === 'desk' ? '/app/' : `/app/${name}`);
    await settled(page);
    await expectLooks(page, `${name}-empty`);
  });
}
