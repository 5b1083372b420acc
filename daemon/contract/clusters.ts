import { type Static, Type } from 'typebox';
import { oneOf, orNull } from './one-of.js';

/** The open lobby cluster that every daemon has from its first start. */
export const COMMONS = {
  id: 'c_1b938b9ede1b436980e2',
  slug: 'the-commons',
  name: 'The Commons',
  topic: '#public',
} as const;

export const WALL_PROTOCOL = 'mesh-wall/1';
export const VISIBILITIES = ['private', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const CLUSTER_NAME_DEFAULT = 'Untitled';
export const CLUSTERS_MAX = 100_000;

/** A point with its label, or `none`: independent of location, which stops inheritance. Users see the label only. */
export const Where = Type.Union(
  [
    Type.Object(
      {
        lat: Type.Number({ minimum: -90, maximum: 90 }),
        lon: Type.Number({ minimum: -180, maximum: 180 }),
        label: Type.String({ minLength: 1, maxLength: 200 }),
      },
      { additionalProperties: false },
    ),
    // A label alone is not a point on the map: no search by distance finds such a post.
    Type.Object({ label: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false }),
    Type.Literal('none'),
  ],
  { $id: 'Where' },
);
export type Where = Static<typeof Where>;

const Lang = Type.String({
  pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$',
  description: 'A language code such as `en` or `pt-BR`.',
});
const AgeMin = Type.Integer({
  minimum: 0,
  maximum: 120,
  description: 'Enforced; declared by the reader, not verified.',
});
const Require = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 16,
  description: 'Informative.',
});
const PostMaxChars = Type.Integer({ minimum: 1, maximum: 65_536 });
const Entry = Type.Object(
  { age_min: Type.Optional(AgeMin), require: Type.Optional(Require) },
  { additionalProperties: false },
);
const PostLimits = Type.Object({ post_max_chars: Type.Optional(PostMaxChars) }, { additionalProperties: false });

/**
 * The rules of a cluster or a board. Each key, and each member of `entry` and `limits`, inherits from cluster to board
 * to post: a value set at a lower level takes precedence, an unset one inherits. Spec: Props.
 */
export const Props = Type.Object(
  {
    where: Type.Optional(Where),
    lang: Type.Optional(Lang),
    entry: Type.Optional(Entry),
    limits: Type.Optional(PostLimits),
  },
  { $id: 'Props', additionalProperties: false },
);
export type Props = Static<typeof Props>;

/** Merged by key, `entry` and `limits` by member; `null` clears a key or a member, which then inherits again. */
export const PropsPatch = Type.Object(
  {
    where: Type.Optional(orNull(Where)),
    lang: Type.Optional(orNull(Lang)),
    entry: Type.Optional(
      orNull(
        Type.Object(
          { age_min: Type.Optional(orNull(AgeMin)), require: Type.Optional(orNull(Require)) },
          { additionalProperties: false },
        ),
      ),
    ),
    limits: Type.Optional(
      orNull(Type.Object({ post_max_chars: Type.Optional(orNull(PostMaxChars)) }, { additionalProperties: false })),
    ),
  },
  {
    additionalProperties: false,
    description: 'A key that is left out is kept; `null` lets a key or a member inherit.',
  },
);
export type PropsPatch = Static<typeof PropsPatch>;

/** The props that a post may have. */
export const PostProps = Type.Object(
  { where: Type.Optional(Where), lang: Type.Optional(Lang) },
  { $id: 'PostProps', additionalProperties: false },
);
export type PostProps = Static<typeof PostProps>;

export const ClusterBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    visibility: Type.Optional(oneOf(VISIBILITIES)),
    topic: Type.Optional(Type.String({ maxLength: 80 })),
    description: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
);
export type ClusterBody = Static<typeof ClusterBody>;

/**
 * The only response that contains the `admin_token`. A replay of the same Idempotency-Key has `null` in place of both
 * secrets.
 */
export const ClusterCreated = Type.Object(
  {
    cluster_id: Type.String(),
    token: Type.Union([Type.String(), Type.Null()]),
    admin_token: Type.Union([Type.String(), Type.Null()]),
    visibility: oneOf(VISIBILITIES),
    ws: Type.Union([Type.String(), Type.Null()], {
      description: 'The address to connect to; of a private cluster with its token.',
    }),
    protocol: Type.Literal(WALL_PROTOCOL),
  },
  { $id: 'ClusterCreated' },
);
export type ClusterCreated = Static<typeof ClusterCreated>;

export const Cluster = Type.Object(
  {
    id: Type.String(),
    slug: Type.Union([Type.String(), Type.Null()], { description: 'Public web address; a private cluster has none.' }),
    name: Type.String(),
    topic: Type.String(),
    description: Type.String(),
    visibility: oneOf(VISIBILITIES),
    boards_enabled: Type.Boolean(),
    props: Type.Union([Type.Unsafe<Props>(Type.Ref('Props')), Type.Null()]),
    created_at: Type.Integer(),
    online: Type.Integer({ description: 'Visible handles that are connected.' }),
  },
  { $id: 'Cluster' },
);
export type Cluster = Static<typeof Cluster>;

/** A row of the public catalog. */
export const CatalogCluster = Type.Object(
  {
    ...Cluster.properties,
    boards: Type.Integer(),
    where: Type.Union([Type.Unsafe<Where>(Type.Ref('Where')), Type.Null()]),
  },
  { $id: 'CatalogCluster' },
);
export type CatalogCluster = Static<typeof CatalogCluster>;
export const ClusterList = Type.Object(
  {
    clusters: Type.Array(Type.Ref('CatalogCluster')),
    count: Type.Integer({ description: 'The clusters of the catalog, on this page and the others.' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'ClusterList' },
);
export type ClusterList = { clusters: CatalogCluster[]; count: number; next_cursor: string | null };
export const ClusterAnswer = Type.Object({ cluster: Type.Ref('Cluster') }, { $id: 'ClusterAnswer' });
export type ClusterAnswer = { cluster: Cluster };
export const ClusterPatch = Type.Object(
  { boards_enabled: Type.Optional(Type.Boolean()), props: Type.Optional(PropsPatch) },
  { additionalProperties: false },
);
export type ClusterPatch = Static<typeof ClusterPatch>;
export const ClusterDeleted = Type.Object(
  { ok: Type.Literal(true), cluster_id: Type.String() },
  { $id: 'ClusterDeleted' },
);
export type ClusterDeleted = Static<typeof ClusterDeleted>;

/** One of the cluster's tokens, for clients that cannot set a header. */
export const ClusterTokenQuery = Type.Object(
  { token: Type.Optional(Type.String({ maxLength: 128 })) },
  { additionalProperties: false },
);
export type ClusterTokenQuery = Static<typeof ClusterTokenQuery>;
