import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Flag } from '../components/flag.js';
import { Icon } from '../components/icon.js';
import { roomsQuery, unreadIn } from '../features/rooms/rooms-list.js';
import { healthQuery } from '../features/system/system-queries.js';
import { shownWords } from '../lib/shown-words.js';
import styles from './layout.module.css';

// What the rail can do without for a moment.
const comforts = import('./comforts/rail-comforts.js');

interface RailProps {
  needs: number;
  live: number;
  talking: number;
  isCollapsed: boolean;
  onCollapse: (isCollapsed: boolean) => void;
  onShortcuts: () => void;
}

/** Where one can go. Pages that do not exist have no link. */
export function Rail({ needs, live, talking, isCollapsed, onCollapse, onShortcuts }: RailProps) {
  const project = useQuery(healthQuery()).data?.project ?? '';
  const unread = unreadIn(useQuery(roomsQuery()).data);
  const brand = useRef<HTMLSpanElement>(null);
  const nav = useRef<HTMLElement>(null);
  const place = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  // On a phone the rail scrolls sideways, in a low window downwards: where one is must be seen in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has its own entry.
  useEffect(() => {
    const over = new AbortController();
    void comforts.then(({ keepShown }) => keepShown(nav.current, over.signal));
    return () => over.abort();
  }, [place]);
  useEffect(() => {
    if (project) void comforts.then(({ flyAsFavicon }) => flyAsFavicon(brand.current));
  }, [project]);
  const pages = [
    { to: '/', words: 'Desk', icon: 'desk', count: needs, counts: 'need you' },
    { to: '/team', words: 'Team', icon: 'team', count: 0, counts: '' },
    { to: '/talk', words: 'Talk', icon: 'talk', count: talking, counts: 'under way' },
    { to: '/roadmap', words: 'Roadmap', icon: 'roadmap', count: 0, counts: '' },
    { to: '/requests', words: 'Requests', icon: 'requests', count: live, counts: 'under way' },
    { to: '/rooms', words: 'Rooms', icon: 'rooms', count: unread, counts: 'unread' },
    { to: '/map', words: 'Map', icon: 'map', count: 0, counts: '' },
    { to: '/find', words: 'Find', icon: 'find', count: 0, counts: '' },
    { to: '/ledger', words: 'Ledger', icon: 'ledger', count: 0, counts: '' },
    { to: '/system', words: 'System', icon: 'system', count: 0, counts: '' },
  ] as const;
  return (
    <header className={styles.rail}>
      <div className={styles.brand}>
        <span ref={brand}>
          <Flag id={project || 'meshd'} size={28} isRaised />
        </span>
        {!isCollapsed && (
          <span className={styles.brandWords}>
            <strong className="truncate">{shownWords(project) || ' '}</strong>
            <span className="small quiet">meshd</span>
          </span>
        )}
      </div>
      <nav ref={nav} aria-label="Main">
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
