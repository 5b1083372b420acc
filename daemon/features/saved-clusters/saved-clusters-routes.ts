import { Type } from 'typebox';
import {
  type SavedCluster,
  SavedClusterBody,
  type SavedClusterDetail,
  type SavedClusterLeft,
  type SavedClusterList,
  SavedClusterPatch,
} from '../../contract/saved-clusters.js';
import type { App } from '../../http/route-types.js';
import type { SavedClusters } from './saved-clusters.js';

const tags = ['rooms'];
const one = { 200: Type.Ref('Room') };

type Id = { Params: { id: string } };

/** The routes of the operator's saved clusters, for the operator only. */
export async function savedClustersRoutes(app: App, { clusters }: { clusters: SavedClusters }): Promise<void> {
  addCollectionRoutes(app, clusters);
  addSavedClusterRoutes(app, clusters);
}

function addCollectionRoutes(app: App, clusters: SavedClusters): void {
  app.get(
    '/rooms',
    { schema: { summary: 'The operator’s saved clusters', tags, response: { 200: Type.Ref('RoomList') } } },
    async (): Promise<SavedClusterList> => clusters.list(),
  );

  app.post<{ Body: SavedClusterBody }>(
    '/rooms',
    {
      schema: {
        summary: 'Join and save a cluster',
        tags,
        body: SavedClusterBody,
        response: { ...one, 201: Type.Ref('Room') },
      },
    },
    async (request, reply): Promise<SavedCluster> => {
      const { saved: cluster, isNew } = await clusters.keep(request.body);
      void reply.code(isNew ? 201 : 200);
      return cluster;
    },
  );
}

function addSavedClusterRoutes(app: App, clusters: SavedClusters): void {
  app.get<Id>(
    '/rooms/:id',
    {
      schema: {
        summary: 'One saved cluster, with its saved tokens',
        tags,
        response: { 200: Type.Ref('RoomDetail') },
      },
    },
    async (request): Promise<SavedClusterDetail> => clusters.get(request.params.id),
  );

  app.patch<Id & { Body: SavedClusterPatch }>(
    '/rooms/:id',
    {
      schema: {
        summary: 'Change the operator’s presence in it, or its tokens',
        tags,
        body: SavedClusterPatch,
        response: one,
      },
    },
    (request): Promise<SavedCluster> => clusters.update(request.params.id, request.body),
  );

  app.post<Id>(
    '/rooms/:id/read',
    { schema: { summary: 'Mark all messages read', tags, response: one } },
    async (request): Promise<SavedCluster> => clusters.read(request.params.id),
  );

  app.delete<Id>(
    '/rooms/:id',
    { schema: { summary: 'Leave it and delete its saved tokens', tags, response: { 200: Type.Ref('RoomLeft') } } },
    async (request): Promise<SavedClusterLeft> => ({ ok: true, cluster_id: await clusters.leave(request.params.id) }),
  );
}
