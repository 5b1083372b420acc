/**
 * The hostile side of the drill `flooders`, in a separate process so that its work is not attributed to the daemon.
 * Holds a number of sockets, each of which floods with one-byte frames until it is closed and is then replaced. Reports
 * to its parent how each of them ended.
 */
import '../ends-with-parent.js';
import { clientFrame, WallLine } from '../wall-line.js';

const [port, path, atOnce, floods] = process.argv.slice(2);
const CHUNK = Buffer.concat(Array<Buffer>(8_192).fill(clientFrame('x')));
const GIVEN_UP_MS = 10_000;

/**
 * How a flood ended: the close code, and the milliseconds from its first byte. The code is -1 when there was no close
 * frame.
 */
export interface Flood {
  code: number;
  ms: number;
}

async function flood(name: string): Promise<Flood> {
  const line = await WallLine.open(Number(port), `${path}${name}`);
  const startedMs = performance.now();
  const pour = () => {
    while (!line.isGone && line.write(CHUNK));
    if (!line.isGone) line.onDrain(pour);
  };
  pour();
  const givingUp = setTimeout(() => line.cut(), GIVEN_UP_MS);
  const { code = -1 } = await line.ended;
  clearTimeout(givingUp);
  return { code, ms: performance.now() - startedMs };
}

await Promise.all(
  Array.from({ length: Number(atOnce) }, async (_, slot) => {
    for (let number = 0; number < Number(floods) / Number(atOnce); number += 1)
      process.send?.(await flood(`flooder-${slot}-${number}`));
  }),
);
process.disconnect();
