import { type KeyboardEvent, useEffect, useMemo } from 'react';
import { Button } from '../../../components/button.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { DiffBlock, type NotesOf, type View } from './diff-block.js';
import { HunkColors } from './hunk-colors.js';
import { type LineSelection, selectionIn } from './line-selection.js';
import { cutBlocks, getPlace, type Hunk } from './patch.js';

/** Rows that are drawn together: few, so that drawing them fits in the frame in which they come near. */
const BLOCK_ROWS = 20;

interface HunkViewProps {
  path: string;
  hunk: Hunk;
  at: number;
  view: View;
  lines: LineSelection;
  notesOf: NotesOf;
  /** Takes the hunk back. Undefined where that is impossible. */
  onRevert: ((hunk: Hunk) => void) | undefined;
  isReverting: boolean;
}

/** Moves the focus among the lines of the hunk; with Shift selects the lines from the first. */
function moveLine(event: KeyboardEvent<HTMLElement>, lines: LineSelection): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-hunk], [data-line]')];
  const now = stops.indexOf(document.activeElement as HTMLElement);
  const next = now < 0 ? undefined : stops[now + step];
  if (!next) return;
  event.preventDefault();
  const { side, line } = next.dataset;
  if (line !== undefined && (side === 'old' || side === 'new'))
    lines.select(side, Number(line), { isExtending: event.shiftKey, isWriting: false });
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/** A hunk: its head, which takes the focus, and its lines. */
export function HunkView({ path, hunk, at, view, lines, notesOf, onRevert, isReverting }: HunkViewProps) {
  const colors = useMemo(() => new HunkColors(path, hunk), [path, hunk]);
  useEffect(() => {
    const stop = new AbortController();
    colors.start(stop.signal);
    return () => stop.abort();
  }, [colors]);
  const blocks = useMemo(() => cutBlocks(hunk.rows, BLOCK_ROWS), [hunk]);
  const range = `−${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines}`;
  const comment = () => {
    const row = hunk.rows.find(({ kind }) => kind !== 'same') ?? hunk.rows[0];
    if (!row) return;
    const { side, line } = getPlace(row);
    lines.select(side, line, { isExtending: false, isWriting: true });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move among the buttons in it.
    <div onKeyDown={(event) => moveLine(event, lines)}>
      <div className="hunkHead">
        <button
          type="button"
          className="hunkName"
          data-hunk={at}
          aria-label={`Comment on hunk ${at + 1} of ${toDisplayText(path)}`}
          onClick={comment}
        >
          @@ {range} @@ <span className="section">{toDisplayText(hunk.section)}</span>
        </button>
        {onRevert && (
          <Button
            isSmall
            look="quiet"
            isBusy={isReverting}
            aria-label={`Revert hunk ${at + 1} of ${toDisplayText(path)}`}
            onClick={() => onRevert(hunk)}
          >
            Revert hunk
          </Button>
        )}
      </div>
      {blocks.map(({ from, rows }) => (
        <DiffBlock
          key={from}
          {...{ rows, view, colors, notesOf }}
          chosen={selectionIn(rows, lines.selection)}
          select={lines.select}
        />
      ))}
    </div>
  );
}
