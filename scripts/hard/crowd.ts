import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { WallLine } from './wall-line.js';

const AT_ONCE = 50;

/** `count` members, so many to a private cluster of its own, all seen by the others of theirs. */
export async function openCrowd(daemon: DaemonProcess, count: number, perCluster: number): Promise<WallLine[]> {
  const lines: WallLine[] = [];
  while (lines.length < count) {
    const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
    const { port, pathname, search } = new URL(ws as string);
    const path = `${pathname}${search}&agent=member-`;
    const end = Math.min(count, lines.length + perCluster);
    while (lines.length < end) {
      const some = Array.from({ length: Math.min(AT_ONCE, end - lines.length) }, (_, at) =>
        WallLine.open(Number(port), `${path}${lines.length + at}`),
      );
      lines.push(...(await Promise.all(some)));
    }
  }
  return lines;
}
