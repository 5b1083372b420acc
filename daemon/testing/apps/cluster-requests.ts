import type { ClusterAnswer } from '../../contract/clusters.js';
import { rawRequest, UPGRADE } from '../processes/raw-request.js';
import type { ClustersApp } from './clusters-app.js';

/** The header that sends a token of a cluster. */
export const with_ = (token: string) => ({ 'x-cluster-token': token });

/** Reads the card of a cluster. In a refusal there is no `cluster`. */
export async function card(
  app: ClustersApp,
  id: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; cluster: ClusterAnswer['cluster'] }> {
  const { status, body } = await app.call('GET', `/v1/clusters/${id}`, undefined, headers);
  return { status, cluster: (body as ClusterAnswer).cluster };
}

/** Returns the status and body of the response to an upgrade of the cluster's socket. */
export async function upgrade(
  app: ClustersApp,
  id: string,
  query: string,
  ...headers: string[]
): Promise<{ status: number; body: string }> {
  const { status, body } = await rawRequest(app.port, [
    `GET /v1/clusters/${id}/ws?${query} HTTP/1.1`,
    `Host: 127.0.0.1:${app.port}`,
    ...UPGRADE,
    ...headers,
  ]);
  return { status, body };
}
