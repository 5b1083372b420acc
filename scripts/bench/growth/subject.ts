/** What grew, how far, and what that made of answers and memory. */
export interface Grow {
  /** What is counted. */
  name: string;
  sizes: readonly number[];
  /** Milliseconds by what was asked, and resident megabytes with so many of them. */
  at(size: number): Promise<Point>;
}

export interface Point {
  ms: Readonly<Record<string, number>>;
  megabytes: number;
}
