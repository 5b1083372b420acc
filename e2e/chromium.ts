import { existsSync } from 'node:fs';

/** The system's own Chromium where there is one, else Playwright's download. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const isRoot = process.getuid?.() === 0;

/** Pages of the browser's own windows, which nobody sees here and which take as much as those that are looked at, and processes kept for later pages. */
const LEFT_OUT = [
  'InitialWebUI',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
  'WebUIReloadButton',
];
/** A list of one's own takes the place of Playwright's: what of it may change what a page does or reaches is named again. */
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

/** How the browser of journeys and benches is started. */
export const chromiumLaunch = {
  ...(installed ? { executablePath: installed } : {}),
  args: [
    ...(isRoot ? ['--no-sandbox'] : []),
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A wheel takes a page where it leads at once: what is measured after it is where it stays.
    '--disable-smooth-scrolling',
    `--disable-features=${[...LEFT_OUT, ...LEFT_OUT_BY_PLAYWRIGHT].join()}`,
  ],
};
