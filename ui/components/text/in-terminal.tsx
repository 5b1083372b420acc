import { toDisplayText } from '../../lib/format/display-text.js';
import styles from '../panels.module.css';
import { CommandText } from './command-text.js';
import { CopyButton } from './copy-button.js';

/** The equivalent command line, to copy. */
export function InTerminal({ command }: { command: string }) {
  return (
    <div className={styles.terminal}>
      <span>In a terminal</span>
      <code>
        <CommandText text={toDisplayText(command)} />
      </code>
      <CopyButton look="quiet" text={command} />
    </div>
  );
}
