/**
 * Members and readers of events whose process is stopped: their connections stay open, but they do not respond. Each
 * must be detected as gone within a minute, reported to the others as offline, and its connection closed. Takes seventy
 * seconds. Linux only.
 *
 * `npx tsx scripts/hard/load/half-open.ts [--sockets 200]`
 */
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { isLinux, runDrill, until } from '../drill.js';
import { WallLine } from '../wall-line.js';

const LIMIT_MS = 60_000;
const SHARES = { members: 0.8, readers: 0.2 };

/** Seconds until the event, or NaN when it did not happen in time. */
interface Gone {
  offlineAfter: number;
  freedAfter: number;
}

/** Waits until every member but the watcher is reported as offline and no more than `before` sockets are open. */
async function waitUntilGone(
  online: ReadonlySet<string>,
  sockets: () => number,
  before: number,
  seconds: () => number,
): Promise<Gone> {
  const gone: Gone = { offlineAfter: Number.NaN, freedAfter: Number.NaN };
  await until(
    'everybody seen to be gone',
    LIMIT_MS * 2,
    () => {
      if (Number.isNaN(gone.offlineAfter) && [...online].every((agent) => agent === 'watcher'))
        gone.offlineAfter = seconds();
      if (Number.isNaN(gone.freedAfter) && sockets() <= before) gone.freedAfter = seconds();
      return gone.offlineAfter + gone.freedAfter;
    },
    (sum) => !Number.isNaN(sum),
  ).catch(() => undefined);
  return gone;
}

await runDrill('half-open', async (drill) => {
  if (!isLinux(drill, 'open connections are counted in /proc')) return;
  const daemon = await drill.project().start();
  const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const { port, pathname, search } = new URL(ws as string);
  const sockets = () => daemon.openSockets();
  const online = new Set<string>();
  const watcher = await WallLine.open(Number(port), `${pathname}${search}&agent=watcher`, (text) => {
    const frame = JSON.parse(text.toString()) as { kind: string; agent?: string; status?: string };
    if (frame.kind !== 'presence' || frame.agent === undefined) return;
    if (frame.status === 'offline') online.delete(frame.agent);
    else online.add(frame.agent);
  });
  const before = sockets();
  const [members, readers] = [SHARES.members, SHARES.readers].map((share) =>
    Math.round(drill.bound('sockets') * share),
  ) as [number, number];
  const peer = await drill.helper('load/half-open-peer.ts', [
    port,
    `${pathname}${search}&agent=`,
    String(members),
    String(readers),
  ]);
  await until(
    'everybody there',
    LIMIT_MS,
    () => online.size,
    (count) => count >= members,
  );
  const held = sockets() - before;
  peer.kill('SIGSTOP');
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  const { offlineAfter, freedAfter } = await waitUntilGone(online, sockets, before, seconds);
  const all = `of ${members} members and ${readers} readers of events, ${held} connections`;
  const sawAll = (at: number) => (Number.isNaN(at) ? seconds() : at);
  drill.measure({
    measure: 'the last of them is told to be offline after',
    value: sawAll(offlineAfter),
    unit: 's',
    atMost: LIMIT_MS / 1_000,
    said: all,
  });
  drill.measure({
    measure: 'the last connection is let go after',
    value: sawAll(freedAfter),
    unit: 's',
    atMost: LIMIT_MS / 1_000,
  });
  drill.measure({
    measure: 'connections still held',
    value: Math.max(0, sockets() - before),
    unit: 'connections',
    exactly: 0,
  });
  watcher.cut();
});
