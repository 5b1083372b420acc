/** A kind of data that grows, with the sizes to measure. */
export interface Grow {
  /** The name of the kind. */
  name: string;
  sizes: readonly number[];
  /** Measures response times in milliseconds and resident megabytes with `size` items. */
  at(size: number): Promise<Point>;
}

export interface Point {
  ms: Readonly<Record<string, number>>;
  megabytes: number;
}
