import { deflateSync, inflateSync } from 'node:zlib';
import { joinPngChunks, paeth } from '../../scripts/examples/png.js';

const SIGNATURE_BYTES = 8;
const MOST_COLOURS = 256;
/**
 * The most that a channel of a pixel may change: invisible, within the tolerance of the comparison, and less than the
 * difference between design colours.
 */
const FARTHEST = 6;
const COLOUR_TYPE = { rgb: 2, palette: 3, rgba: 6 } as const;

interface Picture {
  width: number;
  height: number;
  /** `0xrrggbb`, row by row. */
  pixels: Uint32Array;
}

/**
 * Converts a picture to a palette of at most 256 colours, about a quarter of its size. The palette has the most
 * frequent colours, which replace similar ones. Returns undefined when the difference would be visible, when the file
 * is not an opaque, non-interlaced picture with 8 bits per channel, or when it already has a palette.
 */
export function withPalette(png: Buffer): Buffer | undefined {
  const picture = decode(png);
  if (!picture) return undefined;
  const often = new Map<number, number>();
  for (const colour of picture.pixels) often.set(colour, (often.get(colour) ?? 0) + 1);
  const colours = [...often].sort(([a, timesA], [b, timesB]) => timesB - timesA || a - b).map(([colour]) => colour);
  for (let far = 2; far <= FARTHEST; far += 2) {
    const chosen = choose(colours, far);
    if (chosen) return encode(picture, chosen);
  }
  return undefined;
}

/** Maps each colour to a palette index; undefined when 256 colours are too few to be within `far` of each. */
function choose(
  colours: readonly number[],
  far: number,
): { palette: number[]; places: Map<number, number> } | undefined {
  const palette: number[] = [];
  const places = new Map<number, number>();
  for (const colour of colours) {
    let place = palette.findIndex((known) => isNear(known, colour, far));
    if (place < 0) place = palette.push(colour) - 1;
    if (palette.length > MOST_COLOURS) return undefined;
    places.set(colour, place);
  }
  return { palette, places };
}

const isNear = (a: number, b: number, far: number): boolean =>
  [16, 8, 0].every((shift) => Math.abs(((a >> shift) & 0xff) - ((b >> shift) & 0xff)) <= far);

function decode(png: Buffer): Picture | undefined {
  const parts: Buffer[] = [];
  let header: Buffer | undefined;
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = data;
    if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  if (header?.[8] !== 8 || header[12] !== 0) return undefined;
  const channels = header[9] === COLOUR_TYPE.rgb ? 3 : header[9] === COLOUR_TYPE.rgba ? 4 : 0;
  if (channels === 0) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const stride = width * channels;
  const bytes = inflateSync(Buffer.concat(parts));
  const pixels = new Uint32Array(width * height);
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const at = y * (stride + 1);
    const row = bytes.subarray(at + 1, at + 1 + stride);
    unfilter(row, above, bytes[at] ?? 0, channels);
    for (let x = 0; x < width; x += 1) {
      const pixel = x * channels;
      if (channels === 4 && row[pixel + 3] !== 0xff) return undefined;
      pixels[y * width + x] = ((row[pixel] ?? 0) << 16) | ((row[pixel + 1] ?? 0) << 8) | (row[pixel + 2] ?? 0);
    }
    above = row;
  }
  return { width, height, pixels };
}

/** Reverses the PNG filter of a row. */
function unfilter(row: Uint8Array, above: Uint8Array, filter: number, channels: number): void {
  for (let x = 0; x < row.length; x += 1) {
    const left = x < channels ? 0 : (row[x - channels] ?? 0);
    const up = above[x] ?? 0;
    const corner = x < channels ? 0 : (above[x - channels] ?? 0);
    const foretold = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    row[x] = (row[x] ?? 0) + foretold;
  }
}

function encode(
  { width, height, pixels }: Picture,
  { palette, places }: { palette: number[]; places: Map<number, number> },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPE.palette, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = places.get(pixels[y * width + x] ?? 0) ?? 0;
  }
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]));
  return joinPngChunks(['IHDR', header], ['PLTE', colours], ['IDAT', deflateSync(rows, { level: 9, memLevel: 9 })]);
}
