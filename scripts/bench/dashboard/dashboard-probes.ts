import type { Page } from '@playwright/test';

/** The measurements that the page keeps for the bench on its `window`. */
interface Probes {
  interactiveMs?: number;
  interactions: Map<number, number>;
  isCounting: boolean;
  deltas: number[];
  lateMs: number[];
}
type Probed = { probes: Probes };

/**
 * Makes every document of `page` record its interactions and the time at which the home page is rendered and usable.
 */
export async function probe(page: Page): Promise<void> {
  // Code compiled by tsx calls this for each named function.
  await page.addInitScript('globalThis.__name = (named) => named');
  await page.addInitScript(() => {
    const probes: Probes = { interactions: new Map(), isCounting: false, deltas: [], lateMs: [] };
    Object.assign(window, { probes });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
        const { interactionId: id, duration } = entry;
        if (id) probes.interactions.set(id, Math.max(duration, probes.interactions.get(id) ?? 0));
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
    const drawn = new MessageChannel();
    // A message posted in a frame is received when that frame is rendered and the page has nothing more urgent to do.
    drawn.port1.onmessage = () => {
      probes.interactiveMs ??= performance.now();
    };
    const look = () => {
      if (document.querySelector('#needs-you h2')) drawn.port2.postMessage(0);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** Returns the milliseconds from the start of the navigation to the first contentful paint. */
export const firstPaintMs = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => {
          const [paint] = list.getEntriesByName('first-contentful-paint');
          if (paint) resolve(paint.startTime);
        }).observe({ type: 'paint', buffered: true }),
      ),
  );

/** Returns the milliseconds until the home page is rendered and the page is idle. */
export async function interactiveMs(page: Page): Promise<number> {
  const ms = await page.waitForFunction(() => (window as unknown as Probed).probes.interactiveMs);
  return (await ms.jsonValue()) as number;
}

/** Runs `work` and returns the milliseconds between consecutive frames while it ran. */
export async function measureFrames(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const { probes } = window as unknown as Probed;
    probes.deltas = [];
    probes.isCounting = true;
    let last: number | undefined;
    const count = (now: number) => {
      if (last !== undefined) probes.deltas.push(now - last);
      last = now;
      if (probes.isCounting) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  await work();
  return page.evaluate(() => {
    const { probes } = window as unknown as Probed;
    probes.isCounting = false;
    return probes.deltas;
  });
}

/**
 * Runs `work`, which makes `count` interactions, and returns the milliseconds from each to its next paint. Interactions
 * below the threshold of the event timing API (16 ms) are counted as 16 ms.
 */
export async function measureInteractions(page: Page, count: number, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => (window as unknown as Probed).probes.interactions.clear());
  await work();
  // The entries arrive after the next frame was rendered.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100)))),
  );
  const slow = await page.evaluate(() => [...(window as unknown as Probed).probes.interactions.values()]);
  return [...slow, ...Array.from({ length: Math.max(0, count - slow.length) }, () => 16)];
}

/**
 * Makes the page record how late each text `at<milliseconds since 1970>` is rendered, wherever in `within` it appears.
 */
export const watchStamps = (page: Page, within: string) =>
  page.evaluate((place) => {
    const { probes } = window as unknown as Probed;
    const seen = new Set<string>();
    const due: number[] = [];
    const drawn = new MessageChannel();
    let isInFrame = false;
    drawn.port1.onmessage = () => {
      isInFrame = false;
      const now = Date.now();
      for (const stamp of due.splice(0)) probes.lateMs.push(now - stamp);
    };
    // A message posted in a frame is received when that frame is rendered. A change made in a frame is rendered with
    // it, a change made outside of a frame with the next.
    const beginFrame = () => {
      isInFrame = true;
      drawn.port2.postMessage(0);
    };
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (run) =>
      request((now) => {
        if (!isInFrame) beginFrame();
        run(now);
      });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          for (const [, stamp] of node.textContent?.matchAll(/at(1[78]\d{11})\b/g) ?? []) {
            if (stamp === undefined || seen.has(stamp)) continue;
            seen.add(stamp);
            due.push(Number(stamp));
            if (!isInFrame) request(beginFrame);
          }
        }
      }
    }).observe(document.querySelector(place) ?? document.body, { subtree: true, childList: true });
  }, within);

export const lateMs = (page: Page) => page.evaluate(() => (window as unknown as Probed).probes.lateMs);

/** Returns the heap size of the page after garbage collection, in MB. */
export async function heapMb(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  for (let time = 0; time < 3; time += 1) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  await cdp.detach();
  return usedSize / 1e6;
}
