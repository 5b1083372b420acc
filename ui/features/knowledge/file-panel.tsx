import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { FileBlame } from '../../../daemon/contract/code.js';
import type { FileLines } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { Icon } from '../../components/text/icon.js';
import { call, query } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { BlameHead, BlameNote, useBlame } from './blame.js';
import styles from './file-panel.module.css';
import type { Piece } from './highlight.js';
import { Symbols } from './symbols.js';

const AROUND = 30;
/** The most that one response holds. */
const LINES_MAX = 2_000;

const fileLinesQuery = (path: string, start: number, end: number) =>
  queryOptions({
    queryKey: ['file', path, start, end] as const,
    queryFn: ({ signal }) => call<FileLines>(`/project/file${query({ path, start, end })}`, { signal }),
    staleTime: 0,
  });

/** From this width on the panel is beside the page. Below it, the panel covers the page and traps the focus. */
const BESIDE = '(min-width: 1200px)';

/** Opens the dialog while it is mounted, returns the focus afterwards, and calls `onClose` on Esc. */
function useSidePanel(panel: RefObject<HTMLDialogElement | null>, onClose: () => void) {
  useEffect(() => {
    const before = document.activeElement;
    const dialog = panel.current;
    if (dialog && !dialog.open) {
      if (window.matchMedia(BESIDE).matches) dialog.show();
      else dialog.showModal();
    }
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [panel]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('dialog:modal')) onClose();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [onClose]);
}

function isInView(line: Element): boolean {
  const { top, bottom } = line.getBoundingClientRect();
  const box = line.closest('section')?.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
}

interface FilePanelProps {
  path: string;
  from: number;
  to: number;
  onClose: () => void;
}

/** A project file at its cited lines, beside the page. Esc closes it and returns the focus. */
export function FilePanel({ path, from, to, onClose }: FilePanelProps) {
  const last = Math.max(LINES_MAX, to + AROUND);
  const file = useQuery(fileLinesQuery(path, last - LINES_MAX + 1, last));
  const [symbol, setSymbol] = useState<string>();
  const [isBlamed, setBlamed] = useState(false);
  const blame = useBlame(file.data, isBlamed);
  const titleId = useId();
  const panel = useRef<HTMLDialogElement>(null);
  const cited = useRef<HTMLLIElement>(null);
  useSidePanel(panel, onClose);
  useEffect(() => {
    // A line that is in view already is not moved under the pointer.
    if (file.data && from > 0) cited.current?.scrollIntoView({ block: isInView(cited.current) ? 'nearest' : 'center' });
  }, [file.data, from]);
  return (
    <dialog
      ref={panel}
      aria-labelledby={titleId}
      className={styles.panel}
      data-side-panel=""
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles.head}>
        <h2 id={titleId}>
          {toDisplayText(path)}
          <span className="quiet">
            :{from}
            {to > from && `-${to}`}
          </span>
        </h2>
        <span className={styles.acts}>
          <Button isSmall look="quiet" aria-pressed={isBlamed} onClick={() => setBlamed(!isBlamed)}>
            Who changed this
          </Button>
          <CopyButton text={path} label="Copy path" />
          <Button look="quiet" aria-label="Close the file" onClick={onClose}>
            <Icon name="close" />
          </Button>
        </span>
      </div>
      {file.data && <Symbols file={file.data} line={from} chosen={symbol} onChoose={setSymbol} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Lines">
        {isBlamed && <BlameNote blame={blame} />}
        <Loaded query={file} what="The file could not be read." rows={12}>
          {(data) => <Lines file={data} from={from} to={to} cited={cited} onSymbol={setSymbol} blame={blame.data} />}
        </Loaded>
        {file.data && file.data.end_line < file.data.total_lines && (
          <p className={`${styles.message} quiet small`}>
            Lines {file.data.start_line} to {file.data.end_line} of {file.data.total_lines}.
          </p>
        )}
      </section>
    </dialog>
  );
}

interface LinesProps {
  file: FileLines;
  from: number;
  to: number;
  /** Receives the first cited line. */
  cited: RefObject<HTMLLIElement | null>;
  onSymbol: (name: string) => void;
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

/** Returns the identifier at a point of the page, or undefined. */
function findWord({ clientX, clientY }: { clientX: number; clientY: number }): string | undefined {
  const range = document.caretRangeFromPoint?.(clientX, clientY);
  const text = range?.startContainer.textContent ?? '';
  const at = range?.startOffset ?? 0;
  const before = /[\w$]*$/.exec(text.slice(0, at))?.[0] ?? '';
  const word = before + (/^[\w$]*/.exec(text.slice(at))?.[0] ?? '');
  return /^[A-Za-z_$]/.test(word) ? word : undefined;
}

function Lines({ file, from, to, cited, onSymbol, blame }: LinesProps) {
  const blocks = new Map(blame?.lines.map((block) => [block.start_line, block]));
  const highlighted = useHighlighted(file);
  const selectLines = useSelectLines(from);
  return (
    // The names of the first selected line are buttons above, for the keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <ol
      className={styles.lines}
      onClick={(event) => {
        const word = document.getSelection()?.isCollapsed === false ? undefined : findWord(event);
        if (word !== undefined && !(event.target as Element).closest('a, [data-blame]')) onSymbol(word);
      }}
    >
      {file.lines.map((content, at) => {
        const number = file.start_line + at;
        const block = blocks.get(number);
        const isCited = number >= from && number <= to;
        return (
          <li key={number} ref={number === from ? cited : undefined} className={isCited ? styles.cited : undefined}>
            {blame && block && <BlameHead blame={blame} block={block} />}
            <a
              className={styles.number}
              href={`#L${number}`}
              tabIndex={number === from ? 0 : -1}
              aria-label={`Line ${number}`}
              onClick={(event) => selectLines(event, number)}
            >
              {number}
            </a>
            <span>
              {highlighted[at]?.map(({ text, kind }, piece) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
                <span key={piece} className={styles[kind]}>
                  {toDisplayText(text)}
                </span>
              )) ??
                (toDisplayText(content) || ' ')}
            </span>
          </li>
        );
      })}
    </ol>
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
