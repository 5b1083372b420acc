import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LaunchOptions } from '@playwright/test';
import { chromiumLaunch } from '../chromium.js';

/** The oldest major versions in which the dashboard was tried. README names the same. */
export const FLOOR = { chromium: 150, firefox: 153 } as const;

type BrowserKind = keyof typeof FLOOR;

/** One browser that the dashboard is tried in. */
export interface TriedBrowser {
  name: string;
  kind: BrowserKind;
  /** Packages that have it, the first with its version: the newest on offer, or the oldest from the floor on. */
  packages: readonly [string, ...string[]];
  age: 'newest' | 'oldest';
}

const CHROMIUM = ['chromium', 'chromium-common'] as const;

/** The browsers, the one that the others are compared with first. */
export const BROWSERS: readonly TriedBrowser[] = [
  { name: 'chromium-newest', kind: 'chromium', packages: CHROMIUM, age: 'newest' },
  { name: 'chromium-oldest', kind: 'chromium', packages: CHROMIUM, age: 'oldest' },
  { name: 'firefox-newest', kind: 'firefox', packages: ['firefox-esr'], age: 'newest' },
  { name: 'firefox-oldest', kind: 'firefox', packages: ['firefox-esr'], age: 'oldest' },
];

/** Folder of the unpacked browsers, one folder for each. `npm run browsers` fills it; another floor has another one. */
export const BROWSERS_FOLDER = join(tmpdir(), `meshd-browsers-${FLOOR.chromium}-${FLOOR.firefox}`);

export const browserFolder = ({ name }: Pick<TriedBrowser, 'name'>) => join(BROWSERS_FOLDER, name);

const PROGRAM: Record<BrowserKind, string> = {
  chromium: 'usr/lib/chromium/chromium',
  firefox: 'usr/lib/firefox-esr/firefox-esr',
};

/** Path of the browser's program, or undefined when it is not there. */
export function findProgram(browser: TriedBrowser): string | undefined {
  const path = join(browserFolder(browser), PROGRAM[browser.kind]);
  return existsSync(path) ? path : undefined;
}

/** Folders of the unpacked libraries that a browser's program loads. */
export const libraryPath = (browser: TriedBrowser) =>
  [PROGRAM[browser.kind].replace(/\/[^/]*$/, ''), 'usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu']
    .map((folder) => join(browserFolder(browser), folder))
    .join(':');

/** What Firefox reports without a window system is a touch screen and wide scroll bars. The others have neither. */
const FIREFOX_PREFERENCES = {
  'ui.prefersReducedMotion': 1,
  'ui.primaryPointerCapabilities': 6,
  'ui.allPointerCapabilities': 6,
  'ui.useOverlayScrollbars': 1,
};

/** Options that start the browser: Chromium over its own protocol, Firefox over WebDriver BiDi. */
export function launchOf(browser: TriedBrowser): LaunchOptions {
  const program = findProgram(browser) ?? '';
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath(browser) };
  if (browser.kind === 'chromium') return { ...chromiumLaunch, executablePath: program, env };
  return {
    executablePath: fileURLToPath(new URL('bidi-firefox.mjs', import.meta.url)),
    channel: 'moz-firefox',
    firefoxUserPrefs: FIREFOX_PREFERENCES,
    env: { ...env, FIREFOX_PROGRAM: program },
  };
}
