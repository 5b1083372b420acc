import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from '@playwright/test';
import { chromiumLaunch } from '../../e2e/chromium.js';
import type { Drill } from './drill.js';

/** Whether Chromium is here; says that `what` is not run where it is not. */
export function hasChromium(drill: Drill, what: string): boolean {
  if (existsSync(chromiumLaunch.executablePath ?? chromium.executablePath())) return true;
  drill.notRun(what, 'Chromium is not installed: npx playwright install chromium');
  return false;
}

/** The profile of a browser: what pages store outlives the browser, and is removed with the drill. */
export class Profile {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-drill-profile-'));
  private context: BrowserContext | undefined;

  constructor(drill: Drill) {
    drill.atEnd(async () => {
      await this.close();
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  /** Starts a browser on it. */
  async open(): Promise<BrowserContext> {
    this.context = await chromium.launchPersistentContext(this.folder, chromiumLaunch);
    return this.context;
  }

  async close(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
  }
}

/** A program that serves pages of its own; `end` lets go of its port. Rejects where the address cannot be listened on. */
export async function serve(host: string, port: number, answer: RequestListener) {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: host.includes(':') }, resolve);
  });
  const end = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, end };
}
