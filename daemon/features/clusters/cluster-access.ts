import { randomBytes, timingSafeEqual } from 'node:crypto';
import { unauthorized, type WrongCredentials } from '../../http/callers/bearer.js';
import { type ClusterCredential, differentTokens } from '../../http/callers/cluster-credential.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import type { ClusterDigests, ClusterRow, ClustersStore } from './clusters-store.js';

/**
 * The role of a caller in a cluster: `admin` with the `ak_` token, `member` with the `ck_` token, `visitor` without a
 * valid one.
 */
type Role = 'admin' | 'member' | 'visitor';

export interface Entered {
  cluster: ClusterRow;
  role: Role;
}

/** Compared against when the cluster or the credential does not exist, so that the response takes equally long. */
const NOBODYS = { token: randomBytes(32), admin: randomBytes(32) };

/**
 * Access control of clusters by cluster id and credential. To callers that read or join, a private cluster is
 * indistinguishable from one that does not exist, and both cost the same work. Wrong credentials are rate-limited.
 * Spec: Authentication.
 */
export class ClusterAccess {
  constructor(
    private readonly store: ClustersStore,
    private readonly wrong: WrongCredentials,
  ) {}

  /**
   * Admits readers: anyone for a public cluster, holders of its `ck_` or `ak_` for a private one. Throws `not_found`
   * to others.
   */
  asReader(id: string, credential: ClusterCredential): Entered {
    const { cluster, role } = this.look(id, credential);
    if (cluster && (cluster.visibility === 'public' || role !== 'visitor')) return { cluster, role };
    throw this.slowed(id, credential) ?? noCluster();
  }

  /**
   * Admits the holder of the `ak_` only. Throws `not_found` when there is no such cluster, `unauthorized` for any other
   * credential or none.
   */
  asAdmin(id: string, credential: ClusterCredential): ClusterRow {
    const { cluster, role } = this.look(id, credential);
    if (cluster && role === 'admin') return cluster;
    throw this.slowed(id, credential) ?? (cluster ? unauthorized() : noCluster());
  }

  /** Like `asReader`, for sockets: throws `unauthorized` whether the cluster is private or does not exist. */
  requireJoiner(id: string, credential: ClusterCredential): Entered {
    const { cluster, role } = this.look(id, credential);
    if (cluster && (cluster.visibility === 'public' || role !== 'visitor')) return { cluster, role };
    throw this.slowed(id, credential) ?? unauthorized();
  }

  /**
   * The role that `credential` has in the cluster; `visitor` when the cluster does not exist. Does the same work for
   * every id and credential.
   */
  roleOf(id: string, credential: ClusterCredential): Role {
    return this.look(id, credential).role;
  }

  /** Of two credentials both must be of this cluster, and the higher role counts. Throws `unauthorized`. */
  private look(id: string, credential: ClusterCredential): { cluster: ClusterRow | undefined; role: Role } {
    const found = this.store.findWithDigests(id);
    const roles = [credential ?? ''].flat().map((one) => getRole(one, found?.digests));
    const isWrong = roles.includes('visitor');
    if (isWrong && roles.length > 1) throw this.slowed(id, credential) ?? differentTokens();
    const role = isWrong ? 'visitor' : roles.includes('admin') ? 'admin' : 'member';
    return { cluster: found?.cluster, role };
  }

  /** Counts a wrong credential. Returns the error to throw when there were too many. */
  private slowed(id: string, credential: ClusterCredential): MeshError | undefined {
    if (credential === undefined) return undefined;
    const error = this.wrong.refuse(`cluster ${id.slice(0, 80)}`);
    return isMeshError(error, 'too_many_requests') ? error : undefined;
  }
}

function getRole(credential: string, digests: ClusterDigests | undefined): Role {
  const given = sha256(credential);
  const isAdmin = timingSafeEqual(given, digests?.admin ?? NOBODYS.admin);
  const isMember = timingSafeEqual(given, digests?.token ?? NOBODYS.token);
  return isAdmin ? 'admin' : isMember ? 'member' : 'visitor';
}

/** The error for a cluster that does not exist or that the caller may not see. */
export function noCluster(): MeshError {
  return new MeshError(
    'not_found',
    'There is no such cluster, or it is private: send its token as x-cluster-token if you have one.',
  );
}
