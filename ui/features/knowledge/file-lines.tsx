import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, memo, type RefObject, useEffect, useState } from 'react';
import type { BlameLines, FileBlame } from '../../../daemon/contract/code.js';
import type { FileLines } from '../../../daemon/contract/system.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { BlameHead, BlameNote, useBlame } from './blame.js';
import styles from './file-panel.module.css';
import { type MarkedPiece, type Match, markPieces } from './find-in-lines.js';
import type { Piece } from './highlight.js';
import type { FindInFile } from './use-find-in-file.js';

interface FilePageProps {
  file: FileLines;
  from: number;
  to: number;
  /** Receives the first cited line. */
  cited: RefObject<HTMLLIElement | null>;
  onSymbol: (name: string) => void;
  find: FindInFile;
  isBlamed: boolean;
}

/** Lines of a file that one response holds, with who changed them. */
export function FilePage({ isBlamed, ...page }: FilePageProps) {
  const blame = useBlame(page.file, isBlamed);
  return (
    <>
      {isBlamed && <BlameNote blame={blame} />}
      <Lines {...page} blame={blame.data} />
    </>
  );
}

interface LinesProps extends Omit<FilePageProps, 'isBlamed'> {
  /** Undefined while it is not shown. */
  blame: FileBlame | undefined;
}

/** Returns the highlighted lines as far as they are ready. Without a grammar, none. */
function useHighlighted({ path, lines }: FileLines): Piece[][] {
  const [ready, setReady] = useState<{ of: readonly string[]; pieces: Piece[][] }>();
  useEffect(() => {
    const stop = new AbortController();
    let pieces: Piece[][] = [];
    const take = (slice: Piece[][]) => {
      pieces = [...pieces, ...slice];
      if (!stop.signal.aborted) setReady({ of: lines, pieces });
    };
    // Without the highlighter the text is shown plain.
    void import('./highlight.js')
      .then(({ highlight }) => highlight(path, lines, take, stop.signal))
      .catch(() => undefined);
    return () => stop.abort();
  }, [path, lines]);
  return ready?.of === lines ? ready.pieces : [];
}

/** Returns the text and the position in it at a point. Older Chromium and WebKit have only the second way. */
function findCaret(x: number, y: number): readonly [Node | undefined, number] {
  if ('caretPositionFromPoint' in document) {
    const caret = document.caretPositionFromPoint(x, y);
    return [caret?.offsetNode, caret?.offset ?? 0];
  }
  const range = (document as Document).caretRangeFromPoint?.(x, y);
  return [range?.startContainer, range?.startOffset ?? 0];
}

/** A name of code is no longer before the point. */
const NAME_MAX_CHARS = 200;

/** Returns the identifier at a point of the page, or undefined. */
function findWord({ clientX, clientY }: { clientX: number; clientY: number }): string | undefined {
  const [node, at] = findCaret(clientX, clientY);
  const text = node?.textContent ?? '';
  const before = /[\w$]*$/.exec(text.slice(Math.max(0, at - NAME_MAX_CHARS), at))?.[0] ?? '';
  const word = before + (/^[\w$]*/.exec(text.slice(at))?.[0] ?? '');
  return /^[A-Za-z_$]/.test(word) ? word : undefined;
}

function Lines({ file, from, to, cited, onSymbol, find, blame }: LinesProps) {
  const blocks = new Map(blame?.lines.map((block) => [block.start_line, block]));
  const highlighted = useHighlighted(file);
  const selectLines = useSelectLines(from);
  const clicked = (event: MouseEvent<HTMLOListElement>) => {
    const target = event.target as Element;
    const line = target.closest<HTMLElement>('a[data-line]')?.dataset['line'];
    if (line !== undefined) return selectLines(event, Number(line));
    const word = document.getSelection()?.isCollapsed === false ? undefined : findWord(event);
    if (word !== undefined && !target.closest('a, [data-blame]')) onSymbol(word);
  };
  return (
    // Links are pressed by Enter as well. The names of the first selected line are buttons above, for the keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <ol className={styles.lines} onClick={clicked}>
      {file.lines.map((content, at) => {
        const number = file.start_line + at;
        return (
          <Line
            key={number}
            number={number}
            content={content}
            pieces={highlighted[at]}
            matches={find.byLine.get(number)}
            current={find.current?.line === number ? find.current : undefined}
            isCited={number >= from && number <= to}
            first={number === from ? cited : undefined}
            blame={blame}
            block={blocks.get(number)}
          />
        );
      })}
    </ol>
  );
}

interface LineProps {
  number: number;
  content: string;
  /** The highlighted text, once it is ready. */
  pieces: Piece[] | undefined;
  /** What was found in the line. */
  matches: readonly Match[] | undefined;
  /** The chosen occurrence, if it is in the line. */
  current: Match | undefined;
  isCited: boolean;
  /** Receives the line when it is the first cited one. */
  first: RefObject<HTMLLIElement | null> | undefined;
  blame: FileBlame | undefined;
  /** The block of lines of one commit that begins here, if one does. */
  block: BlameLines | undefined;
}

/** A line. Drawn again only when something of it changes, because a file has thousands. */
const Line = memo(({ number, content, pieces, matches, current, isCited, first, blame, block }: LineProps) => (
  <li ref={first} className={isCited ? styles.cited : undefined}>
    {blame && block && <BlameHead blame={blame} block={block} />}
    <a
      className={styles.number}
      href={`#L${number}`}
      data-line={number}
      tabIndex={first ? 0 : -1}
      aria-label={`Line ${number}`}
    >
      {number}
    </a>
    <span>
      {matches ? (
        <Marked pieces={markPieces(pieces ?? [{ text: content, kind: '' }], matches)} current={current} />
      ) : (
        (pieces?.map(({ text, kind }, piece) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
          <span key={piece} className={styles[kind]}>
            {toDisplayText(text)}
          </span>
        )) ??
        (toDisplayText(content) || ' '))
      )}
    </span>
  </li>
));

/** The text of a line in which something was found. */
function Marked({ pieces, current }: { pieces: readonly MarkedPiece[]; current: Match | undefined }) {
  return pieces.map(({ text, kind, match }, piece) =>
    match ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
      <mark key={piece} data-current={match === current ? '' : undefined}>
        {toDisplayText(text)}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={piece} className={styles[kind]}>
        {toDisplayText(text)}
      </span>
    ),
  );
}

/** Returns a handler that puts the line of a click into the address; with Shift, all from the selected one. */
function useSelectLines(from: number) {
  const navigate = useNavigate();
  return (event: MouseEvent, line: number) => {
    event.preventDefault();
    const [first, last] = event.shiftKey ? [Math.min(from, line), Math.max(from, line)] : [line, line];
    void navigate({
      to: '.',
      search: (was) => ({ ...was, from: first, to: last }),
      hash: first === last ? `L${first}` : `L${first}-L${last}`,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  };
}
