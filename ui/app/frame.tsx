import type { ReactNode } from 'react';
import styles from './layout.module.css';
import { useLineStatus } from './live-updates.js';
import { Rail } from './rail.js';
import { TopBar } from './top-bar.js';

interface FrameProps {
  needs: number;
  live: number;
  talking: number;
  isCollapsed: boolean;
  onCollapse: (isCollapsed: boolean) => void;
  onPalette: () => void;
  onShortcuts: () => void;
  children?: ReactNode;
}

/** The frame around every page: the rail, the top bar and the page's content. */
export function Frame({ needs, live, talking, isCollapsed, onCollapse, onPalette, onShortcuts, children }: FrameProps) {
  const line = useLineStatus();
  return (
    <div className={isCollapsed ? `${styles.frame} ${styles.collapsed}` : styles.frame}>
      <Rail
        needs={needs}
        live={live}
        talking={talking}
        isCollapsed={isCollapsed}
        onCollapse={onCollapse}
        onShortcuts={onShortcuts}
      />
      <div className={styles.main}>
        <TopBar needs={needs} isNamed={!isCollapsed} onPalette={onPalette} />
        <main id="content" tabIndex={-1} className={styles.page} data-line={line.state}>
          {children}
        </main>
      </div>
    </div>
  );
}
