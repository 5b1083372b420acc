import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LineStatus } from '../../daemon/client/events-line.js';
import { Icon } from '../components/text/icon.js';
import { fetched } from '../lib/fetched.js';
import { formatClockTime, formatClockTimeWithSeconds } from '../lib/format/clock-format.js';
import { isApple } from '../lib/platform.js';
import styles from './layout.module.css';
import { useLineStatus } from './live-updates.js';

// This is outside every page, so an error thrown here would remove all of them. The fallback prevents that.
const ProjectSwitcher = fetched(
  () => import('../features/projects/project-switcher.js'),
  null,
  <button type="button" className={styles.goto} onClick={() => window.location.reload()}>
    Reload the projects
  </button>,
);

function formatLine({ state, lastActivityAt: heardAt }: LineStatus): string {
  if (state === 'live') return 'Live';
  if (state === 'catching_up') return 'Catching up';
  return heardAt > 0 ? `Offline — showing ${formatClockTime(heardAt)}` : 'Offline';
}

/** Announces once that something new needs the operator, on any page. */
function NeedsAlert({ needs }: { needs: number }) {
  const [said, setSaid] = useState({ needs, words: '' });
  if (needs !== said.needs) setSaid({ needs, words: needs > said.needs ? `Needs you: ${needs}` : '' });
  return (
    <p role="alert" className="visually-hidden">
      {said.words}
    </p>
  );
}

interface TopBarProps {
  needs: number;
  /** The rail beside it shows the project's name. */
  isNamed: boolean;
  onPalette: () => void;
}

export function TopBar({ needs, isNamed, onPalette }: TopBarProps) {
  const line = useLineStatus();
  return (
    <section className={styles.top} aria-label="Status">
      <ProjectSwitcher isNamed={isNamed} />
      <button type="button" className={styles.goto} onClick={onPalette} aria-keyshortcuts="Control+K Meta+K">
        <Icon name="search" />
        <span className={styles.gotoWords}>Go to or ask…</span>
        <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <NeedsAlert needs={needs} />
      <div className={styles.topEnd}>
        {needs > 0 && (
          <Link to="/" hash="needs-you" className={styles.needs}>
            <svg width="12" height="12" viewBox="0 0 16 16" aria-hidden="true" focusable="false" fill="currentColor">
              <path d="M8 .5 15.500 8 8 15.500.5 8z" />
            </svg>
            <span className={styles.needsWords}>Needs you</span> ({needs})
          </Link>
        )}
        <span
          className={styles.line}
          data-line={line.state}
          role="status"
          title={
            line.lastActivityAt > 0 ? `Last contact ${formatClockTimeWithSeconds(line.lastActivityAt)}` : undefined
          }
        >
          <span className={styles.dot} aria-hidden="true" />
          {formatLine(line)}
        </span>
      </div>
    </section>
  );
}
