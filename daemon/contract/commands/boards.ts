import { type Static, Type } from 'typebox';
import { BOARD_KINDS, BOARD_SLUG_PATTERN, BoardBody, BoardPatch, PostFile, TTLS } from '../boards.js';
import { PostProps, Props } from '../clusters.js';
import { oneOf, orNull } from '../one-of.js';
import { RequestKey } from './keys.js';

/**
 * The bodies of the commands that change boards and posts. The sender has admitted the caller; the entity is the id of
 * the board or post, `cluster` and `board` are ids too.
 */
const Id = Type.String({ minLength: 1, maxLength: 64 });
const Handle = Type.String({ minLength: 1, maxLength: 200 });
const Name = BoardBody.properties.name;
const About = Type.String({ maxLength: 400 });

/** `board.create` */
export const CreateBoard = Type.Object(
  {
    cluster: Id,
    slug: Type.String({ pattern: BOARD_SLUG_PATTERN }),
    name: Name,
    kind: oneOf(BOARD_KINDS),
    about: About,
    props: orNull(Props),
  },
  { additionalProperties: false },
);
export type CreateBoard = Static<typeof CreateBoard>;

/** `board.edit` */
export const EditBoard = Type.Object({ cluster: Id, patch: BoardPatch }, { additionalProperties: false });
export type EditBoard = Static<typeof EditBoard>;

/** `board.remove` */
export const RemoveBoard = Type.Object({ cluster: Id }, { additionalProperties: false });
export type RemoveBoard = Static<typeof RemoveBoard>;

/**
 * `post.pin`: `is_adult` is what the author said of the person for whom it acts. `lang` is the primary subtag of the
 * post's own language: the sender derives it, since replicas may have different data about languages.
 */
export const PinPost = Type.Object(
  {
    cluster: Id,
    board: Id,
    author: Handle,
    is_adult: Type.Boolean(),
    title: Type.String({ minLength: 1, maxLength: 200 }),
    body: Type.String({ maxLength: 65_536 }),
    ttl: oneOf(TTLS),
    file: orNull(PostFile),
    props: orNull(PostProps),
    lang: orNull(Type.String({ pattern: '^[a-z]{2,8}$' })),
    key: RequestKey,
  },
  { additionalProperties: false },
);
export type PinPost = Static<typeof PinPost>;

/** `post.remove`: by the admin, or by the handle that the caller gave. */
export const RemovePost = Type.Object(
  { cluster: Id, board: Id, is_admin: Type.Boolean(), agent: orNull(Handle) },
  { additionalProperties: false },
);
export type RemovePost = Static<typeof RemovePost>;

/** `post.expire`: deletes what has expired when it was sent. The entity is `expired`. */
export const ExpirePosts = Type.Object({}, { additionalProperties: false });
