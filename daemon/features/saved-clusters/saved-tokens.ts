import { isMeshError, MeshError } from '../../lib/errors.js';
import type { ClusterAccess } from '../clusters/cluster-access.js';
import type { Clusters } from '../clusters/clusters.js';

/** The known tokens of a cluster; `null` for an unknown one. */
export interface SavedTokens {
  token: string | null;
  admin_token: string | null;
}

interface Judges {
  clusters: Pick<Clusters, 'find'>;
  clusterAccess: Pick<ClusterAccess, 'asReader' | 'asAdmin' | 'roleOf'>;
}

type GivenTokens = { [Name in keyof SavedTokens]?: string | null | undefined };

/**
 * Merges the given tokens into the saved ones; `null` deletes one. An admin token given as `token` is stored as
 * `admin_token`. Throws `not_found` for an unknown cluster, and likewise for a private one that none of the tokens
 * opens; `unauthorized` for a wrong token of a public one; `too_many_requests`; `bad_request` when the deletion would
 * leave the operator without access to a private cluster.
 */
export function checkTokens(
  { clusters, clusterAccess }: Judges,
  id: string,
  given: GivenTokens,
  before: SavedTokens | undefined,
): SavedTokens {
  const cluster = clusters.find(id);
  const tokens: SavedTokens = { token: before?.token ?? null, admin_token: before?.admin_token ?? null };
  for (const name of ['token', 'admin_token'] as const) {
    const credential = given[name];
    if (credential === undefined) continue;
    if (credential === null) {
      tokens[name] = null;
      continue;
    }
    const role = clusterAccess.roleOf(id, credential);
    if (role === 'visitor') refuse(clusterAccess, id, credential, cluster?.visibility === 'public');
    if (name === 'admin_token' && role !== 'admin') {
      throw new MeshError('bad_request', '"admin_token" must be the admin token (ak_), which only its creator has.', {
        details: { path: name },
      });
    }
    tokens[role === 'admin' ? 'admin_token' : 'token'] = credential;
  }
  const isOpen =
    cluster !== undefined && (cluster.visibility === 'public' || tokens.token !== null || tokens.admin_token !== null);
  if (!isOpen && before) {
    throw new MeshError('bad_request', 'A private cluster needs one of its tokens: leave the cluster instead.', {
      details: { path: 'token' },
    });
  }
  if (!isOpen) clusterAccess.asReader(id, undefined);
  return tokens;
}

/**
 * Counts a wrong credential and throws. The error reveals nothing about a private cluster; the existence of a public
 * one is no secret.
 */
function refuse(clusterAccess: Judges['clusterAccess'], id: string, credential: string, isPublic: boolean): void {
  if (!isPublic) {
    clusterAccess.asReader(id, credential);
    return;
  }
  try {
    clusterAccess.asAdmin(id, credential);
  } catch (error) {
    if (!isMeshError(error, 'unauthorized')) throw error;
    throw new MeshError(
      'unauthorized',
      'This is not a token of that cluster. It is public: leave the token out, or send the right one.',
    );
  }
}
