import { existsSync } from 'node:fs';

/** The system's own Chromium where there is one, else Playwright's download. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const isRoot = process.getuid?.() === 0;

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
  ],
};
