import { queryOptions, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useRef } from 'react';
import type { FileLines } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { Icon } from '../../components/text/icon.js';
import { call, query } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './file-panel.module.css';

const AROUND = 30;

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

interface FilePanelProps {
  path: string;
  from: number;
  to: number;
  onClose: () => void;
}

/** A project file at its cited lines, beside the page. Esc closes it and returns the focus. */
export function FilePanel({ path, from, to, onClose }: FilePanelProps) {
  const file = useQuery(fileLinesQuery(path, Math.max(1, from - AROUND), to + AROUND));
  const titleId = useId();
  const panel = useRef<HTMLDialogElement>(null);
  const cited = useRef<HTMLLIElement>(null);
  useSidePanel(panel, onClose);
  useEffect(() => {
    if (file.data) cited.current?.scrollIntoView({ block: 'center' });
  }, [file.data]);
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
        <Button look="quiet" aria-label="Close the file" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Lines">
        <Loaded query={file} what="The file could not be read." rows={12}>
          {(data) => <Lines file={data} from={from} to={to} cited={cited} />}
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
}

function Lines({ file, from, to, cited }: LinesProps) {
  return (
    <ol className={styles.lines}>
      {file.lines.map((content, at) => {
        const number = file.start_line + at;
        const isCited = number >= from && number <= to;
        return (
          <li key={number} ref={number === from ? cited : undefined} className={isCited ? styles.cited : undefined}>
            <span className={styles.number}>{number}</span>
            <span>{toDisplayText(content) || ' '}</span>
          </li>
        );
      })}
    </ol>
  );
}
