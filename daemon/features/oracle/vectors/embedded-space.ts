import { type Bearing, unit, unitWithout, VectorSpace } from './vector-space.js';

/**
 * The vectors of an embedding endpoint by slot, without their common component: models map all texts into a small part
 * of their space.
 */
export class EmbeddedSpace {
  private readonly space: VectorSpace;
  private readonly common: Float32Array;

  /** `sample` has the vectors of some of the rows. */
  constructor(
    readonly dimensions: number,
    sample: readonly Float32Array[],
  ) {
    this.space = new VectorSpace(dimensions);
    this.common = new Float32Array(dimensions);
    // In a small sample, the common component is the topic of the rows itself.
    if (sample.length < 50) return;
    for (const vector of sample) {
      unit(vector)?.forEach((value, at) => {
        this.common[at] = (this.common[at] as number) + value / sample.length;
      });
    }
  }

  get size(): number {
    return this.space.size;
  }

  has(slot: number): boolean {
    return this.space.has(slot);
  }

  put(slot: number, vector: Float32Array): void {
    const own = unitWithout(vector, this.common);
    if (own) this.space.put(slot, own);
  }

  remove(slot: number): void {
    this.space.remove(slot);
  }

  /** Returns the bearing of a query's vector in this space. */
  bearing(vector: Float32Array): Bearing | undefined {
    const own = vector.length === this.dimensions ? unitWithout(vector, this.common) : undefined;
    return own && { vector: own, space: this.space };
  }
}
