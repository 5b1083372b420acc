import { SIGNATURE_BYTES } from './signature-scan.js';

const SIGNS = SIGNATURE_BYTES * 8;

/** Returns the same signs in every process: a linear congruential generator with a fixed seed. */
function fixedSigns(length: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state & 0x8000_0000 ? 1 : -1;
  });
}

/**
 * Multiplies `values`, whose length is a power of two, by a Hadamard matrix in place: every result is a signed sum of
 * all values.
 */
function turn(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let block = 0; block < values.length; block += half * 2) {
      for (let at = block; at < block + half; at += 1) {
        const a = values[at] as number;
        const b = values[at + half] as number;
        values[at] = a + b;
        values[at + half] = a - b;
      }
    }
  }
}

/**
 * Computes 256 signs of a vector of any length. The share of signs in which two vectors differ grows with the angle
 * between them. The signs are those of pseudo-random rotations of the vector (random signs and a Hadamard transform,
 * twice), with as many rotations as give 256 values. This costs a few thousand additions.
 */
export class Signature {
  private readonly size: number;
  private readonly copies: readonly (readonly [Float32Array, Float32Array])[];
  private readonly work: Float32Array;

  constructor(dimensions: number) {
    this.size = 2 ** Math.ceil(Math.log2(Math.max(2, dimensions)));
    const count = Math.max(1, Math.ceil(SIGNS / this.size));
    this.copies = Array.from({ length: count }, (_, copy) => [
      fixedSigns(this.size, 2 * copy + 1),
      fixedSigns(this.size, 2 * copy + 2),
    ]);
    this.work = new Float32Array(this.size);
  }

  of(vector: Float32Array): Uint8Array {
    const bytes = new Uint8Array(SIGNATURE_BYTES);
    let sign = 0;
    for (const [first, second] of this.copies) {
      this.work.fill(0);
      this.work.set(vector);
      for (const signs of [first, second]) {
        for (let at = 0; at < this.size; at += 1) this.work[at] = (this.work[at] as number) * (signs[at] as number);
        turn(this.work);
      }
      for (let at = 0; at < this.size && sign < SIGNS; at += 1, sign += 1) {
        if ((this.work[at] as number) > 0) bytes[sign >> 3] = (bytes[sign >> 3] as number) | (1 << (sign & 7));
      }
    }
    return bytes;
  }
}
