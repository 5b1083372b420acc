import { useEffect } from 'react';
import { shownWords } from '../../lib/shown-words.js';
import styles from './mention-list.module.css';
import type { Mentions } from './use-mentions.js';

/** Files that fit what is typed after an `@`. The focus stays in the text: its keys choose. */
export function MentionList({ id, paths, chosen, optionId, take, point }: Mentions) {
  useEffect(() => {
    if (optionId !== undefined) document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId]);
  return (
    <div className={styles.place}>
      <div id={id} role="listbox" aria-label="Files of the project" className={styles.list} hidden={paths.length === 0}>
        {paths.map((path, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the text's.
          <div
            key={path}
            role="option"
            id={`${id}-${at}`}
            aria-selected={at === chosen}
            tabIndex={-1}
            className={styles.option}
            // The text keeps the focus: leaving it would take the list away before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(path)}
            onMouseMove={() => point(at)}
          >
            {shownWords(path)}
          </div>
        ))}
      </div>
      <span role="status" className="visually-hidden">
        {paths.length > 0 ? `${paths.length} ${paths.length === 1 ? 'file' : 'files'}, Enter takes, Escape closes` : ''}
      </span>
    </div>
  );
}
