import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../one-of.js';

/** How often a daemon announces itself, and after which silence it counts as absent, in milliseconds. */
export const NETWORK_PRESENCE_MS = 20_000;
export const NETWORK_ABSENT_MS = 60_000;
/** Refused commands that the status lists. */
export const NETWORK_REFUSALS_MAX = 20;
/** Longest name of a daemon in the network, in characters. */
export const NETWORK_NAME_CHARS_MAX = 100;

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'A NATS server, `tls://host:port`, or `nats://127.0.0.1:port` on this machine; several with commas.',
});
const Name = Type.String({
  pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
  description: 'The name of the network.',
});
const Credentials = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description: 'The text of a NATS `.creds` file. Kept in `.mesh/credentials` and never shown.',
});
const DaemonName = Type.String({
  minLength: 1,
  maxLength: NETWORK_NAME_CHARS_MAX,
  pattern: '\\S',
  description: 'How other daemons see this one. Default: the name of the project.',
});

export const NetworkCreate = Type.Object(
  { url: Url, network: Name, credentials: Type.Optional(Credentials), name: Type.Optional(DaemonName) },
  { $id: 'NetworkCreate', additionalProperties: false },
);
export type NetworkCreate = Static<typeof NetworkCreate>;

export const NetworkJoin = Type.Object(
  {
    url: Url,
    network: Type.Optional(Name),
    credentials: Type.Optional(Credentials),
    name: Type.Optional(DaemonName),
  },
  { $id: 'NetworkJoin', additionalProperties: false },
);
export type NetworkJoin = Static<typeof NetworkJoin>;

export const NETWORK_STATES = ['off', 'connecting', 'catching_up', 'following', 'stopped'] as const;
export const NETWORK_FSYNC = ['periodic', 'unknown'] as const;

export const NETWORK_DROPS = [
  'size',
  'form',
  'daemon',
  'rate',
  'signature',
  'session',
  'replay',
  'cluster',
  'handle',
  'clock',
  'overflow',
] as const;

/** Messages between the daemons of the network that are stored nowhere: frames of the Wall, and who is there. */
export const NetworkFrames = Type.Object(
  {
    sent: Type.Integer({ minimum: 0 }),
    received: Type.Integer({ minimum: 0 }),
    dropped: Type.Array(
      Type.Object({
        reason: oneOf(
          NETWORK_DROPS,
          '`daemon`: of no daemon of the network. `session`: of a connection that has not proved to be there. ' +
            '`handle`: in the name of a member that is not there. `overflow`: the servers take no more now.',
        ),
        count: Type.Integer({ minimum: 1 }),
      }),
    ),
  },
  { $id: 'NetworkFrames' },
);
export type NetworkFrames = Static<typeof NetworkFrames>;

/** The network of this daemon, and how far this daemon follows it. */
export const NetworkStatus = Type.Object(
  {
    state: oneOf(
      NETWORK_STATES,
      '`off`: in no network. `connecting`: no connection; shared changes are refused. `stopped`: this daemon cannot ' +
        'follow until you act; see `problem`.',
    ),
    network: orNull(Type.String()),
    url: orNull(Type.String()),
    daemon: Type.String({ description: 'The id of this daemon: its first public key, base64url.' }),
    server: orNull(Type.Object({ name: Type.String(), version: Type.String(), address: Type.String() })),
    sequence: Type.Integer({ minimum: 0, description: 'The last change that is applied here.' }),
    lag: orNull(Type.Integer({ minimum: 0, description: 'Changes that are not applied here yet. Null: not known.' })),
    replicas: orNull(Type.Integer({ minimum: 1, description: 'Servers that store each change.' })),
    fsync: orNull(
      oneOf(
        NETWORK_FSYNC,
        '`periodic`: the servers acknowledge before they write to disk. `unknown`: they may be set to write at once ' +
          '(`sync_interval: always`), and do not tell.',
      ),
    ),
    promise: orNull(Type.String({ description: 'What an acknowledged change survives, in words.' })),
    problem: orNull(Type.String()),
    refused: Type.Integer({
      minimum: 0,
      description: 'Commands refused since the start: forged, replayed and others.',
    }),
    refusals: Type.Array(
      Type.Object({
        sequence: Type.Integer(),
        reason: Type.String(),
        message: Type.String(),
        key: orNull(Type.String({ description: 'The key that signed it.' })),
      }),
      { description: `The newest ${NETWORK_REFUSALS_MAX} of them.` },
    ),
    frames: Type.Ref('NetworkFrames'),
  },
  { $id: 'NetworkStatus' },
);
export type NetworkStatus = Omit<Static<typeof NetworkStatus>, 'frames'> & { frames: NetworkFrames };

/** A daemon of the network. */
export const NetworkMember = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    self: Type.Boolean(),
    present: Type.Boolean({ description: 'Whether it announced itself within the last minute.' }),
    last_seen_at: orNull(Type.String({ description: 'ISO 8601. Null: not since this daemon started.' })),
    joined_at: Type.String({ description: 'ISO 8601.' }),
    left_at: orNull(Type.String()),
  },
  { $id: 'NetworkMember' },
);
export type NetworkMember = Static<typeof NetworkMember>;

export const NetworkMembers = Type.Object(
  { members: Type.Array(Type.Ref('NetworkMember')), count: Type.Integer() },
  { $id: 'NetworkMembers' },
);
export type NetworkMembers = { members: NetworkMember[]; count: number };

/** Shared data that were set aside before others replaced them. */
export const NetworkCopy = Type.Object(
  {
    name: Type.String(),
    made_at: Type.String({ description: 'ISO 8601.' }),
    before: Type.String({ description: 'The network that was joined then, or `restore`.' }),
  },
  { $id: 'NetworkCopy' },
);
export type NetworkCopy = Static<typeof NetworkCopy>;

export const NetworkCopies = Type.Object(
  { copies: Type.Array(Type.Ref('NetworkCopy'), { description: 'The newest first.' }), count: Type.Integer() },
  { $id: 'NetworkCopies' },
);
export type NetworkCopies = { copies: NetworkCopy[]; count: number };

export const NetworkRestore = Type.Object(
  {
    copy: Type.String({
      pattern: '^[0-9]{1,16}-before-[a-z0-9-]{1,32}$',
      description: 'The name of a copy. What it replaces is set aside before.',
    }),
  },
  { $id: 'NetworkRestore', additionalProperties: false },
);
export type NetworkRestore = Static<typeof NetworkRestore>;
