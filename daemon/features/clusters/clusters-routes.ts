import { Type } from 'typebox';
import {
  type ClusterAnswer,
  ClusterBody,
  type ClusterCreated,
  type ClusterDeleted,
  type ClusterList,
  ClusterPatch,
  ClusterTokenQuery,
} from '../../contract/clusters.js';
import { PageQuery } from '../../contract/shared/paging.js';
import { parseClusterCredential } from '../../http/callers/cluster-credential.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { AnyRequest, App } from '../../http/route-types.js';
import type { ClusterAccess } from './cluster-access.js';
import type { Clusters } from './clusters.js';
import { CREATION_KEYS } from './clusters-store.js';

const tags = ['clusters'];
const access = 'public' as const;

interface ClustersRoutesParts {
  clusters: Clusters;
  clusterAccess: ClusterAccess;
}

/** For routes that only the cluster's admin may use. The admin token is checked before the body is read. */
const adminOnly = (clusterAccess: ClusterAccess) => ({
  config: { access: 'bearer' as const, credential: 'clusterToken' as const },
  onRequest: async (request: AnyRequest) => {
    const { id } = request.params as { id: string };
    clusterAccess.asAdmin(id, parseClusterCredential(request));
  },
});

/** The routes for creation, the public catalog, cluster cards and administration. Spec: Endpoints. */
export async function clustersRoutes(app: App, parts: ClustersRoutesParts): Promise<void> {
  addCollectionRoutes(app, parts);
  addClusterRoutes(app, parts);
}

function addCollectionRoutes(app: App, { clusters }: ClustersRoutesParts): void {
  app.post<{ Body: ClusterBody }>(
    '/v1/clusters',
    {
      config: { access },
      schema: {
        summary: 'Create a cluster; the only answer with its tokens',
        tags,
        body: ClusterBody,
        response: { 201: Type.Ref('ClusterCreated') },
      },
    },
    async (request, reply): Promise<ClusterCreated> => {
      const created = await clusters.create(request.body, parseIdempotencyKey(request, CREATION_KEYS));
      void reply.code(201);
      return created;
    },
  );

  app.get<{ Querystring: PageQuery }>(
    '/v1/clusters',
    {
      config: { access },
      schema: {
        summary: 'The catalog of public clusters',
        tags,
        querystring: PageQuery,
        response: { 200: Type.Ref('ClusterList') },
      },
    },
    async (request): Promise<ClusterList> => clusters.list(request.query),
  );
}

function addClusterRoutes(app: App, { clusters, clusterAccess }: ClustersRoutesParts): void {
  app.get<{ Params: { id: string }; Querystring: ClusterTokenQuery }>(
    '/v1/clusters/:id',
    {
      config: { access },
      schema: {
        summary: 'The card of a cluster, by id or slug; of a private one with its token',
        tags,
        querystring: ClusterTokenQuery,
        response: { 200: Type.Ref('ClusterAnswer') },
      },
      onRequest: async (request) => void parseClusterCredential(request),
    },
    async (request): Promise<ClusterAnswer> => ({
      cluster: clusters.get(request.params.id, parseClusterCredential(request)),
    }),
  );

  app.patch<{ Params: { id: string }; Querystring: ClusterTokenQuery; Body: ClusterPatch }>(
    '/v1/clusters/:id',
    {
      ...adminOnly(clusterAccess),
      schema: {
        summary: 'Turn boards on or off, and set rules, with the admin token',
        tags,
        querystring: ClusterTokenQuery,
        body: ClusterPatch,
        response: { 200: Type.Ref('ClusterAnswer') },
      },
    },
    async (request): Promise<ClusterAnswer> => ({ cluster: await clusters.update(request.params.id, request.body) }),
  );

  app.delete<{ Params: { id: string }; Querystring: ClusterTokenQuery }>(
    '/v1/clusters/:id',
    {
      ...adminOnly(clusterAccess),
      schema: {
        summary: 'Delete a cluster and all that is in it, with the admin token',
        tags,
        querystring: ClusterTokenQuery,
        response: { 200: Type.Ref('ClusterDeleted') },
      },
    },
    (request): Promise<ClusterDeleted> => clusters.remove(request.params.id),
  );
}
