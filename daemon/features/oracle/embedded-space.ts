import { type Bearing, unit, unitWithout, VectorSpace } from './vector-space.js';

/** Vectors of an embedding endpoint by slot, less what all of them have in common: models put everything they are given into one corner of their space. */
export class EmbeddedSpace {
  private readonly space: VectorSpace;
  private readonly common: Float32Array;

  /** `sample` are vectors of some of the rows. */
  constructor(
    readonly dimensions: number,
    sample: readonly Float32Array[],
  ) {
    this.space = new VectorSpace(dimensions);
    this.common = new Float32Array(dimensions);
    // Few rows have in common what they are about.
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

  /** Where the query's vector points in this space. */
  bearing(vector: Float32Array): Bearing | undefined {
    const own = vector.length === this.dimensions ? unitWithout(vector, this.common) : undefined;
    return own && { vector: own, space: this.space };
  }
}
