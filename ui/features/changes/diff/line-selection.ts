import { useCallback, useMemo, useState } from 'react';
import { getPlace, type PatchRow, type Side } from './patch.js';

/** Lines of one side of a file. Without a side: the whole file. */
interface LineRange {
  side: Side | undefined;
  start: number;
  end: number;
}

export interface Selection extends LineRange {
  /** The line from which Shift extends the selection. */
  anchor: number;
  /** A comment on the lines is being written. */
  isWriting: boolean;
}

export interface LineSelection {
  selection: Selection | undefined;
  /** Selects a line; with `isExtending`, the lines from the anchor to it. With `isWriting`, opens the comment. */
  select: (side: Side, line: number, how: { isExtending: boolean; isWriting: boolean }) => void;
  selectFile: () => void;
  clear: () => void;
}

/** Returns the selection after a line was chosen. */
export function extendSelection(
  was: Selection | undefined,
  { side, line }: { side: Side; line: number },
  { isExtending, isWriting }: { isExtending: boolean; isWriting: boolean },
): Selection {
  if (isExtending && was?.side === side) {
    const { anchor } = was;
    return { ...was, start: Math.min(anchor, line), end: Math.max(anchor, line), isWriting };
  }
  const isInside = was?.side === side && was.start <= line && line <= was.end;
  // Enter on a line of the selection comments on all of it.
  if (isWriting && isInside && !was.isWriting) return { ...was, isWriting };
  return { side, start: line, end: line, anchor: line, isWriting };
}

/** Whether the line is selected. */
export const isSelected = (selection: Selection | undefined, side: Side, line: number): boolean =>
  selection?.side === side && selection.start <= line && line <= selection.end;

/** Returns the selection if one of `rows` is in it, so that other rows need not be rendered when it changes. */
export const selectionIn = (rows: readonly PatchRow[], selection: Selection | undefined): Selection | undefined =>
  selection?.side !== undefined &&
  rows.some((row) => {
    const { side, line } = getPlace(row);
    return isSelected(selection, side, line) || (row.old !== undefined && isSelected(selection, 'old', row.old));
  })
    ? selection
    : undefined;

/** Returns the selected lines of a file and what changes them. The functions stay the same. */
export function useLineSelection(): LineSelection {
  const [selection, setSelection] = useState<Selection>();
  const select = useCallback<LineSelection['select']>(
    (side, line, how) => setSelection((was) => extendSelection(was, { side, line }, how)),
    [],
  );
  const selectFile = useCallback(
    () => setSelection({ side: undefined, start: 0, end: 0, anchor: 0, isWriting: true }),
    [],
  );
  const clear = useCallback(() => setSelection(undefined), []);
  return useMemo(() => ({ selection, select, selectFile, clear }), [selection, select, selectFile, clear]);
}
