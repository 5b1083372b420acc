import type { ReactNode } from 'react';
import { fetched } from '../lib/fetched.js';
import styles from './layout.module.css';
import { useLineStatus } from './live-updates.js';
import { Rail, type RailProps } from './rail.js';
import { TopBar } from './top-bar.js';

// Loaded while the daemon runs.
const OfflineNotice = fetched(() => import('./offline-notice.js'));

interface FrameProps extends RailProps {
  onPalette: () => void;
  children?: ReactNode;
}

/** The frame around every page: the rail, the top bar and the page's content. */
export function Frame({ onPalette, children, ...rail }: FrameProps) {
  const { counts, isCollapsed } = rail;
  const line = useLineStatus();
  return (
    <div className={isCollapsed ? `${styles.frame} ${styles.collapsed}` : styles.frame}>
      <Rail {...rail} />
      <div className={styles.main}>
        <TopBar needs={counts['/'] ?? 0} isNamed={!isCollapsed} onPalette={onPalette} />
        <OfflineNotice />
        <main id="content" tabIndex={-1} className={styles.page} data-line={line.state}>
          {children}
        </main>
      </div>
    </div>
  );
}
