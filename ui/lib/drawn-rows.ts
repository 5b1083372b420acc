/** Rows from `from` (inclusive) to `to` (exclusive). */
export interface Span {
  from: number;
  to: number;
}

/** What a list renders, from top to bottom: rows, or a gap as high as the rows left out. */
type Part = ({ kind: 'rows' } & Span) | ({ kind: 'gap' } & Span);

/**
 * The rendered range is rounded to multiples of this many rows, so that the list does not render again for every
 * scrolled row.
 */
export const STEP = 20;
/** How far outside the viewport rows are still rendered, in pixels. */
const MARGIN_PX = 1_600;

const within = (at: number, count: number) => Math.min(count, Math.max(0, at));

/** Returns the visible rows of a list whose top is at `top` pixels in a viewport of `height` pixels. */
export function seenRows(top: number, height: number, rowPx: number, count: number): Span {
  return { from: within(Math.floor(-top / rowPx), count), to: within(Math.ceil((height - top) / rowPx), count) };
}

/** Returns the rows to render: the visible ones, `MARGIN_PX` more on each side, rounded to `STEP`. */
export function drawnRows(top: number, height: number, rowPx: number, count: number): Span {
  const { from, to } = seenRows(top + MARGIN_PX, height + 2 * MARGIN_PX, rowPx, count);
  return { from: Math.floor(from / STEP) * STEP, to: within(Math.ceil(to / STEP) * STEP, count) };
}

/**
 * Splits a list of `count` rows into rendered rows and gaps. The row at `held`, which has the focus, is rendered with
 * its neighbours even when it is outside `drawn`.
 */
export function splitParts(count: number, drawn: Span, held: number | undefined): Part[] {
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
