/** Rows from `from` up to but without `to`. */
export interface Span {
  from: number;
  to: number;
}

/** What a list draws, from its top: rows, or an empty stretch where so many are left out. */
export type Part = ({ kind: 'rows' } & Span) | ({ kind: 'gap' } & Span);

/** Rows are taken in and let go so many at a time: a list is not drawn anew with every line that it is scrolled by. */
export const STEP = 20;
/** How far outside of what is seen rows are still drawn. */
const MARGIN_PX = 1_600;

const within = (at: number, count: number) => Math.min(count, Math.max(0, at));

/** The rows of a list that are seen, its top standing at `top` in a window of `height`. */
export function seenRows(top: number, height: number, rowPx: number, count: number): Span {
  return { from: within(Math.floor(-top / rowPx), count), to: within(Math.ceil((height - top) / rowPx), count) };
}

/** The rows that are drawn around them. */
export function drawnRows(top: number, height: number, rowPx: number, count: number): Span {
  const { from, to } = seenRows(top + MARGIN_PX, height + 2 * MARGIN_PX, rowPx, count);
  return { from: Math.floor(from / STEP) * STEP, to: within(Math.ceil(to / STEP) * STEP, count) };
}

/** A list of `count` rows of which `drawn` are drawn, and beside them the row `held` with its neighbours: the one that has the focus. */
export function partsOf(count: number, drawn: Span, held: number | undefined): Part[] {
  const spans: Span[] = [{ from: within(drawn.from, count), to: within(drawn.to, count) }];
  if (held !== undefined && held >= 0) spans.push({ from: within(held - 1, count), to: within(held + 2, count) });
  const parts: Part[] = [];
  let at = 0;
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    if (to <= Math.max(at, from)) continue;
    if (from > at) parts.push({ kind: 'gap', from: at, to: from });
    parts.push({ kind: 'rows', from: Math.max(at, from), to });
    at = to;
  }
  if (at < count) parts.push({ kind: 'gap', from: at, to: count });
  return parts;
}
