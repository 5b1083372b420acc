import { type ChildProcess, execFile, execFileSync, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BrowserContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import type { AskAccepted, AskRecord } from '../daemon/contract/asks.js';
import type { MemberDetail } from '../daemon/contract/team.js';
import { findViolations } from './axe.js';
import { HeldGit } from './held-git.js';
import { ScriptedAgent, type ScriptedClient } from './scripted-agent.js';

/** The build to test. `MESHD_E2E_DIST` selects another one than `dist/`, for example an installed package. */
const DIST = process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../dist', import.meta.url));
/** The daemon with a clock that tests can move. */
const DAEMON = join(DIST, 'test-daemon.js');
const COMMAND_LINE = join(DIST, 'meshd.js');

/** The default step of `passTime` in seconds: just over the five minutes after which a silent agent is offline. */
const CLOCK_STEP_SECONDS = 301;

/** Prefix of the console messages about violations of the Content-Security-Policy. */
const VIOLATION = 'securitypolicyviolation';

const run = promisify(execFile);

const PROJECT: Record<string, string> = {
  'README.md':
    '# Lamp\n\nLamp switches the harbour lights on at dusk and off at dawn.\n\n## Run it\n\nStart it with `npm start`; it listens on port 8123.\n\n## Settings\n\n`LAMP_ANGLE` is the angle of the sun in degrees below which the lights go on; the default is -6.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough for the lights to go on. */\nexport function isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
  'src/server.ts':
    "import { isDusk } from './dusk.js';\n\n/** Port of the lamp's own status page. */\nexport const PORT = 8123;\n\nexport function status(angle: number): string {\n  return isDusk(angle) ? 'on' : 'off';\n}\n",
};

export interface Project {
  root: string;
  address: string;
  port: number;
  write(path: string, text: string): void;
  read(path: string): string;
  git(...args: string[]): string;
  /** Restarts the daemon so that every ask from then on stays at work. */
  holdAnswers(): Promise<void>;
  /** Lets the held asks be answered. */
  releaseAnswers(): void;
  /** Returns the member token that the member's page shows. */
  token(member: string): Promise<string>;
  /** Submits an ask as an external program does, and resolves with the daemon's response. */
  ask(
    member: string,
    text: string,
    more?: { session?: string; context_docs?: { filename: string; content: string }[] },
  ): Promise<AskAccepted>;
  /** Submits an ask as an external program does, and polls its answer. */
  answer(
    member: string,
    text: string,
    more?: { context_docs?: { filename: string; content: string }[] },
  ): Promise<AskRecord>;
  /** Stops the daemon and starts another one on the same port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts another daemon on the port of one that was killed. */
  start(): Promise<void>;
  /** Advances the daemon's clock by one step: five minutes and a second unless `clockStep` is set. */
  passTime(): void;
  /** Path of the `meshd` program. */
  commandLine: string;
  /** Runs `meshd` in the project as the operator, and resolves with its output. */
  meshd(...args: string[]): Promise<string>;
  api<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
}

/** Author of the commits. No commit is signed, synced to disk or followed by maintenance. */
const GIT_SETTINGS = [
  'user.name=Test',
  'user.email=test@example.invalid',
  'commit.gpgsign=false',
  'core.fsync=none',
  'maintenance.auto=false',
];

interface Started {
  process: ChildProcess;
  port: number;
}

function startDaemon(
  root: string,
  port: number,
  clockStep: number,
  environment: Record<string, string>,
): Promise<Started> {
  return new Promise((resolve, reject) => {
    const child = fork(DAEMON, ['--root', root, '--port', String(port), '--test-clock', String(clockStep)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...environment },
    });
    child.once('message', (message: { type: string; port: number; message?: string }) => {
      if (message.type === 'listening') resolve({ process: child, port: message.port });
      else reject(new Error(message.message));
    });
    child.once('exit', (code) => reject(new Error(`The daemon ended with ${code}.`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) =>
    child.exitCode !== null || child.signalCode !== null ? resolve() : child.once('exit', () => resolve()),
  );
}

/**
 * Adds to `found` the pages' requests to other hosts, violations of their Content-Security-Policy, and uncaught errors.
 */
async function watch(context: BrowserContext, found: string[]): Promise<void> {
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
      (message.type() === 'error' && /content security policy|trusted type/i.test(text))
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
}

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

  project: async ({ page: _page, files, folderName, agent, clockStep, machine }, use) => {
    const made = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-e2e-')));
    const root = join(made, folderName);
    mkdirSync(root, { recursive: true });
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const git = (...args: string[]) =>
      execFileSync('git', [...GIT_SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
        cwd: root,
        encoding: 'utf8',
      });
    for (const [path, text] of Object.entries({ ...PROJECT, ...files })) write(path, text);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'Switch the lights');
    const heldGit = new HeldGit();
    // Daemons of one user discover each other through this directory. Those of different tests must not.
    const state = mkdtempSync(join(tmpdir(), 'meshd-e2e-state-'));
    const environment = { PATH: heldGit.path, XDG_STATE_HOME: state, ...agent.environment, ...machine };
    let daemon = await startDaemon(root, 0, clockStep, environment);
    const { port } = daemon;
    const address = `http://127.0.0.1:${port}`;
    const kill = async (signal: NodeJS.Signals) => {
      daemon.process.kill(signal);
      await ended(daemon.process);
    };
    const start = async () => {
      daemon = await startDaemon(root, port, clockStep, environment);
    };
    const restart = async (signal: NodeJS.Signals = 'SIGTERM') => {
      await kill(signal);
      await start();
    };
    const api: Project['api'] = async (method, path, body, headers = {}) => {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const value = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(value)}`);
      return value as never;
    };
    const token = async (member: string) => (await api<MemberDetail>('GET', `/team/${member}`)).token ?? '';
    const caller = async (member: string) => ({
      authorization: `Bearer ${await token(member)}`,
      'user-agent': 'harbour-clock/2.1',
    });
    const ask: Project['ask'] = async (member, text, more = {}) =>
      api('POST', `/team/${member}/ask`, { text, ...more }, await caller(member));
    await use({
      root,
      address,
      port,
      write,
      read: (path) => readFileSync(join(root, path), 'utf8'),
      git,
      token,
      ask,
      answer: async (member, text, more = {}) => {
        const { poll } = await ask(member, text, more);
        return api('GET', `${poll}?wait=30`, undefined, await caller(member));
      },
      kill,
      start,
      restart,
      passTime: () => void daemon.process.kill('SIGUSR2'),
      commandLine: COMMAND_LINE,
      meshd: async (...args) =>
        (
          await run(process.execPath, [COMMAND_LINE, ...args], {
            cwd: root,
            env: { ...process.env, XDG_STATE_HOME: state },
          })
        ).stdout,
      holdAnswers: () => {
        heldGit.hold();
        return restart();
      },
      releaseAnswers: () => heldGit.release(),
      api,
    });
    heldGit.release();
    await kill('SIGTERM');
    heldGit.close();
    for (const folder of [made, state]) rmSync(folder, { recursive: true, force: true });
  },

  /** Requests to other hosts, policy violations and uncaught errors of pages. Must stay empty in every test. */
  foreignRequests: [
    async ({ browser, context }, use) => {
      const found: string[] = [];
      await watch(context, found);
      const watchAnother = (another: BrowserContext) => void watch(another, found).catch(() => undefined); // Closed at once.
      browser.on('context', watchAnother);
      await use(found);
      browser.off('context', watchAnother);
      expect(found).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect, type Locator };

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that depend on colours, which is all that another theme can change. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Waits until no CSS transition is running. */
const settled = (page: Page) =>
  page.evaluate(async () => {
    while (document.getAnimations().some((one) => one instanceof CSSTransition))
      await new Promise(requestAnimationFrame);
  });

/** Expects no violation of WCAG 2.2 AA in both themes; only in the elements matching `within`, if given. */
export async function expectAccessible(page: Page, { within }: { within?: string } = {}): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await settled(page);
    const rules =
      theme === 'light' ? { type: 'tag' as const, values: RULES } : { type: 'rule' as const, values: COLOURS };
    const found = (await findViolations(page, rules, within)).map((one) => `${theme} ${one}`);
    // A soft expectation, so that one finding hides no other.
    expect.soft(found).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** Opens a page of the dashboard and waits until its event stream is connected. */
export async function open(page: Page, project: Project, path = ''): Promise<void> {
  await page.goto(`${project.address}/app${path}`);
  await expectLive(page);
}

/** Waits until nothing on the page is loading. */
export async function expectDrawn(page: Page): Promise<void> {
  await expect(page.locator('main [class*=skeleton]')).toHaveCount(0);
}

export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: /^Live$/ })).toBeVisible();
}

/** Presses Tab until `target` has the focus, which proves that it is reachable by keyboard. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}.`);
}
