/** Some of the daemons of the drill `network-week`, in a process of their own. Does what the parent asks, in turn. */
import '../../ends-with-parent.js';
import '../../../sql-as-text.js';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Dice } from '../../../../daemon/testing/dice.js';
import { WeekClock } from './week-clock.js';
import type { Share } from './week-load.js';
import type { Asked, Figures } from './week-messages.js';

// Imported once `.sql` files can be.
const { simulateServers, WeekDaemon } = await import('./week-daemon.js');
const { WeekLoad } = await import('./week-load.js');
const { countSharedRows } = await import('../../../../daemon/features/network/snapshots/shared-state.js');

const [folder = '', url = '', indexes = '', shareOfAll = '{}', seed = '1'] = process.argv.slice(2);
const share = JSON.parse(shareOfAll) as Omit<Share, 'index'>;
const clock = new WeekClock();
simulateServers(clock);

interface Held {
  daemon: InstanceType<typeof WeekDaemon>;
  load: InstanceType<typeof WeekLoad>;
}
const held = new Map<number, Held>();
/** Those that follow the network now. */
const present = new Set<number>();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Resident memory once garbage is collected. */
function measureMemory(): number {
  collect();
  return process.memoryUsage().rss;
}

function hold(index: number): Held {
  const known = held.get(index);
  if (known) return known;
  const own = join(folder, String(index));
  mkdirSync(own);
  const daemon = new WeekDaemon(own, `daemon-${index}`, clock);
  const load = new WeekLoad(daemon, { ...share, index }, new Dice(Number(seed) + index), () => clock.now());
  held.set(index, { daemon, load });
  return { daemon, load };
}

const all = () => [...held.values()];
const here = () => [...present].map((index) => hold(index));

async function collectFigures(): Promise<Figures> {
  const submitMs = all().flatMap(({ load }) => load.submitMs);
  const { user, system } = process.cpuUsage();
  let refused = 0;
  for (const { daemon } of all()) refused += await daemon.refusedCount();
  return {
    ...{ submitMs, refused },
    cpuMs: (user + system) / 1_000,
    bytes: measureMemory(),
    unanswered: all().reduce((total, { load }) => total + load.unanswered, 0),
    failures: all().flatMap(({ load }) => load.failures),
    warnings: all().flatMap(({ daemon }) => daemon.warnings),
    digests: all().map(({ daemon }) => daemon.digest()),
    rows: Math.max(...all().map(({ daemon }) => countSharedRows(daemon.database))),
  };
}

async function work(asked: Asked): Promise<unknown> {
  switch (asked.do) {
    case 'begin':
      return clock.begin(asked.step);
    case 'enter':
      present.add(asked.index);
      return hold(asked.index).daemon.enter(url, asked.isNew);
    case 'populate':
      return Promise.all(here().map(({ load }) => load.populate()));
    case 'hour':
      return Promise.all(here().map(({ load }) => load.hour(asked.changes)));
    case 'reach':
      return Promise.all(here().map(({ daemon }) => daemon.reach(asked.sequence)));
    case 'stop':
      present.delete(asked.index);
      return hold(asked.index).daemon.stop();
    case 'restart': {
      present.add(asked.index);
      const { daemon } = hold(asked.index);
      await daemon.restart();
      return daemon.reach(asked.sequence);
    }
    case 'figures':
      return collectFigures();
  }
}

for (const index of indexes.split(',')) hold(Number(index));
process.on('message', async (asked) => {
  try {
    process.send?.({ result: await work(asked as Asked) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.send?.('ready');
