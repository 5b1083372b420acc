import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';
import { CURRENCIES, PricingRow } from '../team.js';

/** Pattern of agent ids on both surfaces. Ids are unique without regard to case. */
export const AGENT_ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$';
/** Id prefixes that only partners may register. */
export const RESERVED_ID_PREFIXES = ['hub-', 'oracle-', 'mesh-', 'meshd-'] as const;
/** Words that are paths of the surfaces and therefore cannot be agent ids. */
export const ROUTE_WORDS = ['register', 'token', 'me', 'messages', 'channels', 'contacts', 'ws'] as const;

/** The interval at which agents are asked to send heartbeats. Spec: Limits. */
export const HEARTBEAT_SECONDS = 300;
/**
 * An agent is online while its last token call or heartbeat is younger than this: half a minute longer than the
 * interval, so that one that keeps it does not go offline with each heartbeat that is under way. Spec: Limits.
 */
export const ONLINE_SECONDS = HEARTBEAT_SECONDS + 30;
/** Lifetime of an agent's token. Spec: Authentication. */
export const TOKEN_SECONDS = 24 * 60 * 60;
/** Maximum number of rows of one surface. */
export const REGISTRATIONS_MAX = 100_000;
/** Maximum size of a discovery card as JSON, in bytes. */
export const CARD_LIMIT = 32 * 1024;

/** The surfaces an agent registers on. Each has its own store, key and credentials. */
export const SURFACES = ['hub', 'v1'] as const;
export type Surface = (typeof SURFACES)[number];

export const AgentId = Type.String({ pattern: AGENT_ID_PATTERN, description: '3 to 64 letters, digits, `-` or `_`.' });
export const Capabilities = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64 });
export const AgentDescription = Type.String({ maxLength: 1000 });

/** Price of the discovery card: a hint for filters and ranking. Network and tier are in the Tier-2 card alone. */
export const Tier1Pricing = Type.Object(
  {
    unit: PricingRow.properties.unit,
    amount: PricingRow.properties.amount,
    currency: oneOf(CURRENCIES),
  },
  { additionalProperties: false },
);
export type Tier1Pricing = Static<typeof Tier1Pricing>;

const MediaTypes = Type.Array(Type.String({ minLength: 3, maxLength: 127 }), { maxItems: 32 });

/**
 * Tier-1 discovery card: the small card that an agent sends and a surface stores. It has no other keys than these, and
 * every key may be absent. `endpoint` is an `https:` URL, or `http:` on a loopback host. At most 32 KiB. Spec: Tier-1
 * discovery card.
 */
export const Tier1Card = Type.Object(
  {
    endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 32 })),
    category: Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z0-9][a-z0-9_-]*(\\.[a-z0-9][a-z0-9_-]*)*$' })),
    accepts: Type.Optional(MediaTypes),
    produces: Type.Optional(MediaTypes),
    protocols: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: 16 })),
    pricing: Type.Optional(Tier1Pricing),
    availability: Type.Optional(Type.Object({ now: Type.Boolean() }, { additionalProperties: false })),
  },
  { $id: 'Tier1Card', additionalProperties: false },
);
export type Tier1Card = Static<typeof Tier1Card>;

/**
 * A card before validation. `checkedCard` validates it and reports errors with the registry's own codes
 * (`unknown_card_key`, `plaintext_endpoint`).
 */
export const CardAsSent = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));

export const TokenBody = Type.Object(
  { agent_id: Type.String({ minLength: 1, maxLength: 64 }), api_key: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);
export type TokenBody = Static<typeof TokenBody>;

export const TokenResult = Type.Object(
  { token: Type.String(), expires_at: Type.Integer({ description: 'Epoch seconds.' }), agent_id: Type.String() },
  { $id: 'TokenResult' },
);
export type TokenResult = Static<typeof TokenResult>;

/** Merged into the stored card; other keys of the card are kept. Spec: Endpoints › Hub. */
export const StateBody = Type.Object(
  { availability: Type.Object({ now: Type.Boolean() }, { additionalProperties: false }) },
  { additionalProperties: false },
);
export type StateBody = Static<typeof StateBody>;

export const AgentDeleted = Type.Object(
  { status: Type.Literal('deleted'), agent_id: Type.String() },
  { $id: 'AgentDeleted' },
);
export type AgentDeleted = Static<typeof AgentDeleted>;
