import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from '@playwright/test';
import { chromiumLaunch } from '../../e2e/chromium.js';
import type { Drill } from './drill.js';

/** Returns whether Chromium is installed. Otherwise records `what` as not run. */
export function hasChromium(drill: Drill, what: string): boolean {
  if (existsSync(chromiumLaunch.executablePath ?? chromium.executablePath())) return true;
  drill.notRun(what, 'Chromium is not installed: npx playwright install chromium');
  return false;
}

/** A browser profile. What pages store outlives the browser and is removed at the end of the drill. */
export class Profile {
  private readonly folder = mkdtempSync(join(tmpdir(), 'meshd-drill-profile-'));
  private context: BrowserContext | undefined;

  constructor(drill: Drill) {
    drill.atEnd(async () => {
      await this.close();
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  /** Starts a browser with the profile. */
  async open(): Promise<BrowserContext> {
    this.context = await chromium.launchPersistentContext(this.folder, chromiumLaunch);
    return this.context;
  }

  async close(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
  }
}

/**
 * Starts a server with the given listener. `end` closes it and releases its port. Rejects when the address cannot be
 * bound.
 */
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
