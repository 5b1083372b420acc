/**
 * A week of a team, simulated: daemons in a few processes follow one network on one NATS server. Their agents give
 * signs of life, write messages and posts, change and leave, as a clock is moved hour by hour. One daemon is away for a
 * day and one joins at the end. Measured are memory, processor time, lag, catching up, and what the server keeps. With
 * `--write 1` the figures and what a thousand daemons would need are written to WEEK.md.
 *
 * What each daemon runs is its network: store, connections, presence, snapshots and the deciders of every shared table,
 * without HTTP. Where nats-server is not installed, the drill is reported as not run.
 *
 * `npx tsx scripts/hard/network/network-week.ts [--tier long] [--daemons 50] [--hours 168] [--write 1]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ROWS_PER_COMMAND } from '../../../daemon/features/network/snapshots/snapshot-schedule.js';
import { hasNatsServer, NatsServers } from '../../../daemon/testing/processes/nats-server.js';
import { quantile } from '../../bench/measure.js';
import { type Drill, receive, runDrill } from '../drill.js';
import type { Asked, Figures } from './week/week-messages.js';
import { writeWeek } from './week/week-page.js';

const HOUR_MS = 3_600_000;
const AWAY_HOURS = 24;
const STREAM = 'MESHD_week';
const BUCKET = 'OBJ_MESHD_week';
/** Bounds: of a change, of all daemons following, of catching up, and of each daemon’s share of its process. */
const LAG_MS = 5_000;
const CATCH_UP_MS = 60_000;
const MEMORY_MB = 100;
/** Messages between two snapshots that are small; twice those and those of a day are kept. */
const SNAPSHOT_EVERY = 10_000;

/** What a daemon warns of whose machine is busy with something else. */
const SLOW = /: heartbeats missed$|: the servers did not answer a request for changes$|has not received it yet\.$/;

type Helper = Awaited<ReturnType<Drill['helper']>>;

/** The processes with the daemons of one network. The last daemon has not joined it yet. */
class Week {
  lagMs = 0;
  private readonly helpers: Helper[] = [];

  private constructor(
    readonly drill: Drill,
    readonly servers: NatsServers,
    readonly daemons: number,
    private readonly manager: Awaited<ReturnType<typeof jetstreamManager>>,
  ) {}

  static async start(drill: Drill): Promise<Week> {
    const servers = await NatsServers.start(1);
    const folder = mkdtempSync(join(tmpdir(), 'meshd-week-'));
    const connection = await connect({ servers: servers.url.replace('nats://', '') });
    drill.atEnd(async () => {
      await connection.close();
      await servers.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const daemons = drill.bound('daemons');
    const week = new Week(drill, servers, daemons, await jetstreamManager(connection, { checkAPI: false }));
    const share = { daemons, agents: drill.bound('agents'), clusters: drill.bound('clusters') };
    const count = drill.bound('processes');
    for (let number = 0; number < count; number += 1) {
      const indexes = Array.from({ length: daemons + 1 }, (_, index) => index).filter((one) => one % count === number);
      const args = [folder, servers.url, indexes.join(','), JSON.stringify(share), String(drill.seed)];
      week.helpers.push(await drill.helper('network/week/week-daemons.ts', args));
    }
    return week;
  }

  async ask<Result = void>(index: number, asked: Asked): Promise<Result> {
    const helper = this.helpers[index % this.helpers.length] as Helper;
    helper.send(asked);
    const { result, error } = await receive<{ result: Result; error?: string }>(helper);
    if (error !== undefined) throw new Error(error);
    return result;
  }

  askAll<Result = void>(asked: Asked): Promise<Result[]> {
    return Promise.all(this.helpers.map((_, index) => this.ask<Result>(index, asked)));
  }

  /** Returns what the server keeps of the commands; the last sequence is that of all there were. */
  async stream() {
    const { state } = await this.manager.streams.info(STREAM);
    const { first_seq: first, last_seq: last, messages, bytes } = state;
    return { first, last, messages, bytes };
  }

  /** The bytes of all snapshots that the server keeps. */
  async snapshotBytes(): Promise<number> {
    return (await this.manager.streams.info(BUCKET)).state.bytes;
  }

  /** Waits until all daemons have applied everything. */
  async settle(): Promise<void> {
    const startedMs = performance.now();
    await this.askAll({ do: 'reach', sequence: (await this.stream()).last });
    this.lagMs = Math.max(this.lagMs, performance.now() - startedMs);
  }
}

interface Grown {
  hour: number;
  last: number;
  messages: number;
  bytes: number;
  snapshotBytes: number;
}

/** Tells the person who waits how far it is: the whole week takes most of an hour. */
const tellProgress = async (week: Week, what: string) =>
  console.error(`${what}: ${(await week.stream()).last} commands, ${Math.round(performance.now() / 1_000)} s`);

/** All daemons but the last one enter, with their agents and clusters. */
async function populate(week: Week, simulatedMs: number): Promise<void> {
  await week.askAll({ do: 'begin', step: { realMs: 0, simulatedMs } });
  for (let index = 0; index < week.daemons; index += 1)
    await week.ask(index, { do: 'enter', index, isNew: index === 0 });
  await tellProgress(week, `${week.daemons} daemons are in the network`);
  await week.askAll({ do: 'populate' });
  await week.settle();
  await tellProgress(week, 'their agents are registered');
}

/** The hours of the week. Returns what the server kept after each day, and how the daemon came back that was away. */
async function live(week: Week, startMs: number) {
  const hours = week.drill.bound('hours');
  const changes = Math.ceil(week.drill.bound('changes') / week.daemons);
  const away = week.daemons - 1;
  const leaves = Math.max(1, Math.floor((hours - AWAY_HOURS) / 2));
  const grown: Grown[] = [];
  let returned = { ms: 0, missed: 0, isBySnapshot: false };
  let leftAt = 0;
  for (let hour = 1; hour <= hours; hour += 1) {
    await week.askAll({ do: 'begin', step: { realMs: Date.now(), simulatedMs: startMs + hour * HOUR_MS } });
    if (hour === leaves) {
      leftAt = (await week.stream()).last;
      await week.ask(away, { do: 'stop', index: away });
    }
    await week.askAll({ do: 'hour', changes });
    await week.settle();
    if (hour === leaves + AWAY_HOURS) {
      const { first, last } = await week.stream();
      const startedMs = performance.now();
      await week.ask(away, { do: 'restart', index: away, sequence: last });
      returned = { ms: performance.now() - startedMs, missed: last - leftAt, isBySnapshot: first > leftAt + 1 };
    }
    const isDay = hour % 24 === 0 || hour === hours;
    if (!isDay) continue;
    await tellProgress(week, `hour ${hour} of ${hours}`);
    grown.push({ hour, ...(await week.stream()), snapshotBytes: await week.snapshotBytes() });
  }
  return { grown, returned };
}

/** A daemon joins that was never there. Returns how long it takes until it has everything. */
async function joinLate(week: Week): Promise<number> {
  const startedMs = performance.now();
  await week.ask(week.daemons, { do: 'enter', index: week.daemons, isNew: false });
  await week.ask(week.daemons, { do: 'reach', sequence: (await week.stream()).last });
  const joinedMs = performance.now() - startedMs;
  await week.settle();
  return joinedMs;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const inMb = (bytes: number) => bytes / 1e6;

/** Records the faults that must not be. */
function judge(drill: Drill, figures: readonly Figures[]): void {
  const all = <Key extends 'failures' | 'warnings' | 'digests'>(key: Key) => figures.flatMap((one) => one[key]);
  const digests = new Set(all('digests'));
  drill.measure({ measure: 'different stores', value: digests.size, unit: '', exactly: 1 });
  drill.none('changes that failed', 'changes', all('failures'));
  drill.measure({ measure: 'commands refused', value: sum(figures.map((one) => one.refused)), unit: '', exactly: 0 });
  const warnings = all('warnings');
  drill.none(
    'warnings of daemons, but that they were slow',
    'warnings',
    warnings.filter((one) => !SLOW.test(one)),
  );
  const unanswered = sum(figures.map((one) => one.unanswered));
  const late = { unit: '', exactly: 0, isTime: true } as const;
  drill.measure({ measure: 'changes without an answer within ten seconds', value: unanswered, ...late });
  const slow = warnings.filter((one) => SLOW.test(one));
  // Why, since a machine that is too small and servers that fell silent look the same in a number.
  const said = [...new Set(slow)].join('; ');
  drill.measure({ measure: 'readers that began again', value: slow.length, ...late, ...(said !== '' && { said }) });
}

await runDrill('network-week', async (drill) => {
  if (!hasNatsServer) {
    drill.notRun('daemons of a network', 'nats-server is not installed: apt-get install nats-server');
    return;
  }
  const startMs = Date.UTC(2026, 5, 1);
  const week = await Week.start(drill);
  await populate(week, startMs);
  const { grown, returned } = await live(week, startMs);
  const joinedMs = await joinLate(week);
  const figures = await week.askAll<Figures>({ do: 'figures' });
  judge(drill, figures);

  const count = week.daemons + 1;
  const { last } = await week.stream();
  const memoryMb = inMb(sum(figures.map(({ bytes }) => bytes))) / count;
  const cpuMs = sum(figures.map((one) => one.cpuMs)) / (last * week.daemons);
  const submitMs = figures.flatMap((one) => one.submitMs);
  const p99Ms = quantile(submitMs, 0.99);
  const most = Math.max(...grown.map(({ messages }) => messages));
  const said = `${last} commands of ${week.daemons} daemons in ${drill.bound('hours')} hours`;
  const time = { unit: 'ms', isTime: true } as const;
  drill.measure({ measure: 'p99 of a change until it is applied', value: p99Ms, atMost: LAG_MS, said, ...time });
  drill.measure({ measure: 'last daemon behind the last change', value: week.lagMs, atMost: LAG_MS, ...time });
  const how = `${returned.missed} commands, by ${returned.isBySnapshot ? 'a snapshot' : 'the stream'}`;
  const back = 'catching up after a day away';
  drill.measure({ measure: back, value: returned.ms, atMost: CATCH_UP_MS, said: how, ...time });
  drill.measure({ measure: 'a new daemon joins', value: joinedMs, atMost: CATCH_UP_MS, ...time });
  const memory = 'memory of the processes, for each daemon';
  drill.measure({ measure: memory, value: memoryMb, unit: 'MB', atMost: MEMORY_MB });
  const rows = Math.max(...figures.map((one) => one.rows));
  const kept = 2 * Math.max(SNAPSHOT_EVERY, rows / ROWS_PER_COMMAND) + 24 * 2 * drill.bound('changes');
  const sizes = grown.map(
    ({ hour, messages, bytes, snapshotBytes }) =>
      `${hour} h: ${messages}, ${inMb(bytes).toFixed(1)} MB, snapshots ${inMb(snapshotBytes).toFixed(1)} MB`,
  );
  const stream = 'messages that the server keeps';
  drill.measure({ measure: stream, value: most, unit: '', atMost: kept, said: sizes.join('; ') });
  if (drill.bound('write') === 1)
    writeWeek({
      ...{ daemons: week.daemons, agents: drill.bound('agents'), clusters: drill.bound('clusters') },
      ...{ hours: drill.bound('hours'), commands: last, cpuMs, memoryMb, p99Ms, lagMs: week.lagMs },
      ...{ returned, joinedMs, grown, rows },
    });
});
