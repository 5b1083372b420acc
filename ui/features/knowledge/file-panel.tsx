import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { Icon } from '../../components/text/icon.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { isEscape } from '../../lib/keys/is-escape.js';
import { preferencesQuery } from '../system/system-queries.js';
import styles from './file-panel.module.css';
import { FileScroll } from './file-scroll.js';
import { FindBar } from './find-bar.js';
import { OpenInEditor } from './open-in-editor.js';
import { Symbols } from './symbols.js';
import { useFilePages } from './use-file-pages.js';
import { type FindInFile, useFindInFile } from './use-find-in-file.js';

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
      if (isEscape(event) && !document.querySelector('dialog:modal')) onClose();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [onClose]);
}

/** Opens the search within the file on `/` while the focus is in the panel, if single-key shortcuts are on. */
function useFindKey(panel: RefObject<HTMLDialogElement | null>, find: FindInFile) {
  const hasSingleKeys = useQuery(preferencesQuery()).data?.single_key_shortcuts ?? true;
  const open = useRef(find.open);
  open.current = find.open;
  useEffect(() => {
    const dialog = panel.current;
    const pressed = (event: KeyboardEvent) => {
      if (!hasSingleKeys || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      open.current();
      dialog?.querySelector<HTMLElement>('[data-find]')?.focus();
    };
    dialog?.addEventListener('keydown', pressed);
    return () => dialog?.removeEventListener('keydown', pressed);
  }, [panel, hasSingleKeys]);
}

interface FilePanelProps {
  path: string;
  from: number;
  to: number;
  onClose: () => void;
}

/** A project file at its cited lines, beside the page. Esc closes it and returns the focus. */
export function FilePanel({ path, from, to, onClose }: FilePanelProps) {
  const find = useFindInFile(path, from);
  const file = useFilePages(path, find.line);
  const [symbol, setSymbol] = useState<string>();
  const [isBlamed, setBlamed] = useState(false);
  const titleId = useId();
  const panel = useRef<HTMLDialogElement>(null);
  useSidePanel(panel, onClose);
  useFindKey(panel, find);
  const selected = file.data?.pages.find(({ start_line, end_line }) => from >= start_line && from <= end_line);
  return (
    <dialog
      ref={panel}
      aria-labelledby={titleId}
      className={styles.panel}
      data-side-panel=""
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
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
          {!file.isError && (
            <>
              <Button
                isSmall
                look="quiet"
                aria-pressed={find.isOpen}
                aria-keyshortcuts="/"
                onClick={find.isOpen ? find.close : find.open}
              >
                Search
              </Button>
              <Button isSmall look="quiet" aria-pressed={isBlamed} onClick={() => setBlamed(!isBlamed)}>
                Who changed this
              </Button>
              <OpenInEditor path={path} line={from} />
            </>
          )}
          <CopyButton text={path} label="Copy path" />
          <Button look="quiet" aria-label="Close the file" onClick={onClose}>
            <Icon name="close" />
          </Button>
        </span>
        {find.isOpen && <FindBar find={find} />}
      </div>
      {selected && <Symbols file={selected} line={from} chosen={symbol} onChoose={setSymbol} />}
      <FileScroll {...{ file, from, to, path, isBlamed, find }} onSymbol={setSymbol} />
    </dialog>
  );
}
