import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Flag } from '../components/text/flag.js';
import { Icon } from '../components/text/icon.js';
import { savedClustersQuery, unreadIn } from '../features/clusters/clusters-list.js';
import { healthQuery } from '../features/system/system-queries.js';
import { toDisplayText } from '../lib/format/display-text.js';
import styles from './layout.module.css';

/** Makes the project's flag the icon of the tab, so that several projects can be told apart. */
function flyAsFavicon(cloth: Element | null | undefined): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!cloth || !icon) return;
  const drawn = cloth.cloneNode(true) as Element;
  drawn.setAttribute('width', '32');
  drawn.setAttribute('height', '24');
  icon.href = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
}

/**
 * Scrolls `item` into view. Not `scrollIntoView`: in some browsers, Chromium 150 among them, Tab then continues from
 * the scrolled item, past the link that skips the rail.
 */
function showWithin(nav: HTMLElement | null, item: Element | null | undefined): void {
  const rail = nav?.parentElement;
  if (!rail || !item) return;
  const { left, width, top, bottom } = item.getBoundingClientRect();
  const around = rail.getBoundingClientRect();
  nav.scrollLeft += left + width / 2 - around.left - around.width / 2;
  rail.scrollTop += Math.min(top - around.top, 0) || Math.max(bottom - around.bottom, 0);
}

interface RailProps {
  needs: number;
  live: number;
  talking: number;
  isCollapsed: boolean;
  onCollapse: (isCollapsed: boolean) => void;
  onShortcuts: () => void;
}

/** The navigation. Pages that do not exist have no link. */
export function Rail({ needs, live, talking, isCollapsed, onCollapse, onShortcuts }: RailProps) {
  const project = useQuery(healthQuery()).data?.project ?? '';
  const unread = unreadIn(useQuery(savedClustersQuery()).data);
  const brand = useRef<HTMLSpanElement>(null);
  const nav = useRef<HTMLElement>(null);
  const place = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  // On a phone the rail scrolls horizontally, in a low window vertically. The current entry must be in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has its own entry.
  useEffect(() => {
    const show = () => showWithin(nav.current, nav.current?.querySelector('[aria-current]'));
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [place]);
  useEffect(() => {
    if (project) flyAsFavicon(brand.current?.querySelector('svg svg'));
  }, [project]);
  return (
    <header className={styles.rail}>
      <div className={styles.brand}>
        <span ref={brand}>
          <Flag id={project || 'meshd'} size={28} isRaised />
        </span>
        {!isCollapsed && (
          <span className={styles.brandWords}>
            <strong className="truncate">{toDisplayText(project) || ' '}</strong>
            <span className="small quiet">meshd</span>
          </span>
        )}
      </div>
      <nav ref={nav} aria-label="Main">
        <PageLinks needs={needs} live={live} talking={talking} unread={unread} isCollapsed={isCollapsed} />
      </nav>
      <div className={styles.foot}>
        <button
          type="button"
          className={styles.item}
          onClick={onShortcuts}
          title={isCollapsed ? 'Shortcuts' : undefined}
        >
          <Icon name="keyboard" size={18} />
          <span className={styles.words}>Shortcuts</span>
        </button>
        <button
          type="button"
          className={styles.item}
          aria-expanded={!isCollapsed}
          onClick={() => onCollapse(!isCollapsed)}
        >
          <Icon name={isCollapsed ? 'widen' : 'narrow'} size={18} />
          <span className={styles.words}>{isCollapsed ? 'Widen' : 'Narrow'}</span>
        </button>
      </div>
    </header>
  );
}

interface PageLinksProps extends Pick<RailProps, 'needs' | 'live' | 'talking' | 'isCollapsed'> {
  unread: number;
}

function PageLinks({ needs, live, talking, unread, isCollapsed }: PageLinksProps) {
  const pages = [
    { to: '/', words: 'Home', icon: 'desk', count: needs, counts: 'need you' },
    { to: '/team', words: 'Team', icon: 'team', count: 0, counts: '' },
    { to: '/talk', words: 'Talk', icon: 'talk', count: talking, counts: 'under way' },
    { to: '/roadmap', words: 'Roadmap', icon: 'roadmap', count: 0, counts: '' },
    { to: '/requests', words: 'Requests', icon: 'requests', count: live, counts: 'under way' },
    { to: '/rooms', words: 'Clusters', icon: 'rooms', count: unread, counts: 'unread' },
    { to: '/map', words: 'Map', icon: 'map', count: 0, counts: '' },
    { to: '/find', words: 'Agent search', icon: 'find', count: 0, counts: '' },
    { to: '/ledger', words: 'Ledger', icon: 'ledger', count: 0, counts: '' },
    { to: '/system', words: 'System', icon: 'system', count: 0, counts: '' },
  ] as const;
  return (
    <ul className={styles.nav}>
      {pages.map(({ to, words: name, icon, count, counts }) => (
        <li key={to}>
          <Link
            to={to}
            className={styles.item}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            title={isCollapsed ? name : undefined}
          >
            <Icon name={icon} size={18} />
            <span className={styles.words}>{name}</span>
            {count > 0 && (
              <span className={counts === 'need you' ? `${styles.badge} ${styles.badgeNeeds}` : styles.badge}>
                {count > 99 ? '99+' : count}
                <span className="visually-hidden"> {counts}</span>
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}
