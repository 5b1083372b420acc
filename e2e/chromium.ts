import { existsSync } from 'node:fs';

/** The installed Chromium if there is one, else Playwright's download. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
/** Debian's Chromium without windows of its own, as Playwright's download is: a browser process takes half the time. */
const SHELL = '/usr/bin/chromium-headless-shell';
const isRoot = process.getuid?.() === 0;

/**
 * Features that are disabled to save resources: pages of the browser's own windows, which cost as much as the tested
 * pages, and processes kept for later pages.
 */
const LEFT_OUT = [
  'InitialWebUI',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
  'WebUIReloadButton',
];
/**
 * `--disable-features` replaces Playwright's list, so the entries that affect what a page does or requests are
 * repeated.
 */
const LEFT_OUT_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  'Translate',
];

/** Launch options of the browser for benchmarks, drills and pictures. */
export const chromiumLaunch = {
  ...(installed ? { executablePath: installed } : {}),
  args: [
    ...(isRoot ? ['--no-sandbox'] : []),
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // The wheel scrolls at once, so that a measurement after it sees the final position.
    '--disable-smooth-scrolling',
    `--disable-features=${[...LEFT_OUT, ...LEFT_OUT_BY_PLAYWRIGHT].join()}`,
  ],
};

/** Launch options of the browser for end-to-end tests. */
export const testedLaunch = { ...chromiumLaunch, ...(existsSync(SHELL) ? { executablePath: SHELL } : {}) };
