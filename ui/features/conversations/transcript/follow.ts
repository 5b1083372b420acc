/** Distance from the end that still counts as being at the end, in pixels. */
const END_PX = 48;

export interface View {
  top: number;
  height: number;
  whole: number;
}

export const isAtEnd = ({ top, height, whole }: View): boolean => whole - top - height <= END_PX;

/**
 * Reports whether the view follows new lines. It starts to follow at the end, and only scrolling up stops it: content
 * that grows below a view that does not move is no reason to stop.
 */
export function isFollowing(was: boolean, lastTop: number, view: View): boolean {
  if (isAtEnd(view)) return true;
  return view.top < lastTop ? false : was;
}

/** Returns the label of the button that jumps to the end. */
export function formatPill(newLines: number, isWorking: boolean): string {
  if (newLines > 0) return `${newLines} new`;
  return isWorking ? 'Streaming' : 'Jump to end';
}

/** Counts the lines after the last one that was seen. */
export function countSince(ids: readonly string[], seen: string | undefined): number {
  if (seen === undefined) return 0;
  const at = ids.lastIndexOf(seen);
  return at === -1 ? 0 : ids.length - 1 - at;
}
