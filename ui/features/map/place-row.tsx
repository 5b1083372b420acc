import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MapPlace } from '../../../daemon/contract/saved-clusters.js';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './map-page.module.css';
import { getPlaceName } from './map-places.js';

/** A link to a place's cluster or post. */
export function PlaceLink({
  place: { kind, cluster_id, post, board },
  className,
  children,
  isRow = false,
}: {
  place: MapPlace;
  className: string | undefined;
  children: ReactNode;
  isRow?: boolean;
}) {
  const row = isRow ? { 'data-row': '' } : {};
  return kind === 'post' && post !== undefined ? (
    <Link
      to="/rooms/$id/p/$pid"
      params={{ id: cluster_id, pid: post }}
      search={{ board }}
      className={className}
      {...row}
    >
      {children}
    </Link>
  ) : (
    <Link to="/rooms/$id" params={{ id: cluster_id }} className={className} {...row}>
      {children}
    </Link>
  );
}

/** A place in the list: name, cluster, and the label of its place. */
export function PlaceRow({ place, isOnMap }: { place: MapPlace; isOnMap: boolean }) {
  const { kind, cluster_id, cluster, board, label } = place;
  return (
    <li className={styles.row}>
      <Flag id={cluster_id} size={22} />
      <div className={styles.words}>
        <PlaceLink place={place} className={rows.main} isRow>
          {toDisplayText(getPlaceName(place))}
        </PlaceLink>
        <p className="quiet small">
          {kind === 'post' ? `post in ${toDisplayText(cluster)}${board === undefined ? '' : `, #${board}`}` : 'cluster'}
        </p>
      </div>
      <p className={styles.where}>
        {toDisplayText(label)}
        {!isOnMap && <span className="quiet small"> text only, not on the map</span>}
      </p>
    </li>
  );
}
