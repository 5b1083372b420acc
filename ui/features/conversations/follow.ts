/** How far from the end still counts as being there. */
const END_PX = 48;

export interface View {
  top: number;
  height: number;
  whole: number;
}

export const isAtEnd = ({ top, height, whole }: View): boolean => whole - top - height <= END_PX;

/**
 * Whether new lines are followed: at the end yes, and only moving up ends it. Lines that grow below while the view stands still are no
 * reason to stop.
 */
export function isFollowing(was: boolean, lastTop: number, view: View): boolean {
  if (isAtEnd(view)) return true;
  return view.top < lastTop ? false : was;
}

/** What the way to the end is called. */
export function pillWords(newLines: number, isWorking: boolean): string {
  if (newLines > 0) return `${newLines} new`;
  return isWorking ? 'Streaming' : 'Jump to end';
}

/** How many lines came after the last one that was seen. */
export function countSince(ids: readonly string[], seen: string | undefined): number {
  if (seen === undefined) return 0;
  const at = ids.lastIndexOf(seen);
  return at === -1 ? 0 : ids.length - 1 - at;
}
