import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.js';
import { type BoardVisit, createVisit } from '../../features/boards/board-visit.js';
import { cardQuery } from '../../features/clusters/clusters-queries.js';
import { useSavedCluster } from '../../features/clusters/use-saved-cluster.js';
import { MissingPage } from './missing-page.js';

/**
 * Loads the cluster of a board page, with the operator's tokens when the cluster is saved. A public cluster needs none.
 */
export function VisitedCluster({ id, children }: { id: string; children: (visit: BoardVisit) => ReactNode }) {
  const savedCluster = useSavedCluster(id);
  const saved = savedCluster.isUnknown ? null : savedCluster.data;
  const token = saved?.token ?? saved?.admin_token;
  const card = useQuery({ ...cardQuery(saved?.cluster_id ?? id, token), enabled: saved !== undefined });
  if (MissingPage.fits(card.error))
    return (
      <MissingPage title="There is no such cluster" name={id} to="/rooms" words="Show the clusters">
        It was deleted, or the address is mistyped. A private cluster opens only after you join with its token.
      </MissingPage>
    );
  if (saved === undefined && savedCluster.error)
    return (
      <Loaded query={savedCluster} what="The cluster could not be read.">
        {() => null}
      </Loaded>
    );
  return (
    <Loaded query={card} what="The cluster could not be read." rows={8}>
      {(cluster) =>
        // Everything below uses the id, so a slug is redirected to it.
        cluster.id === id ? (
          children(createVisit(cluster, saved ?? null))
        ) : (
          <Navigate to="." params={{ id: cluster.id }} search replace />
        )
      }
    </Loaded>
  );
}
