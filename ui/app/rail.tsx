import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import type { Preferences } from '../../daemon/contract/system.js';
import { Flag } from '../components/text/flag.js';
import { Icon } from '../components/text/icon.js';
import { savedClustersQuery } from '../features/clusters/clusters-list.js';
import { ledgerTotalsQuery } from '../features/payments/ledger-totals-query.js';
import { healthQuery } from '../features/system/system-queries.js';
import { toDisplayText } from '../lib/format/display-text.js';
import styles from './layout.module.css';
import { PLACES, type Place } from './places.js';

/** Makes the project's flag the icon of the tab, so that several projects can be told apart. */
function setFavicon(cloth: Element | null | undefined): void {
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

/** How many things wait, run or are unread, by page. */
export type RailCounts = Partial<Record<Place['to'], number>>;

export interface RailProps {
  counts: RailCounts;
  isCollapsed: boolean;
  /** What the operator chose for the group *Network*; undefined until it is known. */
  network: Preferences['rail_network'] | undefined;
  onCollapse: (isCollapsed: boolean) => void;
  onFold: (network: 'folded' | 'unfolded') => void;
  onShortcuts: () => void;
}

/** The navigation. Pages that do not exist have no link. */
export function Rail({ counts, isCollapsed, network, onCollapse, onFold, onShortcuts }: RailProps) {
  const project = useQuery(healthQuery()).data?.project ?? '';
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
    if (project) setFavicon(brand.current?.querySelector('svg svg'));
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
        <p className={`${styles.group} ${styles.words}`}>Project</p>
        <PageLinks places={PLACES.project} counts={counts} isCollapsed={isCollapsed} />
        <Network counts={counts} isCollapsed={isCollapsed} network={network} onFold={onFold} />
        <PageLinks places={PLACES.other} counts={counts} isCollapsed={isCollapsed} />
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

/** The pages about other machines and programs. Folded, it shows the current page and what waits alone. */
function Network({ counts, isCollapsed, network, onFold }: Omit<RailProps, 'onCollapse' | 'onShortcuts'>) {
  const id = useId();
  const isAuto = network === 'auto';
  const clusters = useQuery(savedClustersQuery()).data;
  // Read only when nothing else tells whether the group was used.
  const ledger = useQuery({ ...ledgerTotalsQuery(), enabled: isAuto && clusters?.length === 0 }).data;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isUsed = (clusters?.length ?? 0) > 0 || (ledger?.entries.length ?? 0) > 0;
  const isOpen = network === 'unfolded' || (isAuto && isUsed);
  const isNeeded = ({ to }: Place) => path === to || path.startsWith(`${to}/`) || (counts[to] ?? 0) > 0;
  return (
    <>
      <button
        type="button"
        className={`${styles.item} ${styles.fold}`}
        aria-expanded={isOpen}
        aria-controls={id}
        title={isCollapsed ? 'Network' : undefined}
        onClick={() => onFold(isOpen ? 'folded' : 'unfolded')}
      >
        <Icon name={isOpen ? 'fold' : 'unfold'} size={18} />
        <span className={styles.words}>Network</span>
      </button>
      <PageLinks
        id={id}
        places={isOpen ? PLACES.network : PLACES.network.filter(isNeeded)}
        counts={counts}
        isCollapsed={isCollapsed}
      />
    </>
  );
}

const COUNTED: Partial<Record<Place['to'], string>> = { '/': 'need you', '/ledger': 'need you', '/rooms': 'unread' };

interface PageLinksProps extends Pick<RailProps, 'counts' | 'isCollapsed'> {
  id?: string;
  places: readonly Place[];
}

function PageLinks({ id, places, counts, isCollapsed }: PageLinksProps) {
  return (
    <ul id={id} className={styles.nav}>
      {places.map(({ to, name, icon }) => {
        const count = counts[to] ?? 0;
        const counted = COUNTED[to] ?? 'under way';
        return (
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
                <span className={counted === 'need you' ? `${styles.badge} ${styles.badgeNeeds}` : styles.badge}>
                  {count > 99 ? '99+' : count}
                  <span className="visually-hidden"> {counted}</span>
                </span>
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
