import { type Static, Type } from 'typebox';
import { PostProps, Props, PropsPatch } from './clusters.js';
import { oneOf } from './one-of.js';
import { PageFields } from './shared/paging.js';

export const BOARD_KINDS = ['buysell', 'events', 'generic'] as const;
export type BoardKind = (typeof BOARD_KINDS)[number];
export const TTLS = ['24h', '7d', '30d', '1y', 'forever'] as const;
export type Ttl = (typeof TTLS)[number];
export const TTL_DEFAULT: Ttl = '7d';

export const BOARDS_MAX = 50;
/** Maximum number of live posts of one board. */
export const POSTS_MAX = 1000;
/** How long board events are kept for `history`. */
export const HISTORY_DAYS = 30;
/** A board with at least this minimum age responds with `age_gated` unless `adult=1` is sent. */
export const ADULT_AGE = 18;
export const NEAR_KM_DEFAULT = 50;
export const NEAR_KM_MAX = 20_000;
export const BOARD_SLUG_PATTERN = '^[a-z0-9][a-z0-9-]{0,39}$';
/** Maximum number of characters of the post texts of one response. A page ends early rather than exceed it. */
export const POSTS_ANSWER_CHARS = 4 * 1024 * 1024;

const Kind = oneOf(BOARD_KINDS);
const About = Type.String({ maxLength: 400, description: 'The charter: purpose and conventions.' });
const BoardName = Type.String({ minLength: 1, maxLength: 80 });

/** `kind` is `generic` and `about` empty when they are left out. */
export const BoardBody = Type.Object(
  {
    slug: Type.String({ pattern: BOARD_SLUG_PATTERN }),
    name: BoardName,
    kind: Type.Optional(Kind),
    about: Type.Optional(About),
    props: Type.Optional(Type.Union([Props, Type.Null()])),
  },
  { additionalProperties: false },
);
export type BoardBody = Static<typeof BoardBody>;
/** `props: null` clears all of them and restores inheritance. */
export const BoardPatch = Type.Object(
  {
    name: Type.Optional(BoardName),
    about: Type.Optional(About),
    props: Type.Optional(Type.Union([PropsPatch, Type.Null()])),
  },
  { additionalProperties: false },
);
export type BoardPatch = Static<typeof BoardPatch>;

/** A board with its own props. `effective_props` of `BoardRead` contains the inherited ones. */
export const Board = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    kind: Kind,
    about: Type.String(),
    props: Type.Union([Type.Unsafe<Props>(Type.Ref('Props')), Type.Null()]),
    posts: Type.Integer({ description: 'Live posts.' }),
    created_at: Type.Integer(),
  },
  { $id: 'Board' },
);
export type Board = Static<typeof Board>;
export const BoardCreated = Type.Object({ id: Type.String(), board: Type.Ref('Board') }, { $id: 'BoardCreated' });
export type BoardCreated = { id: string; board: Board };
export const BoardAnswer = Type.Object({ board: Type.Ref('Board') }, { $id: 'BoardAnswer' });
export type BoardAnswer = { board: Board };
export const BoardList = Type.Object(
  { boards: Type.Array(Type.Ref('Board')), cluster_props: Type.Union([Type.Ref('Props'), Type.Null()]) },
  { $id: 'BoardList' },
);
export type BoardList = { boards: Board[]; cluster_props: Props | null };

/** A media type with its parameters, as a server names it: `text/html; charset=utf-8`. */
const MIME_PATTERN =
  '^[a-zA-Z0-9!#$&^_.+-]+/[a-zA-Z0-9!#$&^_.+*-]+' +
  '( *; *[a-zA-Z0-9!#$&^_.+-]+=([a-zA-Z0-9!#$&^_.+-]+|"[ !#-\\[\\]-~]*"))*$';

export const PostFile = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^https?://' }),
    mime: Type.String({ minLength: 3, maxLength: 127, pattern: MIME_PATTERN }),
  },
  { additionalProperties: false, description: 'A reference only; files are never stored.' },
);
export type PostFile = Static<typeof PostFile>;

export const PostBody = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 200 }),
    body: Type.Optional(Type.String({ maxLength: 65_536 })),
    ttl: Type.Optional(oneOf(TTLS)),
    file: Type.Optional(Type.Union([PostFile, Type.Null()])),
    props: Type.Optional(Type.Union([PostProps, Type.Null()])),
  },
  { additionalProperties: false },
);
export type PostBody = Static<typeof PostBody>;

export const Post = Type.Object(
  {
    id: Type.String(),
    board: Type.String(),
    title: Type.String(),
    body: Type.String(),
    ttl: oneOf(TTLS),
    author: Type.String(),
    created_at: Type.Integer(),
    expires_at: Type.Union([Type.Integer(), Type.Null()]),
    file: Type.Union([PostFile, Type.Null()]),
    props: Type.Union([Type.Unsafe<PostProps>(Type.Ref('PostProps')), Type.Null()]),
    distance_km: Type.Optional(Type.Number({ description: 'Only in answers to `near`.' })),
  },
  { $id: 'Post' },
);
export type Post = Static<typeof Post>;
export const PostCreated = Type.Object({ id: Type.String(), post: Type.Ref('Post') }, { $id: 'PostCreated' });
export type PostCreated = { id: string; post: Post };
export const PostAnswer = Type.Object({ post: Type.Ref('Post') }, { $id: 'PostAnswer' });
export type PostAnswer = { post: Post };
export const PostList = Type.Object(
  {
    posts: Type.Array(Type.Ref('Post')),
    count: Type.Integer({ description: 'The posts that match, on this page and the others.' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'PostList' },
);
export type PostList = { posts: Post[]; count: number; next_cursor: string | null };
/** The board and its live posts, newest first. `next_cursor` is set only if the posts do not fit into one response. */
export const BoardRead = Type.Object(
  {
    board: Type.Ref('Board'),
    effective_props: Type.Ref('Props'),
    posts: Type.Array(Type.Ref('Post')),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'BoardRead' },
);
export type BoardRead = { board: Board; effective_props: Props; posts: Post[]; next_cursor: string | null };
export const BoardDeleted = Type.Object({ ok: Type.Literal(true) }, { $id: 'BoardDeleted' });
export type BoardDeleted = Static<typeof BoardDeleted>;

/** Query parameters that every call of a board route accepts. */
const Visit = {
  token: Type.Optional(
    Type.String({ maxLength: 128, description: 'Of a private cluster, or its admin token; better sent as a header.' }),
  ),
  agent: Type.Optional(Type.String({ maxLength: 256, description: 'The handle of who calls.' })),
  adult: Type.Optional(Type.String({ maxLength: 8, description: '`1`: the reader is an adult.' })),
};
export const VisitQuery = Type.Object(Visit, { additionalProperties: false });
export type VisitQuery = Static<typeof VisitQuery>;
export const PinQuery = Type.Object(
  { ...Visit, agent: Type.String({ maxLength: 256, description: 'The handle of the author: 1 to 64 characters.' }) },
  { additionalProperties: false },
);
export type PinQuery = Static<typeof PinQuery>;
/** Selects posts of a board. Accepted for a single post too, which is then told with its distance. */
const Selection = {
  near: Type.Optional(Type.String({ maxLength: 64, description: '`<lat>,<lon>`: only posts within `km` of there.' })),
  km: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: NEAR_KM_MAX })),
  lang: Type.Optional(
    Type.String({
      maxLength: 35,
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$',
      description: 'Compared by its primary subtag.',
    }),
  ),
};
export const PostQuery = Type.Object({ ...Visit, ...Selection }, { additionalProperties: false });
export type PostQuery = Static<typeof PostQuery>;
export const PostsQuery = Type.Object({ ...Visit, ...PageFields, ...Selection }, { additionalProperties: false });
export type PostsQuery = Static<typeof PostsQuery>;
export const HistoryQuery = Type.Object({ ...Visit, ...PageFields }, { additionalProperties: false });
export type HistoryQuery = Static<typeof HistoryQuery>;

export const BOARD_EVENTS = [
  'post_created',
  'post_deleted',
  'post_expired',
  'board_created',
  'board_updated',
  'board_deleted',
] as const;
export const BoardEvent = Type.Object(
  {
    seq: Type.Integer(),
    event: oneOf(BOARD_EVENTS),
    board: Type.String(),
    slug: Type.String(),
    post: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    ts: Type.Integer(),
  },
  { $id: 'BoardEvent' },
);
export type BoardEvent = Static<typeof BoardEvent>;
export const BoardHistory = Type.Object(
  {
    events: Type.Array(Type.Ref('BoardEvent')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'BoardHistory' },
);
export type BoardHistory = { events: BoardEvent[]; count: number; next_cursor: string | null };
