const BINS = 1024;

/**
 * Returns up to `most` of the first `count` slots in `among` with the largest `values` (above 0, at most `top`), each
 * multiplied by its `weights` (at most 1). The threshold comes from a histogram; equal values are taken in their order.
 */
export function topK(
  values: Float32Array,
  among: Uint32Array,
  count: number,
  most: number,
  top: number,
  weights?: readonly number[],
): number[] {
  if (!(top > 0)) return [];
  const factor = (BINS - 1) / top;
  const weighed = (slot: number) => (values[slot] as number) * (weights?.[slot] ?? 1);
  const getBin = (slot: number) => Math.min(BINS - 1, Math.floor(weighed(slot) * factor));
  const bins = new Uint32Array(BINS);
  for (let at = 0; at < count; at += 1) {
    const bin = getBin(among[at] as number);
    bins[bin] = (bins[bin] as number) + 1;
  }
  let floor = BINS;
  for (let taken = 0; floor > 0 && taken < most; ) {
    floor -= 1;
    taken += bins[floor] as number;
  }
  const above: number[] = [];
  const atFloor: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const slot = among[at] as number;
    const bin = getBin(slot);
    if (bin < floor || !((values[slot] as number) > 0)) continue;
    if (bin > floor) above.push(slot);
    else atFloor.push(slot);
  }
  const left = Math.max(0, most - above.length);
  if (atFloor.length > left) atFloor.sort((a, b) => weighed(b) - weighed(a));
  return [...above, ...atFloor.slice(0, left)];
}
