import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ROWS_PER_COMMAND } from '../../../../daemon/features/network/snapshots/snapshot-schedule.js';
import { machine } from '../../../bench/measure.js';
import { writeResults } from '../../../results-page.js';

const PAGE = fileURLToPath(new URL('./WEEK.md', import.meta.url));
/** The network for which the page calculates. */
const DAEMONS = 1_000;
const AGENTS = 100_000;
/** Seconds between two notes of each daemon, for each of both directories, about which of its agents were seen. */
const SEEN_SECONDS = 60;
/** Other changes of each agent in an hour: messages, posts, cards. */
const CHANGES_PER_HOUR = 5;
/** Commands after which a small snapshot is made. The stream keeps what came since the last but one. */
const SNAPSHOT_EVERY = 10_000;

/** What a run measured. */
interface WeekFigures {
  daemons: number;
  agents: number;
  clusters: number;
  hours: number;
  commands: number;
  /** Processor time of one daemon for one command. */
  cpuMs: number;
  memoryMb: number;
  p99Ms: number;
  lagMs: number;
  returned: { ms: number; missed: number; isBySnapshot: boolean };
  joinedMs: number;
  /** Rows of a snapshot. */
  rows: number;
  grown: readonly { hour: number; last: number; messages: number; bytes: number; snapshotBytes: number }[];
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const inMb = (bytes: number) => (bytes / 1e6).toFixed(1);
const row = (...cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

function measured(figures: WeekFigures): string[] {
  const { daemons, agents, clusters, hours, commands, returned } = figures;
  const by = returned.isBySnapshot ? 'a snapshot' : 'the stream';
  return [
    `${daemons} daemons, ${whole(agents)} agents, ${clusters} clusters, ${hours} simulated hours, ` +
      `${whole(commands)} commands. ${machine()}, load ${whole(loadavg()[0] ?? 0)} at the end, ` +
      `${new Date().toISOString().slice(0, 10)}.`,
    '',
    row('measured', 'value'),
    row('---', '---'),
    row('processor time of one daemon for one command', `${figures.cpuMs.toFixed(2)} ms`),
    row('memory of the processes, for each daemon', `${figures.memoryMb.toFixed(1)} MB`),
    row('p99 of a change, sent until applied', `${whole(figures.p99Ms)} ms`),
    row('the last daemon behind the last change', `${whole(figures.lagMs)} ms`),
    row(`a day away: ${whole(returned.missed)} commands, caught up by ${by}`, `${whole(returned.ms)} ms`),
    row('a new daemon joins', `${whole(figures.joinedMs)} ms`),
    '',
    row('after', 'commands so far', 'kept in the stream', 'of', 'snapshots kept'),
    row('---', '---', '---', '---', '---'),
    ...figures.grown.map(({ hour, last, messages, bytes, snapshotBytes }) =>
      row(`${hour} h`, whole(last), whole(messages), `${inMb(bytes)} MB`, `${inMb(snapshotBytes)} MB`),
    ),
  ];
}

function calculated({ agents, cpuMs, memoryMb, rows, grown }: WeekFigures): string[] {
  const newest = grown.at(-1);
  const commandBytes = newest && newest.messages > 0 ? newest.bytes / newest.messages : 0;
  // The server keeps the newest two.
  const snapshotMb = (((newest?.snapshotBytes ?? 0) / 2 / agents) * AGENTS) / 1e6;
  const perSecond = (2 * DAEMONS) / SEEN_SECONDS + (AGENTS * CHANGES_PER_HOUR) / 3_600;
  const snapshotEvery = Math.max(SNAPSHOT_EVERY, ((rows / agents) * AGENTS) / ROWS_PER_COMMAND);
  const snapshotSeconds = snapshotEvery / perSecond;
  return [
    row(`${whole(DAEMONS)} daemons with ${whole(AGENTS)} agents`, 'how', 'value'),
    row('---', '---', '---'),
    row(
      'commands',
      `two notes of who was seen each ${SEEN_SECONDS} s of every daemon, ${CHANGES_PER_HOUR} changes an hour of every agent`,
      `${whole(perSecond)}/s`,
    ),
    row('each daemon applies them', `times ${cpuMs.toFixed(2)} ms`, `${whole(perSecond * cpuMs * 0.1)} % of a core`),
    row(
      'the server sends to all',
      `times ${whole(commandBytes)} B`,
      `${whole((perSecond * commandBytes * DAEMONS) / 1e6)} MB/s`,
    ),
    row('one snapshot', 'by the number of agents', `${whole(snapshotMb)} MB`),
    row(
      'a snapshot is made',
      `every ${whole(snapshotEvery)} commands, by its rows`,
      `every ${whole(snapshotSeconds)} s`,
    ),
    row('for that, the server takes', 'one after the other', `${(snapshotMb / snapshotSeconds).toFixed(1)} MB/s`),
    row('the stream keeps', 'since the last but one', `${inMb(2 * snapshotEvery * commandBytes)} MB`),
    row('connections', 'two of each daemon', whole(2 * DAEMONS)),
    row('memory of each daemon', 'as measured; rows are in its file', `${memoryMb.toFixed(1)} MB`),
  ];
}

/** Writes the figures of a run, and what follows from them for a thousand daemons, to WEEK.md. */
export const writeWeek = (figures: WeekFigures): void =>
  writeResults(PAGE, [...measured(figures), '', ...calculated(figures)].join('\n'));
