import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const CHANNELS = 3;

/** Predictor of each PNG filter type, from the byte to the left, the byte above and the byte above left. */
const PREDICTIONS: readonly ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

/**
 * Returns the Paeth predictor: of the byte to the left, the one above and the one above left, the one nearest to `left
 * + up - corner`.
 */
export function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** Returns the PNG file of these chunks, with the signature and the IEND chunk. */
export const joinPngChunks = (...chunks: (readonly [type: string, data: Uint8Array])[]): Buffer =>
  Buffer.concat([SIGNATURE, ...chunks.map(([type, data]) => chunk(type, data)), chunk('IEND', new Uint8Array())]);

/**
 * Returns row `y` preceded by the filter type, and the sum of the absolute values of its bytes. A lower sum compresses
 * better.
 */
function filtered(pixels: Uint8Array, stride: number, y: number, filter: number): { line: Uint8Array; cost: number } {
  const predict = PREDICTIONS[filter] as (typeof PREDICTIONS)[number];
  const line = new Uint8Array(stride + 1);
  line[0] = filter;
  let cost = 0;
  for (let x = 0; x < stride; x += 1) {
    const at = y * stride + x;
    const left = x < CHANNELS ? 0 : (pixels[at - CHANNELS] ?? 0);
    const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
    const corner = x < CHANNELS || y === 0 ? 0 : (pixels[at - stride - CHANNELS] ?? 0);
    const byte = ((pixels[at] ?? 0) - predict(left, up, corner)) & 0xff;
    line[x + 1] = byte;
    cost += byte < 128 ? byte : 256 - byte;
  }
  return { line, cost };
}

/**
 * Encodes `pixels` as PNG: three bytes (red, green, blue) per pixel, row by row, 8 bits per channel, each row with the
 * filter of the lowest cost. The output is deterministic. Throws a RangeError when there are not exactly `width *
 * height` pixels.
 */
export function encodePng(width: number, height: number, pixels: Uint8Array): Buffer {
  const stride = width * CHANNELS;
  if (pixels.length !== stride * height)
    throw new RangeError(`${width} x ${height} pixels are ${stride * height} bytes, not ${pixels.length}.`);
  const lines: Uint8Array[] = [];
  for (let y = 0; y < height; y += 1) {
    const tries = PREDICTIONS.map((_, filter) => filtered(pixels, stride, y, filter));
    lines.push(tries.reduce((best, one) => (one.cost < best.cost ? one : best)).line);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, true colour, deflate, adaptive filters, not interlaced.
  header.set([8, 2, 0, 0, 0], 8);
  return joinPngChunks(['IHDR', header], ['IDAT', deflateSync(Buffer.concat(lines), { level: 9 })]);
}
