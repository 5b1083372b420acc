import { Type } from 'typebox';
import { type Room, RoomBody, type RoomDetail, type RoomLeft, type RoomList, RoomPatch } from '../../contract/rooms.js';
import type { App } from '../../http/route-types.js';
import type { KeptRooms } from './kept-rooms.js';

const tags = ['rooms'];
const one = { 200: Type.Ref('Room') };

type Id = { Params: { id: string } };

/** The routes of the operator's saved clusters, for the operator only. */
export async function roomsRoutes(app: App, { rooms }: { rooms: KeptRooms }): Promise<void> {
  app.get(
    '/rooms',
    { schema: { summary: 'The operator’s saved clusters', tags, response: { 200: Type.Ref('RoomList') } } },
    async (): Promise<RoomList> => rooms.list(),
  );

  app.post<{ Body: RoomBody }>(
    '/rooms',
    {
      schema: {
        summary: 'Join and save a cluster',
        tags,
        body: RoomBody,
        response: { ...one, 201: Type.Ref('Room') },
      },
    },
    async (request, reply): Promise<Room> => {
      const { room, isNew } = await rooms.keep(request.body);
      void reply.code(isNew ? 201 : 200);
      return room;
    },
  );

  app.get<Id>(
    '/rooms/:id',
    {
      schema: {
        summary: 'One saved cluster, with its saved tokens',
        tags,
        response: { 200: Type.Ref('RoomDetail') },
      },
    },
    async (request): Promise<RoomDetail> => rooms.get(request.params.id),
  );

  app.patch<Id & { Body: RoomPatch }>(
    '/rooms/:id',
    {
      schema: { summary: 'Change the operator’s presence in it, or its tokens', tags, body: RoomPatch, response: one },
    },
    (request): Promise<Room> => rooms.update(request.params.id, request.body),
  );

  app.post<Id>(
    '/rooms/:id/read',
    { schema: { summary: 'Mark all messages read', tags, response: one } },
    async (request): Promise<Room> => rooms.read(request.params.id),
  );

  app.delete<Id>(
    '/rooms/:id',
    { schema: { summary: 'Leave it and delete its saved tokens', tags, response: { 200: Type.Ref('RoomLeft') } } },
    async (request): Promise<RoomLeft> => ({ ok: true, cluster_id: await rooms.leave(request.params.id) }),
  );
}
