import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Icon } from '../../components/text/icon.js';
import { isComposing } from '../../lib/keys/is-composing.js';
import styles from './file-panel.module.css';
import { MATCHES_MAX } from './find-in-lines.js';
import type { FindInFile } from './use-find-in-file.js';

const STEPS = [
  { step: -1, label: 'Previous match', keys: 'Shift Enter', icon: 'fold' },
  { step: 1, label: 'Next match', keys: 'Enter', icon: 'unfold' },
] as const;

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
    if (isComposing(event.nativeEvent) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
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
        label="Search in this file"
        hidesLabel
        placeholder="Search in this file"
        maxLength={200}
        enterKeyHint="search"
        value={find.words}
        onChange={(event) => find.search(event.target.value)}
        onKeyDown={pressed}
      />
      <span role="status" className="small quiet">
        {formatCount(find)}
      </span>
      {STEPS.map(({ step, label, keys, icon }) => (
        <Button
          key={label}
          isSmall
          look="quiet"
          aria-label={label}
          title={`${label} (${keys})`}
          reasonDisabled={reasonDisabled}
          onClick={() => find.step(step)}
        >
          <Icon name={icon} />
        </Button>
      ))}
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
