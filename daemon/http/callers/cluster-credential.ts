import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';
import { parseBearer, unauthorized } from './bearer.js';

const MAX_LENGTH = 256;

/**
 * Returns the `ck_` or `ak_` token of a request: header `x-cluster-token`, else `Authorization: Bearer`, else query
 * `token`; undefined when it carries none. Throws `unauthorized` when it carries two that differ, or when the query
 * carries one twice. Spec: Authentication.
 */
export function parseClusterCredential(request: AnyRequest): string | undefined {
  const { token } = request.query as { token?: string | string[] };
  if (Array.isArray(token)) throw unauthorized();
  const inHeader = request.headers['x-cluster-token'];
  const sent = [Array.isArray(inHeader) ? inHeader.join() : inHeader, parseBearer(request), token];
  const distinct = new Set(sent.filter((one): one is string => one !== undefined && one !== ''));
  if (distinct.size > 1) throw new MeshError('unauthorized', 'Send one token: this request carries different ones.');
  const [credential] = distinct;
  return credential?.slice(0, MAX_LENGTH);
}
