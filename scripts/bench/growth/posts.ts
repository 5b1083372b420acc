import { clusterWithBoards } from '../../hard/load/boards.js';
import { copyRow, grown } from './grown-daemon.js';
import type { Grow } from './subject.js';

const PER_BOARD = 1_000;
const PER_CLUSTER = 50;

/**
 * Posts with a place, at most a thousand a board and fifty boards a cluster: the time to read a page near a place, the
 * newest page and the map.
 */
export const posts: Grow = {
  name: 'posts',
  sizes: [10, 100, 1_000, 10_000, 100_000],
  at: (size) =>
    grown(
      async (daemon) => {
        const boards = Math.ceil(size / PER_BOARD);
        const clusters: string[] = [];
        for (let made = 0; made < boards; made += PER_CLUSTER) {
          const slugs = Array.from({ length: Math.min(PER_CLUSTER, boards - made) }, (_, i) => `b${made + i}`);
          const cluster = await clusterWithBoards(daemon, slugs, { name: `Grown ${made}`, visibility: 'public' });
          clusters.push(cluster.path);
        }
        await daemon.call('POST', `${clusters[0]}/boards/b0/posts?agent=ada`, {
          title: 'A lamp',
          body: 'What it is about, in a sentence or two. '.repeat(4),
          ttl: 'forever',
          props: { where: { lat: 0, lon: 0, label: 'There' } },
        });
        return clusters[0] as string;
      },
      (store) => {
        const lat = '(i * 7919 % 17000) / 100.0 - 85';
        const lon = '(i * 104729 % 36000) / 100.0 - 180';
        copyRow(store, 'posts', "title = 'A lamp'", size - 1, {
          seq: '',
          id: "'p_grown' || i",
          board: `(SELECT min(seq) FROM boards) + i / ${PER_BOARD}`,
          lat,
          lon,
          props: `json_object('where', json_object('lat', ${lat}, 'lon', ${lon}, 'label', 'There ' || i))`,
          title: "'Lamp ' || i",
        });
      },
      async ({ daemon, time }, cluster) => {
        const board = `${cluster}/boards/b0/posts`;
        const near = await time(
          ['0,0', '40,9', '-30,120', '51,-170'].map((place) => `${board}?near=${place}&km=500&limit=50`),
        );
        const newest = await time([`${board}?limit=50`]);
        const map = await time(['/v1/map']);
        return {
          ms: { 'near a place': near, 'newest page': newest, 'the map': map },
          megabytes: daemon.residentBytes() / 1e6,
        };
      },
    ),
};
