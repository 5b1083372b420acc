const BINS = 1024;

/**
 * Returns up to `most` of the first `count` slots in `among` with the largest `values` (above 0, at most `top`). The
 * threshold comes from a histogram, so among values within about a thousandth of `top` the choice is arbitrary.
 */
export function topK(values: Float32Array, among: Uint32Array, count: number, most: number, top: number): number[] {
  if (!(top > 0)) return [];
  const factor = (BINS - 1) / top;
  const getBin = (slot: number) => Math.min(BINS - 1, Math.floor((values[slot] as number) * factor));
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
    else if (atFloor.length < most) atFloor.push(slot);
  }
  return [...above, ...atFloor.slice(0, Math.max(0, most - above.length))];
}
