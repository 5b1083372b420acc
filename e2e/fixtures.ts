import { type BrowserContext, test as base, expect, type Locator, type Page, type Route } from '@playwright/test';
import type { Preferences } from '../daemon/contract/system.js';
import { findViolations } from './axe.js';
import { insertAsTyped, isFirefox } from './browsers/firefox.js';
import { type Project, startProject } from './project.js';
import { ScriptedAgent, type ScriptedClient } from './scripted-agent.js';

/** The default step of `passTime` in seconds: just over the time after which a silent agent is offline. */
const CLOCK_STEP_SECONDS = 331;

/** Prefix of the console messages about violations of the Content-Security-Policy. */
const VIOLATION = 'securitypolicyviolation';

/** Chromium reports each refusal as an error, also where the page says what was refused and why. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Adds to `found` the pages' requests to other hosts, violations of their Content-Security-Policy, and uncaught errors;
 * with `isSilent` all errors on the console but refusals of the daemon.
 */
async function watch(context: BrowserContext, found: string[], isSilent = false): Promise<void> {
  const see = (address: string) => {
    const url = new URL(address);
    if (!['127.0.0.1', 'localhost'].includes(url.hostname) && !['data:', 'blob:', 'about:'].includes(url.protocol))
      found.push(address);
  };
  context.on('request', (request) => see(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => see(socket.url())));
  context.on('console', (message) => {
    const text = message.text();
    if (
      text.startsWith(VIOLATION) ||
      (message.type() === 'error' &&
        ((isSilent && !REFUSED.test(text)) || /content security policy|trusted type/i.test(text)))
    )
      found.push(text);
  });
  context.on('weberror', (error) => found.push(String(error.error())));
  // The console reports only some of the policy violations. The event in the page reports all of them.
  await context.addInitScript((word) => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
      console.debug(`${word} ${effectiveDirective} ${blockedURI} ${sourceFile}:${lineNumber}`),
    );
  }, VIOLATION);
  if (isFirefox(context)) await insertAsTyped(context);
}

/** Options of test files that see the transitions and animations of the style sheet. */
export const WITH_MOTION = { contextOptions: { reducedMotion: 'no-preference' } } as const;

/** A real daemon on a free port over a fresh repository, for one test. */
export const test = base.extend<{
  project: Project;
  files: Record<string, string>;
  client: ScriptedClient;
  clockStep: number;
  agent: ScriptedAgent;
  foreignRequests: string[];
  folderName: string;
  machine: Record<string, string>;
  isolation: Preferences['isolation_default'];
}>({
  /** Additional files of the repository. */
  files: [{}, { option: true }],

  /** The client that runs the members. */
  client: ['builtin', { option: true }],

  /** Step of the daemon's clock, in seconds. */
  clockStep: [CLOCK_STEP_SECONDS, { option: true }],

  agent: async ({ client }, use) => {
    const agent = new ScriptedAgent(client);
    await use(agent);
    agent.close();
  },

  /** Name of the repository's folder, and so of the project. Empty for a random one. */
  folderName: ['', { option: true }],

  /** Additional environment variables of the daemon. */
  machine: [{}, { option: true }],

  /**
   * Where conversations work by default. Only tests of worktrees pay for them; in the others, members work in the
   * project folder.
   */
  isolation: ['project', { option: true }],

  project: async (
    { page: _, foreignRequests, files, folderName, agent, client, clockStep, machine, isolation },
    use,
  ) => {
    const { project, close } = await startProject({ files, folderName, agent, clockStep, machine });
    // The built-in search works in no folder.
    if (client !== 'builtin' && isolation !== 'automatic')
      await project.api('PATCH', '/preferences', { isolation_default: isolation });
    await use(project);
    const found = foreignRequests.length;
    await close();
    // That the daemon has ended is an error on the console of pages that are still open.
    foreignRequests.splice(found);
  },

  /**
   * Requests to other hosts, policy violations and uncaught errors of pages; in a main flow errors on the console.
   * Must stay empty in every test.
   */
  foreignRequests: [
    async ({ browser, context }, use, { tags }) => {
      const found: string[] = [];
      const isSilent = tags.includes('@flow');
      await watch(context, found, isSilent);
      const watchAnother = (another: BrowserContext) => void watch(another, found, isSilent).catch(() => undefined); // Closed at once.
      browser.on('context', watchAnother);
      await use(found);
      browser.off('context', watchAnother);
      expect(found).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect, type Locator, type Project };

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that depend on colours, which is all that another theme can change. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Expects no violation of WCAG 2.2 AA in both themes; only in the elements matching `within`, if given. Motion stays
 * reduced on the page. Firefox is left out: axe ends its tab, and the rules are about what all browsers show alike.
 */
export async function expectAccessible(page: Page, { within }: { within?: string } = {}): Promise<void> {
  if (isFirefox(page.context())) return;
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const rules =
      theme === 'light' ? { type: 'tag' as const, values: RULES } : { type: 'rule' as const, values: COLOURS };
    const found = (await findViolations(page, rules, within)).map((one) => `${theme} ${one}`);
    // A soft expectation, so that one finding hides no other.
    expect.soft(found).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Opens a page of the dashboard and waits until its event stream is connected. */
export async function open(page: Page, project: Project, path = ''): Promise<void> {
  await page.goto(`${project.address}/app${path}`);
  // Only a page in front has the focus there.
  if (isFirefox(page.context())) await page.bringToFront();
  await expectLive(page);
}

/** Waits until nothing on the page is loading. */
export async function expectDrawn(page: Page): Promise<void> {
  await expect(page.locator('main [class*=skeleton]')).toHaveCount(0);
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: /^Live$/ })).toBeVisible();
}

/** Resolves with the next request of that method, which waits until it is continued. */
export const holdNext = (page: Page, url: string | RegExp, method: string): Promise<Route> =>
  new Promise((resolve) => {
    let isHeld = false;
    void page.route(url, (route) => {
      if (isHeld || route.request().method() !== method) return route.fallback();
      isHeld = true;
      resolve(route);
    });
  });

/** Waits until keys answer the question: not before it could be read. */
export const expectTakesKeys = (question: Locator): Promise<void> =>
  expect(question.locator('[data-deny]')).toHaveAttribute('aria-keyshortcuts', /./);

/** Presses Esc as an input method does that discards its composition in `field`. */
export const escComposition = (field: Locator): Promise<boolean> =>
  field.evaluate((element) =>
    element.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, cancelable: true }),
    ),
  );

/** Presses Tab, or `key`, until `target` has the focus, which proves that it is reachable by keyboard. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${target}.`);
}
