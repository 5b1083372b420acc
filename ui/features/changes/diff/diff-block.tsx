import { Fragment, memo, type ReactNode, useMemo, useRef, useSyncExternalStore } from 'react';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { useHeightWhenFar } from '../../conversations/transcript/use-height-when-far.js';
import pieces from '../../knowledge/file-panel.module.css';
import type { HunkColors } from './hunk-colors.js';
import { isSelected, type LineSelection, type Selection } from './line-selection.js';
import { getPlace, type PatchRow, type Side, type SplitRow, splitRows } from './patch.js';

/** Height of a row that is not wrapped, in pixels. The style sheet sets it. */
export const ROW_PX = 22;

export type View = 'unified' | 'split';

/** What follows a line: its comments and the form of a new one. */
export type NotesOf = (side: Side, line: number) => ReactNode;

interface DiffBlockProps {
  rows: readonly PatchRow[];
  view: View;
  colors: HunkColors;
  /** The selected lines if some of them are here. */
  chosen: Selection | undefined;
  select: LineSelection['select'];
  notesOf: NotesOf;
}

/** The page scrolls, and no element within it. */
const PAGE = { current: null };

/** Rows of a hunk that are drawn together, and are an empty element of the same height while far from the view. */
export const DiffBlock = memo(function DiffBlock(props: DiffBlockProps) {
  const { rows } = props;
  const place = useRef<HTMLDivElement>(null);
  const height = useHeightWhenFar(place, PAGE, rows.length * ROW_PX);
  return (
    <div
      ref={place}
      className="block"
      style={height === undefined ? undefined : { height }}
      data-far={height === undefined ? undefined : ''}
    >
      {height === undefined && <Rows {...props} />}
    </div>
  );
});

function Rows({ rows, view, colors, chosen, select, notesOf }: DiffBlockProps) {
  // Rendered again when a line of this block is highlighted, not for those of other blocks.
  useSyncExternalStore(colors.watch, () => colors.count(rows));
  const split = useMemo(() => (view === 'split' ? splitRows(rows) : undefined), [rows, view]);
  if (split)
    return split.map((row) => (
      <SplitLine key={getKey(row.left ?? row.right)} {...{ row, colors, chosen, select, notesOf }} />
    ));
  return rows.map((row) => {
    const { side, line } = getPlace(row);
    return (
      <Fragment key={getKey(row)}>
        <div className={`row ${row.kind}`} data-chosen={isSelected(chosen, side, line) || undefined}>
          <LineButton side={side} line={line} select={select}>
            <span className="number">{row.old}</span>
            <span className="number">{row.new}</span>
          </LineButton>
          <Code row={row} colors={colors} />
        </div>
        {notesOf(side, line)}
        {row.kind === 'same' && row.old !== undefined && notesOf('old', row.old)}
      </Fragment>
    );
  });
}

const getKey = (row: PatchRow | undefined) => `${row?.old ?? ''}-${row?.new ?? ''}`;

interface SplitLineProps extends Omit<DiffBlockProps, 'rows' | 'view'> {
  row: SplitRow;
}

function SplitLine({ row: { left, right }, colors, chosen, select, notesOf }: SplitLineProps) {
  return (
    <>
      <div className="row pair">
        <HalfLine row={left} side="old" {...{ colors, chosen, select }} />
        <HalfLine row={right} side="new" {...{ colors, chosen, select }} />
      </div>
      {left?.old !== undefined && notesOf('old', left.old)}
      {right?.new !== undefined && notesOf('new', right.new)}
    </>
  );
}

function HalfLine({
  row,
  side,
  colors,
  chosen,
  select,
}: Pick<DiffBlockProps, 'colors' | 'chosen' | 'select'> & { row?: PatchRow; side: Side }) {
  const line = row?.[side];
  if (!row || line === undefined) return <div className="half none" />;
  return (
    <div className={`half ${row.kind}`} data-chosen={isSelected(chosen, side, line) || undefined}>
      <LineButton side={side} line={line} select={select}>
        <span className="number">{line}</span>
      </LineButton>
      <Code row={row} colors={colors} />
    </div>
  );
}

interface LineButtonProps {
  side: Side;
  line: number;
  select: LineSelection['select'];
  children: ReactNode;
}

/**
 * The numbers of a line. A click comments on it, with Shift on all lines from the selected one. The arrow keys reach it
 * from the hunk's head.
 */
function LineButton({ side, line, select, children }: LineButtonProps) {
  return (
    <button
      type="button"
      className="gutter"
      tabIndex={-1}
      aria-label={`Comment on line ${line}${side === 'old' ? ' before the change' : ''}`}
      data-side={side}
      data-line={line}
      onClick={(event) => select(side, line, { isExtending: event.shiftKey, isWriting: true })}
    >
      {children}
    </button>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const WORDS = { same: '', added: 'added: ', removed: 'removed: ' } as const;

function Code({ row, colors }: { row: PatchRow; colors: HunkColors }) {
  return (
    <>
      <span className="sign" aria-hidden="true">
        {SIGNS[row.kind]}
      </span>
      <code className="code">
        {row.kind !== 'same' && <span className="visually-hidden">{WORDS[row.kind]}</span>}
        {colors.get(row)?.map(({ text, kind }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
          <span key={at} className={pieces[kind]}>
            {toDisplayText(text)}
          </span>
        )) ??
          (toDisplayText(row.text) || ' ')}
        {row.hasNoNewline && <span className="quiet"> (no line feed at the end)</span>}
      </code>
    </>
  );
}
