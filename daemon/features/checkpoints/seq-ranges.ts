/** Sequence numbers of turns as inclusive ranges, in order and apart from one another. */
export type SeqRanges = readonly (readonly [first: number, last: number])[];

/** Returns `ranges` with the numbers from `first` to `last`; unchanged when there are none. */
export function addRange(ranges: SeqRanges, first: number, last: number): SeqRanges {
  if (first > last) return ranges;
  const joined: [number, number][] = [];
  for (const [start, end] of [...ranges, [first, last] as const].sort(([a], [b]) => a - b)) {
    const before = joined.at(-1);
    if (before && start <= before[1] + 1) before[1] = Math.max(before[1], end);
    else joined.push([start, end]);
  }
  return joined;
}
