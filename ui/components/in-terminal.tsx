import { shownWords } from '../lib/shown-words.js';
import { CommandWords } from './command-words.js';
import { CopyButton } from './copy-button.js';
import styles from './panels.module.css';

/** The equivalent command line, to copy. */
export function InTerminal({ command }: { command: string }) {
  return (
    <div className={styles.terminal}>
      <span>In a terminal</span>
      <code>
        <CommandWords text={shownWords(command)} />
      </code>
      <CopyButton look="quiet" text={command} />
    </div>
  );
}
