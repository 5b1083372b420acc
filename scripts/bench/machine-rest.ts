import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstPaintMs } from './dashboard-probes.js';
import type { DashboardWorld } from './dashboard-world.js';
import { median } from './measure.js';

const LOADS = 3;
/** What a bare page's first paint takes at most on a machine that does nothing else. */
const BARE_MS = 80;
/** From so much of the processors' time on that a virtual machine was kept waiting for, it was not its own. */
const STOLEN_SHARE = 0.02;

/** A page with a heading and no more, served as barely as can be: what a paint costs on this machine at this moment. */
export async function barePage(): Promise<{ address: string; close: () => void }> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Harbour</h1>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** Milliseconds to the first paint of the bare page at `address`, in a tab of its own in the browser of `world`. */
export async function barePaintMs(world: DashboardWorld, address: string): Promise<number> {
  const page = await world.newPage();
  await page.goto(address);
  const ms = await firstPaintMs(page);
  await page.close();
  return ms;
}

/** What `barePaintMs` comes to in a few rounds, the first one of a browser left out. */
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

/** Ticks of all processors so far, and those of them in which a virtual machine was ready and did not run; none where the kernel does not tell. */
function processorTicks(): { all: number; stolen: number } {
  try {
    const [, ...ticks] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).split(/\s+/).map(Number);
    // Guests' time stands in that of the users too.
    return { all: ticks.slice(0, 8).reduce((sum, count) => sum + count, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}

/** Runs `work` and says why its times tell nothing, where the machine had something else to do meanwhile. */
export async function watched<T>(
  world: DashboardWorld,
  work: () => Promise<T>,
): Promise<{ result: T; disturbance: string | undefined }> {
  const [before, ticksBefore] = [await bareMs(world), processorTicks()];
  const result = await work();
  const [ticksAfter, after] = [processorTicks(), await bareMs(world)];
  const stolen = (ticksAfter.stolen - ticksBefore.stolen) / Math.max(1, ticksAfter.all - ticksBefore.all);
  const slowest = Math.max(before, after);
  if (stolen > STOLEN_SHARE)
    return { result, disturbance: `other machines took ${(100 * stolen).toFixed(0)} % of its processors` };
  if (slowest > BARE_MS)
    return {
      result,
      disturbance: `a bare page took ${Math.round(slowest)} ms to be painted, at rest at most ${BARE_MS}`,
    };
  return { result, disturbance: undefined };
}
