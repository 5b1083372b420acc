import { type Static, Type } from 'typebox';
import { FRAME_MAX_BYTES, RECIPIENTS_MAX } from '../wall.js';

/**
 * Largest message between daemons in bytes, its signature included. Servers take 1 MiB unless they are set otherwise.
 */
export const PEER_MESSAGE_BYTES_MAX = 960 * 1024;
/** Messages and bytes that one daemon may send to the others in a second. */
export const PEER_MESSAGES_PER_SECOND = 4_000;
export const PEER_BYTES_PER_SECOND = 32 * 1024 * 1024;
/** As many times that of one daemon is looked at of all together: a signature takes a tenth of a millisecond. */
export const PEERS_AT_FULL_RATE = 2;
/** Bytes that may wait for the servers. Beyond it, what is said here reaches nobody elsewhere. */
export const PEER_QUEUE_BYTES_MAX = 8 * 1024 * 1024;
/** Members of one daemon that others list, in all clusters together. */
export const REMOTE_MEMBERS_MAX = 20_000;
/** Members in one message about who is there. */
export const MEMBERS_PER_MESSAGE = 400;
/** Frames in one message. */
const FRAMES_PER_MESSAGE = 20_000;
/** A control character of a text has six times its size in JSON. */
const PAYLOAD_CHARS_MAX = 6 * FRAME_MAX_BYTES + 2;
const HANDLE_UNITS_MAX = 128;
export const SEEN_MAX = 4_096;

/** The id of a session: 16 random bytes in base64url. */
const SessionId = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' });
const closed = { additionalProperties: false } as const;

/**
 * What a daemon sends to the others. On the wire, the 64 bytes of its signature precede the JSON text. The
 * signature is over the subject, which names the network, the cluster and the key, and over exactly this text.
 */
export const PeerMessage = Type.Object(
  {
    /** A connection of the sender. Another one has another id. */
    session: SessionId,
    /** Grows with every message of the session, whatever its subject. */
    seq: Type.Integer({ minimum: 1 }),
    content: Type.Unknown(),
  },
  closed,
);
export type PeerMessage = Static<typeof PeerMessage>;

/** `m.<network>.presence.daemons.<key>`: its sender is there, and what it shows. */
export const PeerGreeting = Type.Object(
  {
    /** The sessions of others that the sender has received greetings of. */
    seen: Type.Array(SessionId, { maxItems: SEEN_MAX }),
    /** Whether the sender ends its session. */
    bye: Type.Boolean(),
    /** `NetworkShown`. That of another version of meshd may have another form: its daemon is present all the same. */
    shown: Type.Unknown(),
  },
  closed,
);
export type PeerGreeting = Static<typeof PeerGreeting>;

/** A handle that is in a cluster at the sender. Ghosts are never announced. */
const RemoteMember = Type.Object(
  {
    handle: Type.String({ minLength: 1, maxLength: HANDLE_UNITS_MAX }),
    did: Type.Union([Type.String({ pattern: '^did:key:[A-Za-z0-9]{1,1024}$' }), Type.Null()]),
    /** Whether surfaces outside the cluster must mask it. */
    masked: Type.Boolean(),
  },
  closed,
);
export type RemoteMember = Static<typeof RemoteMember>;

/**
 * `m.<network>.presence.<cluster>.<key>`: who is there at the sender. `part` and `of` count the messages of a whole
 * list, which replaces the earlier one; 0 of 0 is a change of it.
 */
export const MembersMessage = Type.Object(
  {
    part: Type.Integer({ minimum: 0 }),
    of: Type.Integer({ minimum: 0 }),
    members: Type.Array(RemoteMember, { maxItems: MEMBERS_PER_MESSAGE }),
    gone: Type.Array(Type.String({ maxLength: HANDLE_UNITS_MAX }), { maxItems: MEMBERS_PER_MESSAGE }),
  },
  closed,
);
export type MembersMessage = Static<typeof MembersMessage>;

/** A message of a member, as its daemon accepted it. */
const RemoteFrame = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: HANDLE_UNITS_MAX }),
    did: RemoteMember.properties.did,
    ghost: Type.Boolean(),
    /** Null for a broadcast. */
    to: Type.Union([
      Type.Array(Type.String({ maxLength: HANDLE_UNITS_MAX }), { minItems: 1, maxItems: RECIPIENTS_MAX }),
      Type.Null(),
    ]),
    /** Seconds since 1970. */
    ts: Type.Integer({ minimum: 0 }),
    board: Type.Optional(Type.String({ maxLength: 40 })),
    ref: Type.Optional(Type.String({ maxLength: 18 })),
    /** JSON text. */
    payload: Type.String({ minLength: 1, maxLength: PAYLOAD_CHARS_MAX }),
  },
  closed,
);
export type RemoteFrame = Static<typeof RemoteFrame>;

/** `m.<network>.wall.<cluster>.<key>`: what members at the sender said, in order. */
export const FramesMessage = Type.Object(
  { frames: Type.Array(RemoteFrame, { minItems: 1, maxItems: FRAMES_PER_MESSAGE }) },
  closed,
);
export type FramesMessage = Static<typeof FramesMessage>;
