import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { openCrowd } from '../../hard/load/crowd.js';
import { WallLine } from '../../hard/wall-line.js';
import { median } from '../measure.js';
import { grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

const PER_CLUSTER = 100;
const SAYINGS = 20;

/**
 * Members on sockets, in clusters of a hundred: the time for a message to arrive in another cluster with two members.
 * The daemon admits 10,000 connections.
 */
export const sockets: Grow = {
  name: 'sockets',
  sizes: [10, 100, 1_000, 9_000],
  at: (size) =>
    grown(
      async () => undefined,
      () => undefined,
      async ({ daemon, time }) => {
        const crowd = await openCrowd(daemon, size, Math.min(size, PER_CLUSTER));
        const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
        const { port, pathname, search } = new URL(ws as string);
        let arrived = () => {};
        const hears = await WallLine.open(
          Number(port),
          `${pathname}${search}&agent=hears`,
          (text) => text.includes('"say-') && arrived(),
        );
        const says = await WallLine.open(Number(port), `${pathname}${search}&agent=says`);
        const times: number[] = [];
        for (let i = 0; i <= SAYINGS; i += 1) {
          const sentMs = performance.now();
          const received = new Promise<void>((resolve) => {
            arrived = resolve;
          });
          says.say(JSON.stringify({ payload: `say-${i}` }));
          await received;
          if (i > 0) times.push(performance.now() - sentMs);
        }
        const health = await time(['/health']);
        const megabytes = daemon.residentBytes() / 1e6;
        for (const line of [...crowd, hears, says]) line.cut();
        return { ms: { 'a saying arrives': median(times), health }, megabytes };
      },
    ),
};
