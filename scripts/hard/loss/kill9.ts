/**
 * Sixteen writers create every kind of record: agents, mail, reports, nonces, clusters, boards, posts, members, tokens,
 * asks and their results, conversations, settings and tasks, and also delete and revoke them. Meanwhile the daemon is
 * killed repeatedly. After each restart everything acknowledged since the last one must exist, and at the end
 * everything that was ever acknowledged.
 *
 * `npx tsx scripts/hard/loss/kill9.ts [--cycles 20] [--acks 500] [--seed 1]`
 */
import { quantile } from '../../bench/measure.js';
import { runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';
import { Acknowledged } from './kill9/acknowledged.js';
import { findLost } from './kill9/lost.js';
import { moveTo, newWorld, type World, writeUntil } from './kill9/writers.js';

const LAST_STARTS = 3;
const READY_MAX_S = 1;

/**
 * One run of a daemon: checks the recent records, waits for `acks` further acknowledgements, and kills the daemon.
 * Returns the lost records.
 */
async function life(project: DrillProject, world: World, acks: number): Promise<string[]> {
  const daemon = await project.start({});
  await moveTo(daemon, world);
  const lost = await findLost(daemon.address, world.known.recent());
  const end = world.known.count + acks;
  let killed: Promise<void> | undefined;
  const isOver = () => {
    if (world.known.count >= end) killed ??= daemon.kill();
    return killed !== undefined || world.faults.length > 10;
  };
  await writeUntil(world, isOver);
  await (killed ?? daemon.kill());
  return lost;
}

await runDrill('kill9', async (drill) => {
  const [cycles, acks] = [drill.bound('cycles'), drill.bound('acks')];
  const project = drill.project({ 'README.md': '# Lamp\n', '.mesh/roadmap.md': '# Roadmap\n\n- [ ] lamp: Light it\n' });
  const known = new Acknowledged();
  const world = newWorld(drill.dice, known);
  const lost: string[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1)
    lost.push(...(await life(project, world, acks + drill.dice.below(acks >> 2))));
  const startSeconds: number[] = [];
  for (let number = 0; number < LAST_STARTS; number += 1) {
    const startedMs = performance.now();
    const daemon = await project.start({});
    startSeconds.push((performance.now() - startedMs) / 1_000);
    await daemon.kill();
  }
  const last = await project.start({});
  lost.push(...(await findLost(last.address, known.everything())));
  const message =
    `${known.count} acknowledged over ${cycles} kills, ${known.everything().length} things looked at again ` +
    'at the end';
  drill.none('acknowledged writes that were lost', 'writes', lost, message);
  drill.none('sound requests that were refused', 'requests', world.faults);
  drill.measure({
    measure: 'ready again after it was killed, with all of that',
    value: quantile(startSeconds, 0.5),
    unit: 's',
    atMost: READY_MAX_S,
    isTime: true,
  });
  drill.measure({ measure: 'acknowledged writes', value: known.count, unit: '', atLeast: cycles * acks });
});
