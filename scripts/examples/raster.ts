export type Colour = readonly [red: number, green: number, blue: number];

const clamp = (value: number, low = 0, high = 1) => Math.min(high, Math.max(low, value));

/** Parses `#rrggbb` into components from 0 to 1. */
export function colour(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 0xff) / 255, (value & 0xff) / 255];
}

/** Interpolates linearly between two colours. `share` is clamped to 0 to 1. */
export function mixed(from: Colour, to: Colour, share: number): Colour {
  const t = clamp(share);
  return [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, from[2] + (to[2] - from[2]) * t];
}

/** Smoothstep: 0 below `low`, 1 above `high`, with a smooth transition between. */
export function smooth(low: number, high: number, value: number): number {
  const t = clamp((value - low) / (high - low));
  return t * t * (3 - 2 * t);
}

/** A picture in memory on which colours are blended. */
export class Raster {
  private readonly cells: Float32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.cells = new Float32Array(width * height * 3);
  }

  /**
   * Blends `over(x, y)` onto every pixel of the rows from `top` to `bottom`. The second element is the coverage from 0
   * to 1.
   */
  lay(over: (x: number, y: number) => readonly [Colour, number] | undefined, top = 0, bottom = this.height): void {
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(this.height, bottom); y += 1) {
      for (let x = 0; x < this.width; x += 1) {
        const laid = over(x, y);
        if (laid) this.blend(x, y, laid[0], laid[1]);
      }
    }
  }

  blend(x: number, y: number, over: Colour, cover: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || cover <= 0) return;
    const at = (y * this.width + x) * 3;
    const share = clamp(cover);
    for (let channel = 0; channel < 3; channel += 1) {
      const under = this.cells[at + channel] ?? 0;
      this.cells[at + channel] = under + ((over[channel] ?? 0) - under) * share;
    }
  }

  at(x: number, y: number): Colour {
    const at = (y * this.width + x) * 3;
    return [this.cells[at] ?? 0, this.cells[at + 1] ?? 0, this.cells[at + 2] ?? 0];
  }

  /** Draws a disc with a soft edge, and a halo that fades over `glow` pixels. */
  disc(cx: number, cy: number, radius: number, fill: Colour, glow = 0, strength = 0.5): void {
    const reach = radius + glow + 1;
    for (let y = Math.floor(cy - reach); y <= cy + reach; y += 1) {
      for (let x = Math.floor(cx - reach); x <= cx + reach; x += 1) {
        const distance = Math.hypot(x - cx, y - cy);
        const halo = glow > 0 ? (1 - smooth(radius, radius + glow, distance)) ** 2 * strength : 0;
        this.blend(x, y, fill, Math.max(halo, 1 - smooth(radius - 0.7, radius + 0.7, distance)));
      }
    }
  }

  /** Returns three bytes per pixel, row by row. */
  toBytes(): Uint8Array {
    return Uint8Array.from(this.cells, (cell) => Math.round(clamp(cell) * 255));
  }
}
