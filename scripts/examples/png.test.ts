import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawLandscape, IMAGE_HEIGHT, IMAGE_WIDTH } from './landscape.js';
import { encodePng } from './png.js';

/** Returns the chunk types of a PNG and its pixels after all filters are reversed. */
function decode(png: Buffer): { types: string[]; width: number; height: number; pixels: Uint8Array } {
  const types: string[] = [];
  const data: Buffer[] = [];
  let header: Buffer = Buffer.alloc(0);
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    types.push(type);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * 3;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < 3 ? 0 : (pixels[y * stride + x - 3] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const corner = x < 3 || y === 0 ? 0 : (pixels[(y - 1) * stride + x - 3] ?? 0);
      const p = left + up - corner;
      const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      const predicted = [0, left, up, (left + up) >> 1, paeth][filter] ?? Number.NaN;
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return { types, width, height, pixels };
}

describe('a PNG', () => {
  it('contains the encoded pixels, whichever filters its rows use', () => {
    const [width, height] = [17, 9];
    const pixels = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * 37 + ((i * i) >> 3)) & 0xff);
    const png = encodePng(width, height, pixels);
    expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    expect(decode(png)).toEqual({ types: ['IHDR', 'IDAT', 'IEND'], width, height, pixels });
  });

  it('is rejected with a RangeError when there are too few pixels', () => {
    expect(() => encodePng(4, 4, new Uint8Array(4 * 4 * 3 - 1))).toThrow(RangeError);
  });
});

describe('a picture', () => {
  it('is the same for the same prompt and differs for another prompt', () => {
    const [one, same, other] = ['harbour lights at dusk', ' Harbour lights at dusk ', 'a quiet night'].map((prompt) =>
      drawLandscape(prompt),
    );
    expect(one?.png.equals(same?.png as Buffer)).toBe(true);
    expect(one?.png.equals(other?.png as Buffer)).toBe(false);
    expect([one?.mood, other?.mood]).toEqual(['dusk', 'night']);
  });

  it('has the full size and many colours', () => {
    const { width, height, pixels } = decode(drawLandscape('forest').png);
    expect([width, height]).toEqual([IMAGE_WIDTH, IMAGE_HEIGHT]);
    const colours = new Set<number>();
    for (let i = 0; i < pixels.length; i += 3)
      colours.add(((pixels[i] ?? 0) << 16) | ((pixels[i + 1] ?? 0) << 8) | (pixels[i + 2] ?? 0));
    expect(colours.size).toBeGreaterThan(200);
  });
});
