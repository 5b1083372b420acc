import { DotProducts } from './dot-products.js';
import { Signature } from './signature.js';
import { SignatureScan } from './signature-scan.js';

/** A query's vector of length 1, and its space. */
export interface Bearing {
  vector: Float32Array;
  space: VectorSpace;
}

const LEVELS = 127;
const QUERY_LEVELS = 4096;

/**
 * The rows' vectors by slot, for finding those nearest to a query. Each is stored twice: as 256 signs, which are
 * compared for all rows at once, and as 8-bit integers, with which the nearest ones are compared more exactly.
 */
export class VectorSpace {
  private readonly signature: Signature;
  private readonly scan = new SignatureScan();
  private readonly vectors: DotProducts;
  /** The factor that scales the 8-bit integers to length 1; 0 for a slot without a vector. */
  private scales: Float32Array = new Float32Array(1024);
  private count = 0;

  constructor(readonly dimensions: number) {
    this.signature = new Signature(dimensions);
    this.vectors = new DotProducts(dimensions);
  }

  get size(): number {
    return this.count;
  }

  has(slot: number): boolean {
    return (this.scales[slot] ?? 0) > 0;
  }

  /** Stores a vector of any length other than 0. A vector of length 0 is ignored. */
  put(slot: number, vector: Float32Array): void {
    if (slot >= this.scales.length) this.grow(slot + 1);
    let largest = 0;
    for (let at = 0; at < this.dimensions; at += 1) largest = Math.max(largest, Math.abs(vector[at] as number));
    if (!(largest > 0) || !Number.isFinite(largest)) return;
    const row = this.vectors.row(slot);
    let squares = 0;
    for (let at = 0; at < this.dimensions; at += 1) {
      const level = Math.round(((vector[at] as number) / largest) * LEVELS);
      row[at] = level;
      squares += level * level;
    }
    if (!this.has(slot)) this.count += 1;
    this.scales[slot] = 1 / Math.sqrt(squares);
    this.scan.put(slot, this.signature.of(vector));
  }

  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.scales[slot] = 0;
    this.count -= 1;
  }

  /**
   * Writes the slots that differ from `query` in at most `limit` of 256 signs to `close`, and returns their number as
   * `count` and the number of differing signs of each slot as `apart`. The values of slots without a vector are
   * meaningless. `apart` is valid until the next call.
   */
  within(query: Float32Array, limit: number, close: Uint32Array): { apart: Uint8Array; count: number } {
    return this.scan.within(this.signature.of(query), limit, close);
  }

  /** Returns the cosine of the slot's vector and a query from `wholeNumbers`; 0 for a slot without a vector. */
  similarity(slot: number, query: Int16Array): number {
    const scale = this.scales[slot] ?? 0;
    if (scale === 0) return 0;
    // Both sides are short enough that their product fits into 32 bits.
    return (this.vectors.of(slot, query) * scale) / QUERY_LEVELS;
  }

  private grow(rows: number): void {
    const room = Math.ceil(Math.max(rows, this.scales.length * 1.5));
    const scales = new Float32Array(room);
    scales.set(this.scales);
    this.scales = scales;
  }
}

/** Converts a vector of length 1 to the integers that `similarity` takes. */
export function wholeNumbers(vector: Float32Array): Int16Array {
  return Int16Array.from(vector, (value) => Math.round(value * QUERY_LEVELS));
}

/** Returns `vector` without the component `common`, scaled to length 1; undefined if nothing remains. */
export function unitWithout(vector: Float32Array, common: Float32Array): Float32Array | undefined {
  const own = unit(vector);
  return own && unit(own.map((value, at) => value - (common[at] ?? 0)));
}

/** Returns `vector` scaled to length 1; undefined if its length is 0 or not finite. */
export function unit(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 0) || !Number.isFinite(squares)) return undefined;
  const factor = 1 / Math.sqrt(squares);
  return vector.map((value) => value * factor);
}
