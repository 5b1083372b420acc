import { randomBytes, timingSafeEqual } from 'node:crypto';
import { unauthorized, type WrongCredentials } from '../../http/bearer.js';
import { sha256 } from '../../lib/digests.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { ClusterRow, ClustersStore } from './clusters-store.js';

/** What a credential makes of its bearer: `admin` by the `ak_`, `member` by the `ck_`, `visitor` without a right one. */
export type Role = 'admin' | 'member' | 'visitor';

export interface Entered {
  cluster: ClusterRow;
  role: Role;
}

/** Compared with where there is no cluster, or no such credential, so that the answer takes as long. */
const NOBODYS = { token: randomBytes(32), admin: randomBytes(32) };

/**
 * Who may do what with a cluster, by its id and the credential that was sent. A private cluster and one that does not exist are told apart by no
 * answer to whoever reads or joins, and both cost the same work. Wrong credentials are slowed down like everywhere. Spec: Authentication.
 */
export class ClusterDoor {
  constructor(
    private readonly store: ClustersStore,
    private readonly wrong: WrongCredentials,
  ) {}

  /** Opens to whoever may read: anyone at a public cluster, a holder of its `ck_` or `ak_` at a private one. Throws `not_found` to others. */
  asReader(id: string, credential: string | undefined): Entered {
    const { cluster, role } = this.look(id, credential);
    if (cluster && (cluster.visibility === 'public' || role !== 'visitor')) return { cluster, role };
    throw this.slowed(id, credential) ?? noCluster();
  }

  /** Opens to the `ak_` alone. Throws `not_found` when there is no such cluster, `unauthorized` for any other credential or none. */
  asAdmin(id: string, credential: string | undefined): ClusterRow {
    const { cluster, role } = this.look(id, credential);
    if (cluster && role === 'admin') return cluster;
    throw this.slowed(id, credential) ?? (cluster ? unauthorized() : noCluster());
  }

  /** As `asReader` for the socket: whoever may not join gets `unauthorized`, whether the cluster is private or does not exist. */
  asJoiner(id: string, credential: string | undefined): Entered {
    const { cluster, role } = this.look(id, credential);
    if (cluster && (cluster.visibility === 'public' || role !== 'visitor')) return { cluster, role };
    throw this.slowed(id, credential) ?? unauthorized();
  }

  /** What `credential` is worth at the cluster; a visitor's where there is none. The same work for every id and every credential. */
  roleOf(id: string, credential: string | undefined): Role {
    return this.look(id, credential).role;
  }

  private look(id: string, credential: string | undefined): { cluster: ClusterRow | undefined; role: Role } {
    const found = this.store.findWithDigests(id);
    const given = sha256(credential ?? '');
    const isAdmin = timingSafeEqual(given, found?.digests.admin ?? NOBODYS.admin);
    const isMember = timingSafeEqual(given, found?.digests.token ?? NOBODYS.token);
    return { cluster: found?.cluster, role: isAdmin ? 'admin' : isMember ? 'member' : 'visitor' };
  }

  /** Counts a wrong credential; the error to throw once there were too many. */
  private slowed(id: string, credential: string | undefined): MeshError | undefined {
    if (credential === undefined) return undefined;
    const error = this.wrong.refuse(`cluster ${id.slice(0, 80)}`);
    return isMeshError(error, 'too_many_requests') ? error : undefined;
  }
}

/** The answer to whoever asks for a cluster that is not there, or that hides. */
export function noCluster(): MeshError {
  return new MeshError(
    'not_found',
    'There is no such cluster, or it is private: send its token as x-cluster-token if you have one.',
  );
}
