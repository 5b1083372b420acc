/**
 * The clock of the machine jumps while the daemon runs: 25 hours ahead, back again, ten years ahead, and over the
 * change to summer time. What expires by the clock is gone and stays gone after the clock is set back. No signature is
 * accepted twice. Timed work is not affected: connections stay open, the event socket sends heartbeats, and uptime only
 * grows. Needs libfaketime; Linux only. Takes forty seconds.
 *
 * `npx tsx scripts/hard/loss/clock-jumps.ts`
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Post, PostList } from '../../../daemon/contract/boards.js';
import { EVENT_HEARTBEAT_SECONDS } from '../../../daemon/contract/limits.js';
import type { RegistryRecord, RegistryRegistration } from '../../../daemon/contract/network/registry.js';
import type { Health } from '../../../daemon/contract/system.js';
import { SigningKey } from '../../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../../daemon/lib/crypto/mesh-sig.js';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import { type BoardsCluster, clusterWithBoards } from '../load/boards.js';
import type { DrillProject } from '../project.js';
import { WallLine } from '../wall-line.js';

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'].map(
  (folder) => `${folder}/faketime/libfaketimeMT.so.1`,
);
const HOUR = 3_600;
const DAY_AND_HOUR = 25 * HOUR;
const TEN_YEARS = 10 * 365 * 24 * HOUR;
const LIMIT_MS = 10_000;
/** Two seconds before summer time begins in Berlin. */
const BEFORE_SUMMER_TIME = '@2026-03-29 01:59:58';

/** A daemon whose clock offset is read from a file. */
class ShiftedDaemon {
  private constructor(
    private readonly project: DrillProject,
    readonly daemon: DaemonProcess,
  ) {}

  static async start(drill: Drill, library: string, offset: string): Promise<ShiftedDaemon> {
    const project = drill.project();
    project.put('offset', offset);
    const daemon = await project.start({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: join(project.root, 'offset'),
      FAKETIME_NO_CACHE: '1',
      // Timers use the monotonic clock, which does not change when the time is set.
      DONT_FAKE_MONOTONIC: '1',
      TZ: 'Europe/Berlin',
    });
    return new ShiftedDaemon(project, daemon);
  }

  /** Sets the clock to `seconds` from the machine's clock, and waits until the daemon uses it. */
  async set(seconds: number): Promise<void> {
    this.project.put('offset.new', `${seconds < 0 ? '' : '+'}${seconds}`);
    renameSync(join(this.project.root, 'offset.new'), join(this.project.root, 'offset'));
    const isThere = (now: number) => Math.abs(now - (Date.now() + seconds * 1_000)) < HOUR * 500;
    await until(`the clock at ${seconds} s`, LIMIT_MS, () => this.now(), isThere);
  }

  /** Returns the daemon's time, from the `date` header of a response. */
  async now(): Promise<number> {
    const { headers } = await fetch(`${this.daemon.address}/health`);
    return Date.parse(headers.get('date') ?? '');
  }

  health(): Promise<Health> {
    return this.daemon.call('GET', '/health');
  }
}

/** The report that is filed about the agent, signed by its sender. */
const FEEDBACK = { path: '/v1/agents/clockwork/feedback', body: JSON.stringify({ success: true }) };

// A post with a lifetime of a day is live again after the clock is set back, unless it was purged meanwhile. A deleted
// post never is.
const isKept = (found: unknown) => ['for ever,written ahead', 'a day,for ever,written ahead'].includes(String(found));

const createPost = (daemon: DaemonProcess, { path, admin }: BoardsCluster, title: string, ttl: string) =>
  daemon.call<Post>('POST', `${path}/boards/jobs/posts?agent=ada`, { title, body: 'x', ttl }, admin);

/** Returns the headers of the report about the agent with a new key, signed at the daemon's time. */
const signReport = async (shifted: ShiftedDaemon) => ({
  'mesh-sig': signMeshSig(new SigningKey(SigningKey.newSeed()), { method: 'POST', ...FEEDBACK }, await shifted.now()),
});

/** Records of a daemon that expire by the clock: posts, the presence and token of an agent, and a signature. */
class Expiring {
  private constructor(
    readonly shifted: ShiftedDaemon,
    readonly cluster: BoardsCluster,
    /** Headers with the agent's token. */
    readonly me: Record<string, string>,
    /** Headers with the signature that is sent again after each jump. */
    readonly used: Record<string, string>,
  ) {}

  static async create(shifted: ShiftedDaemon): Promise<Expiring> {
    const { daemon } = shifted;
    const cluster = await clusterWithBoards(daemon, ['jobs']);
    await createPost(daemon, cluster, 'a day', '24h');
    await createPost(daemon, cluster, 'for ever', 'forever');
    const { token } = await daemon.call<RegistryRegistration>('POST', '/v1/agents/register', {
      agent_id: 'clockwork',
      description: 'Tells the time.',
    });
    return new Expiring(shifted, cluster, { authorization: `Bearer ${token}` }, await signReport(shifted));
  }

  async status(...request: [string, string, unknown?, Record<string, string>?]): Promise<number | undefined> {
    return (await callHttp(this.shifted.daemon.address, ...request))?.status;
  }

  report(signature: Record<string, string>): Promise<number | undefined> {
    return this.status('POST', FEEDBACK.path, FEEDBACK.body, signature);
  }

  async reportAnew(): Promise<number | undefined> {
    return this.report(await signReport(this.shifted));
  }

  async titles(): Promise<string> {
    const { path, admin } = this.cluster;
    const { posts } = await this.shifted.daemon.call<PostList>('GET', `${path}/boards/jobs/posts`, undefined, admin);
    return String(posts.map(({ title }) => title).sort());
  }

  async isOnline(agent = 'clockwork'): Promise<boolean> {
    return (await this.shifted.daemon.call<RegistryRecord>('GET', `/v1/agents/${agent}`)).live;
  }

  /** Creates two posts and deletes one of them. */
  async writeAhead(): Promise<void> {
    const { daemon } = this.shifted;
    const { path, admin } = this.cluster;
    await createPost(daemon, this.cluster, 'written ahead', 'forever');
    const { id } = await createPost(daemon, this.cluster, 'deleted ahead', 'forever');
    await daemon.call('DELETE', `${path}/boards/jobs/posts/${id}?agent=ada`, undefined, admin);
  }
}

async function beforeJumps(drill: Drill, expiring: Expiring): Promise<void> {
  await expiring.status('POST', '/v1/agents/me/heartbeat', {}, expiring.me);
  const before = [await expiring.isOnline(), await expiring.titles(), await expiring.report(expiring.used)];
  drill.holds('before', String(before), String(before) === String([true, 'a day,for ever', 200]));
}

async function aDayAhead(drill: Drill, expiring: Expiring): Promise<void> {
  await expiring.shifted.set(DAY_AND_HOUR);
  const ahead = [
    await expiring.isOnline(),
    await expiring.titles(),
    await expiring.status('PATCH', '/v1/agents/me', { description: 'x' }, expiring.me),
    await expiring.report(expiring.used),
  ];
  drill.holds(
    'a day and an hour ahead',
    `online, posts, token, signature: ${ahead.join(' | ')}`,
    String(ahead) === String([false, 'for ever', 401, 401]),
  );
}

/** Returns the titles of the posts that exist once the clock is set back. */
async function backAgain(drill: Drill, expiring: Expiring): Promise<string> {
  await expiring.shifted.set(0);
  const titles = await expiring.titles();
  const back = [titles, await expiring.report(expiring.used), await expiring.reportAnew()];
  drill.holds(
    'back again',
    `posts, the old signature, a new one: ${back.join(' | ')}`,
    isKept(back[0]) && back[1] === 401 && back[2] === 200,
  );
  return titles;
}

async function aDayBack(drill: Drill, expiring: Expiring, titles: string): Promise<void> {
  await expiring.shifted.set(-DAY_AND_HOUR);
  const fresh = await expiring.shifted.daemon.call<RegistryRegistration>('POST', '/v1/agents/register', {
    agent_id: 'earlybird',
    description: 'Up early.',
  });
  await expiring.status('POST', '/v1/agents/me/heartbeat', {}, { authorization: `Bearer ${fresh.token}` });
  const earlier = [
    await expiring.isOnline(),
    await expiring.isOnline('earlybird'),
    await expiring.titles(),
    await expiring.report(expiring.used),
    await expiring.reportAnew(),
  ];
  drill.holds(
    'a day and an hour back',
    `who was seen later online, who was seen now, posts, the old signature, a new one: ${earlier.join(' | ')}`,
    String(earlier) === String([false, true, titles, 401, 200]),
  );
}

async function tenYearsAhead(drill: Drill, expiring: Expiring): Promise<void> {
  await expiring.shifted.set(TEN_YEARS);
  const late = [
    await expiring.isOnline(),
    await expiring.titles(),
    await expiring.status('POST', '/v1/clusters', {}),
    (await expiring.shifted.health()).ok,
  ];
  drill.holds(
    'ten years ahead',
    `online, posts, a cluster, the store: ${late.join(' | ')}`,
    String(late) === String([false, 'for ever,written ahead', 201, true]),
  );
}

async function jumps(drill: Drill, library: string): Promise<void> {
  const shifted = await ShiftedDaemon.start(drill, library, '+0');
  const expiring = await Expiring.create(shifted);
  await beforeJumps(drill, expiring);

  const { port, pathname, search } = new URL(expiring.cluster.made.ws as string);
  const line = await WallLine.open(Number(port), `${pathname}${search}&agent=ada`);
  const feed = await EventFeed.open(shifted.daemon);
  const uptimes = [(await shifted.health()).uptime_seconds];
  const beats = () => feed.frames.filter(({ type }) => type === 'heartbeat').length;

  await aDayAhead(drill, expiring);
  uptimes.push((await shifted.health()).uptime_seconds);
  await expiring.writeAhead();
  const titles = await backAgain(drill, expiring);
  uptimes.push((await shifted.health()).uptime_seconds);
  await aDayBack(drill, expiring, titles);
  await tenYearsAhead(drill, expiring);
  uptimes.push((await shifted.health()).uptime_seconds);

  const beatsWere = beats();
  await until(
    'the next beat of the event socket',
    (EVENT_HEARTBEAT_SECONDS + 5) * 1_000,
    beats,
    (count) => count > beatsWere,
  );
  const isUpright = uptimes.every((uptime, at) => uptime >= (uptimes[at - 1] ?? 0) && uptime < 600);
  drill.holds(
    'what is timed',
    `uptime ${uptimes.join(', ')} s; the line ${line.isGone ? 'is gone' : 'stays'}`,
    isUpright && !line.isGone,
  );
  line.cut();
  feed.close();
}

/** Runs a daemon in the Berlin time zone over the night in which the hour from two to three does not exist. */
async function summerTime(drill: Drill, library: string): Promise<void> {
  const shifted = await ShiftedDaemon.start(drill, library, BEFORE_SUMMER_TIME);
  const times: number[] = [];
  await until(
    'the change',
    LIMIT_MS,
    async () => {
      const { created_at } = await shifted.daemon.call<{ created_at: string }>('POST', '/conversations', {
        member: 'developer',
        client: 'builtin',
      });
      times.push(Date.parse(created_at));
      return times;
    },
    ([first = 0, ...more]) => (more.at(-1) ?? 0) - first > 4_000,
  );
  const steps = times.slice(1).map((time, at) => time - (times[at] as number));
  drill.holds(
    'into summer time',
    `steps of ${Math.min(...steps)} to ${Math.max(...steps)} ms between records`,
    steps.every((step) => step >= 0 && step < 2_000),
  );
}

await runDrill('clock-jumps', async (drill) => {
  if (!isLinux(drill, 'libfaketime sets the clock')) return;
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) return drill.notRun('everything', 'libfaketime is not installed');
  await jumps(drill, library);
  await summerTime(drill, library);
});
