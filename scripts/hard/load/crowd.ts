import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { many } from '../many.js';
import { WallLine } from '../wall-line.js';

/** As many as reconnect together after a restart, and fewer than the listen backlog. */
const AT_ONCE = 200;

/** Opens `count` members, `perCluster` in each private cluster, all visible to the others of their cluster. */
export async function openCrowd(daemon: DaemonProcess, count: number, perCluster: number): Promise<WallLine[]> {
  const clusters: URL[] = [];
  while (clusters.length * perCluster < count) {
    const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
    clusters.push(new URL(ws as string));
  }
  const lines: WallLine[] = [];
  await many([...Array(count).keys()], AT_ONCE, async (number) => {
    const { port, pathname, search } = clusters[Math.floor(number / perCluster)] as URL;
    lines.push(await WallLine.open(Number(port), `${pathname}${search}&agent=member-${number}`));
  });
  return lines;
}
