/**
 * The side of the drill `half-open` that is stopped: members of a Wall and readers of events, which behave correctly
 * until then.
 */
import '../ends-with-parent.js';
import { WallLine } from '../wall-line.js';

const [port, path, members, readers] = process.argv.slice(2);
const lines = await Promise.all([
  ...Array.from({ length: Number(members) }, (_, at) => WallLine.open(Number(port), `${path}stopped-${at}`)),
  ...Array.from({ length: Number(readers) }, () => WallLine.open(Number(port), '/events')),
]);
process.send?.(lines.length);
