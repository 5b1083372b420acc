import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

const DAEMON = fileURLToPath(new URL('../dist/daemon.js', import.meta.url));

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
  git(...args: string[]): string;
  /** Ends the daemon and starts another on the same port. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  api<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
}

interface Started {
  process: ChildProcess;
  port: number;
}

function startDaemon(root: string, port: number): Promise<Started> {
  return new Promise((resolve, reject) => {
    const child = fork(DAEMON, ['--root', root, '--port', String(port)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.once('message', (message: { type: string; port: number; message?: string }) => {
      if (message.type === 'listening') resolve({ process: child, port: message.port });
      else reject(new Error(message.message));
    });
    child.once('exit', (code) => reject(new Error(`The daemon ended with ${code}.`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => (child.exitCode !== null || child.signalCode !== null ? resolve() : child.once('exit', () => resolve())));
}

/** A real daemon on a free port over a fresh repository, for one test. */
export const test = base.extend<{ project: Project; foreignRequests: string[] }>({
  project: async ({ page: _page }, use) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-e2e-')));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false', ...args], {
        cwd: root,
        encoding: 'utf8',
      });
    for (const [path, text] of Object.entries(PROJECT)) write(path, text);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'Switch the lights');
    let daemon = await startDaemon(root, 0);
    const { port } = daemon;
    const address = `http://127.0.0.1:${port}`;
    const kill = async (signal: NodeJS.Signals) => {
      daemon.process.kill(signal);
      await ended(daemon.process);
    };
    await use({
      root,
      address,
      port,
      write,
      git,
      kill,
      restart: async (signal = 'SIGTERM') => {
        await kill(signal);
        daemon = await startDaemon(root, port);
      },
      api: async (method, path, body, headers = {}) => {
        const response = await fetch(`${address}${path}`, {
          method,
          headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const value = await response.json();
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(value)}`);
        return value as never;
      },
    });
    await kill('SIGTERM');
    rmSync(root, { recursive: true, force: true });
  },

  /** What a page asked of anyone but the daemon, and what its policy had to block: must stay empty. */
  foreignRequests: [
    async ({ page }, use) => {
      const found: string[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (!['127.0.0.1', 'localhost'].includes(url.hostname) && !['data:', 'blob:', 'about:'].includes(url.protocol))
          found.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error' && /content security policy|trusted type/i.test(message.text())) found.push(message.text());
      });
      page.on('pageerror', (error) => found.push(String(error)));
      await use(found);
      expect(found).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** No violation of WCAG 2.2 AA, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze();
    expect(violations.map(({ id, nodes }) => `${theme} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
