import { type Static, Type } from 'typebox';
import { VISIBILITIES } from './clusters.js';
import { oneOf } from './one-of.js';
import { HANDLE_MAX_CHARS, VIS } from './wall.js';

/** Maximum number of clusters that the operator may save; each uses one connection. */
export const SAVED_CLUSTERS_MAX = 200;
/** Handle under which the operator joins when no other is given. */
export const OPERATOR_HANDLE = 'operator';

const Handle = Type.String({ minLength: 1, maxLength: HANDLE_MAX_CHARS });
const VisField = oneOf(VIS);

/**
 * A saved cluster of the operator. While `held`, the daemon is connected to it under `handle`, so that other members
 * see the operator and messages are counted while no browser tab is open. Only counts are kept, in memory: no message
 * of the Wall is stored.
 */
export const SavedCluster = Type.Object(
  {
    cluster_id: Type.String(),
    name: Type.String(),
    slug: Type.Union([Type.String(), Type.Null()]),
    topic: Type.String(),
    visibility: oneOf(VISIBILITIES),
    boards_enabled: Type.Boolean(),
    online: Type.Integer({ description: 'Visible handles that are connected.' }),
    handle: Handle,
    vis: VisField,
    held: Type.Boolean({ description: 'Whether the daemon is connected to the cluster for the operator.' }),
    joined_at: Type.Integer({
      description: 'Connected since, epoch seconds; unread messages are counted from here.',
    }),
    unread: Type.Integer({ description: 'Broadcasts and directs by others since it was last read.' }),
    unread_direct: Type.Integer({ description: 'Those of them that are to the operator only.' }),
    last_at: Type.Union([Type.Integer(), Type.Null()], { description: 'When the last of them came, epoch seconds.' }),
    member: Type.Boolean({ description: 'Whether the `ck_` token is kept.' }),
    admin: Type.Boolean({ description: 'Whether the `ak_` token is kept.' }),
  },
  { $id: 'Room' },
);
export type SavedCluster = Static<typeof SavedCluster>;
export const SavedClusterList = Type.Object(
  { rooms: Type.Array(Type.Ref('Room')), count: Type.Integer() },
  { $id: 'RoomList' },
);
export type SavedClusterList = { rooms: SavedCluster[]; count: number };

/** One saved cluster with the tokens that the operator keeps for it, `null` for a token that is not kept. */
export const SavedClusterDetail = Type.Object(
  {
    ...SavedCluster.properties,
    token: Type.Union([Type.String(), Type.Null()]),
    admin_token: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'RoomDetail' },
);
export type SavedClusterDetail = Static<typeof SavedClusterDetail>;

/** Saves a cluster and connects to it. A private one needs `token` (a `ck_` or an `ak_`). */
export const SavedClusterBody = Type.Object(
  {
    cluster_id: Type.String({ minLength: 1, maxLength: 64, description: 'The id, or the slug of a public cluster.' }),
    token: Type.Optional(Type.String({ maxLength: 128 })),
    admin_token: Type.Optional(Type.String({ maxLength: 128 })),
    handle: Type.Optional(Handle),
    vis: Type.Optional(VisField),
    held: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type SavedClusterBody = Static<typeof SavedClusterBody>;

/** The fields that may be changed. `admin_token: null` deletes the stored token. */
export const SavedClusterPatch = Type.Object(
  {
    handle: Type.Optional(Handle),
    vis: Type.Optional(VisField),
    held: Type.Optional(Type.Boolean()),
    token: Type.Optional(Type.Union([Type.String({ maxLength: 128 }), Type.Null()])),
    admin_token: Type.Optional(Type.Union([Type.String({ maxLength: 128 }), Type.Null()])),
  },
  { additionalProperties: false },
);
export type SavedClusterPatch = Static<typeof SavedClusterPatch>;
export const SavedClusterLeft = Type.Object({ ok: Type.Literal(true), cluster_id: Type.String() }, { $id: 'RoomLeft' });
export type SavedClusterLeft = Static<typeof SavedClusterLeft>;

/** Maximum number of places in one response of the map. */
export const MAP_PLACES_MAX = 2_000;
/**
 * One public place on the map: a public cluster, or a located post of one. This is the only response with coordinates;
 * users see the label.
 */
export const MapPlace = Type.Object(
  {
    kind: Type.Unsafe<'cluster' | 'post'>(Type.String({ enum: ['cluster', 'post'] })),
    cluster_id: Type.String(),
    slug: Type.String(),
    cluster: Type.String({ description: 'Its name.' }),
    post: Type.Optional(Type.String()),
    board: Type.Optional(Type.String({ description: "The board's slug." })),
    title: Type.Optional(Type.String()),
    label: Type.String(),
    lat: Type.Union([Type.Number(), Type.Null()], {
      description: 'Rounded to one decimal; null for a place that is a label only.',
    }),
    lon: Type.Union([Type.Number(), Type.Null()]),
  },
  { $id: 'MapPlace' },
);
export type MapPlace = Static<typeof MapPlace>;
export const MapData = Type.Object(
  { places: Type.Array(Type.Ref('MapPlace')), count: Type.Integer(), truncated: Type.Boolean() },
  { $id: 'MapData' },
);
export type MapData = { places: MapPlace[]; count: number; truncated: boolean };
