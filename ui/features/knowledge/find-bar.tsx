import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Icon } from '../../components/text/icon.js';
import styles from './file-panel.module.css';
import { MATCHES_MAX } from './find-in-lines.js';
import type { FindInFile } from './use-find-in-file.js';

/** The field that searches within a file. Enter goes to the next occurrence, with Shift to the previous. Esc closes. */
export function FindBar({ find }: { find: FindInFile }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const bar = field.current?.closest('search');
    field.current?.focus();
    // When the bar closes, its focus stays in the file.
    return () => {
      if (bar?.contains(document.activeElement))
        bar.closest('dialog')?.querySelector('section')?.focus({ preventScroll: true });
    };
  }, []);
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    // Esc would close the panel, too.
    event.stopPropagation();
    if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
    else find.close();
  };
  const reasonDisabled = find.current ? undefined : 'There is no match.';
  return (
    <search className={styles.find}>
      <TextField
        ref={field}
        data-find=""
        type="search"
        label="Find in this file"
        hidesLabel
        placeholder="Find in this file"
        maxLength={200}
        enterKeyHint="search"
        value={find.words}
        onChange={(event) => find.search(event.target.value)}
        onKeyDown={pressed}
      />
      <span role="status" className="small quiet">
        {formatCount(find)}
      </span>
      <Button
        isSmall
        look="quiet"
        aria-label="Previous match"
        title="Previous match (Shift Enter)"
        reasonDisabled={reasonDisabled}
        onClick={() => find.step(-1)}
      >
        <Icon name="fold" />
      </Button>
      <Button
        isSmall
        look="quiet"
        aria-label="Next match"
        title="Next match (Enter)"
        reasonDisabled={reasonDisabled}
        onClick={() => find.step(1)}
      >
        <Icon name="unfold" />
      </Button>
    </search>
  );
}

/** Formats as `3 of 17 in line 40`. */
function formatCount({ words, matches, current, isError }: FindInFile): string {
  if (words === '') return '';
  if (isError) return 'The file could not be read.';
  if (matches === undefined) return 'Reading the file…';
  if (!current) return 'No match';
  const count = matches.length.toLocaleString('en-GB');
  const at = (matches.indexOf(current) + 1).toLocaleString('en-GB');
  return `${at} of ${count}${matches.length === MATCHES_MAX ? ' or more' : ''}, line ${current.line}`;
}
