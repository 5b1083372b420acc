import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';
import { parseBearer, unauthorized } from './bearer.js';

const MAX_LENGTH = 256;

/** A token of a cluster, or both of them; undefined for none. */
export type ClusterCredential = string | readonly string[] | undefined;

export const differentTokens = () =>
  new MeshError('unauthorized', 'Send one token, or both of this cluster: this request carries different ones.');

/**
 * Returns the `ck_` and `ak_` tokens of a request: of the header `x-cluster-token`, `Authorization: Bearer` and the
 * query `token`. Throws `unauthorized` when it carries more than the two that a cluster has, or when the query carries
 * one twice. Spec: Authentication.
 */
export function parseClusterCredential(request: AnyRequest): ClusterCredential {
  const { token } = request.query as { token?: string | string[] };
  if (Array.isArray(token)) throw unauthorized();
  const inHeader = request.headers['x-cluster-token'];
  const sent = [Array.isArray(inHeader) ? inHeader.join() : inHeader, parseBearer(request), token];
  const given = sent.filter((one): one is string => one !== undefined && one !== '');
  const distinct = [...new Set(given)].map((one) => one.slice(0, MAX_LENGTH));
  if (distinct.length > 2) throw differentTokens();
  return distinct.length === 2 ? distinct : distinct[0];
}
