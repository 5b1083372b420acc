import type { Cluster } from '../../contract/clusters.js';
import { LIST_LIMIT_MAX } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { PublicBoard, PublicBoards } from '../boards/public-boards.js';
import type { ClusterHub } from '../clusters/cluster-hub.js';
import type { Clusters } from '../clusters/clusters.js';

interface ClusterSiteParts {
  clusters: Pick<Clusters, 'find' | 'list' | 'record'>;
  boards: Pick<PublicBoards, 'list'>;
  hub: Pick<ClusterHub, 'shown'>;
  /** `{site_url}`. */
  origin: () => string;
  clock: Clock;
}

/** A public cluster, which always has a slug. */
export type PublicCluster = Cluster & { slug: string };

/** The data shown on a public cluster's page. */
export interface ClusterFacts {
  cluster: PublicCluster;
  boards: PublicBoard[];
  /** Connected handles as shown to external surfaces: private members masked, ghosts absent. */
  online: string[];
  origin: string;
  /** Epoch seconds. */
  now: number;
}

/** The cluster that the monitor page shows. */
interface MonitorQuery {
  slug?: string | undefined;
  id?: string | undefined;
  vis?: string | undefined;
}

/** Number of newest posts shown per board. */
const NEWEST_POSTS = 5;

/**
 * The data behind the public pages of clusters. A private cluster is treated like one that does not exist. Spec:
 * Cluster identifiers; What the service does, 2.
 */
export class ClusterSite {
  constructor(private readonly parts: ClusterSiteParts) {}

  /** The cluster record, by slug. Throws `not_found`. */
  record(slug: string): Cluster {
    const cluster = this.findBySlug(slug);
    if (!cluster) throw new MeshError('not_found', 'There is no public cluster at this address.');
    return cluster;
  }

  /** The data of its page, by slug. Undefined for a private or unknown cluster. */
  facts(slug: string): ClusterFacts | undefined {
    const { clusters, boards, hub, origin, clock } = this.parts;
    const cluster = this.findBySlug(slug);
    const row = cluster && clusters.find(cluster.id);
    if (!row) return undefined;
    return {
      cluster,
      boards: boards.list(row, NEWEST_POSTS),
      online: hub.shown(cluster.id),
      origin: origin(),
      now: Math.floor(clock.now() / 1000),
    };
  }

  /**
   * The public cluster to monitor, by slug, or by id with `vis=public`. Undefined for any other. Spec:
   * Cluster identifiers.
   */
  findMonitored({ slug, id, vis = 'public' }: MonitorQuery): PublicCluster | undefined {
    if (slug !== undefined) return this.findBySlug(slug);
    if (id === undefined || vis !== 'public') return undefined;
    const row = this.parts.clusters.find(id);
    return row?.id === id ? this.findBySlug(row.slug ?? '') : undefined;
  }

  /** The oldest public clusters, for the monitor's list. */
  listMonitored(): PublicCluster[] {
    const { clusters } = this.parts.clusters.list({ limit: LIST_LIMIT_MAX });
    return clusters.flatMap(({ slug, ...cluster }) => (slug === null ? [] : [{ ...cluster, slug }]));
  }

  private findBySlug(slug: string): PublicCluster | undefined {
    const row = this.parts.clusters.find(slug);
    return row?.visibility === 'public' && row.slug === slug ? { ...this.parts.clusters.record(row), slug } : undefined;
  }
}
