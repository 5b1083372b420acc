import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from '../measure.js';
import { firstPaintMs } from './dashboard-probes.js';
import type { DashboardWorld } from './dashboard-world.js';

const LOADS = 3;
/** First paint of a bare page on the machine that the budgets are written for. */
const REFERENCE_BARE_MS = 40;
/** Maximum time of a bare page's first paint on a machine that does nothing else. */
const BARE_MS = 80;
/** From this share of stolen processor time on, the virtual machine is considered disturbed by others. */
const STOLEN_SHARE = 0.02;

/** Serves a page with only a heading by a minimal server: the cost of a paint on this machine at this moment. */
export async function barePage(): Promise<{ address: string; close: () => void }> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Harbour</h1>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/**
 * Returns the milliseconds to the first paint of the bare page at `address`, in a new tab of the browser of `world`.
 */
export async function barePaintMs(world: DashboardWorld, address: string): Promise<number> {
  const page = await world.newPage();
  await page.goto(address);
  const ms = await firstPaintMs(page);
  await page.close();
  return ms;
}

/** Returns the median of `barePaintMs` over a few rounds, without the first one. */
async function bareMs(world: DashboardWorld): Promise<number> {
  const bare = await barePage();
  try {
    const took: number[] = [];
    for (let load = -1; load < LOADS; load += 1) {
      const ms = await barePaintMs(world, bare.address);
      if (load >= 0) took.push(ms);
    }
    return median(took);
  } finally {
    bare.close();
  }
}

/**
 * Returns the ticks of all processors so far, and the stolen ones, in which a virtual machine was ready but did not
 * run; zeros if the kernel does not report them.
 */
function processorTicks(): { all: number; stolen: number } {
  try {
    const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).split(/\s+/).map(Number);
    // The time of guests is already included in the time of users.
    return { all: ticks.slice(0, 8).reduce((sum, count) => sum + count, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}

/**
 * Runs `work`. Returns a reason in `disturbance` if the machine was busy with something else, so that the times are not
 * meaningful. `slowness` is how many times longer a bare page took than on the machine of the budgets, at least 1: the
 * shorter of the times before and after the work.
 */
export async function watched<T>(
  world: DashboardWorld,
  work: () => Promise<T>,
): Promise<{ result: T; slowness: number; disturbance: string | undefined }> {
  const [before, ticksBefore] = [await bareMs(world), processorTicks()];
  const result = await work();
  const [ticksAfter, after] = [processorTicks(), await bareMs(world)];
  const stolen = (ticksAfter.stolen - ticksBefore.stolen) / Math.max(1, ticksAfter.all - ticksBefore.all);
  const slowness = Math.max(1, Math.min(before, after) / REFERENCE_BARE_MS);
  const slowest = Math.max(before, after);
  let disturbance: string | undefined;
  if (stolen > STOLEN_SHARE) disturbance = `other machines took ${(100 * stolen).toFixed(0)} % of its processors`;
  else if (slowest > BARE_MS)
    disturbance = `a bare page took ${Math.round(slowest)} ms to be painted, at rest at most ${BARE_MS}`;
  return { result, slowness, disturbance };
}
