import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';
import { PageFields } from '../shared/paging.js';
import { AgentDescription, AgentId, Capabilities, CardAsSent, type Tier1Card } from './agents.js';

export const AVAIL_STATUSES = ['available', 'busy', 'away', 'unknown'] as const;
export type AvailStatus = (typeof AVAIL_STATUSES)[number];

const Endpoint = Type.String({ minLength: 1, maxLength: 2048 });
/** Standard base64 of a 32-byte Ed25519 key. */
export const Pubkey = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' });

export const RegistryRegisterBody = Type.Object(
  {
    agent_id: AgentId,
    capabilities: Type.Optional(Capabilities),
    description: Type.Optional(AgentDescription),
    endpoint: Type.Optional(Endpoint),
    agent_card: Type.Optional(CardAsSent),
    pubkey: Type.Optional(Pubkey),
  },
  { additionalProperties: false },
);
export type RegistryRegisterBody = Static<typeof RegistryRegisterBody>;

/** The only response that contains the `api_key`. */
export const RegistryRegistration = Type.Object(
  {
    agent_id: Type.String(),
    api_key: Type.String(),
    token: Type.String(),
    base_url: Type.String(),
    message: Type.String(),
  },
  { $id: 'RegistryRegistration' },
);
export type RegistryRegistration = Static<typeof RegistryRegistration>;

export const HeartbeatBody = Type.Object(
  { endpoint: Type.Optional(Endpoint), agent_card: Type.Optional(CardAsSent) },
  { additionalProperties: false },
);
export type HeartbeatBody = Static<typeof HeartbeatBody>;
export const HeartbeatResult = Type.Object(
  {
    status: Type.Literal('ok'),
    agent_id: Type.String(),
    live: Type.Boolean({ description: 'False only for an agent that has set itself away.' }),
    next_heartbeat_before: Type.Integer({ description: 'Epoch seconds; half a minute later it is offline.' }),
  },
  { $id: 'HeartbeatResult' },
);
export type HeartbeatResult = Static<typeof HeartbeatResult>;

/** The card is replaced completely; absent keys are left unchanged. */
export const RegistryPatchBody = Type.Object(
  {
    description: Type.Optional(AgentDescription),
    capabilities: Type.Optional(Capabilities),
    endpoint: Type.Optional(Endpoint),
    agent_card: Type.Optional(CardAsSent),
    avail_status: Type.Optional(
      Type.Union([oneOf(AVAIL_STATUSES), Type.Null()], {
        description: 'null: follows the card and the heartbeats again.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type RegistryPatchBody = Static<typeof RegistryPatchBody>;

/** The request must be signed by the key that it names. */
export const KeyBody = Type.Object({ pubkey: Pubkey }, { additionalProperties: false });
export type KeyBody = Static<typeof KeyBody>;

/** A line of a catalog file, and the part of it that a row keeps. */
export const CatalogEntry = Type.Object(
  {
    agent_id: AgentId,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.String({ maxLength: 4000 }),
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64 }),
    country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' })),
    source: Type.String({ minLength: 1, maxLength: 200 }),
  },
  { $id: 'CatalogEntry', additionalProperties: false },
);
export type CatalogEntry = Static<typeof CatalogEntry>;

/** Never contains the hash of the API key. A catalog-only stub has `registered: false`. Spec: Catalog row. */
export const RegistryRecord = Type.Object(
  {
    agent_id: Type.String(),
    registered: Type.Boolean(),
    live: Type.Boolean(),
    verified: Type.Boolean({ description: 'A key is bound.' }),
    avail_status: oneOf(AVAIL_STATUSES),
    endpoint: Type.Union([Type.String(), Type.Null()]),
    pubkey: Type.Union([Type.String(), Type.Null()]),
    agent_card: Type.Union([Type.Unsafe<Tier1Card>(Type.Ref('Tier1Card')), Type.Null()], {
      description: 'Null only for an entry of the catalog that no agent has claimed.',
    }),
    description: Type.Union([Type.String(), Type.Null()]),
    capabilities: Type.Array(Type.String()),
    registered_at: Type.Union([Type.Integer(), Type.Null()]),
    last_seen: Type.Union([Type.Integer(), Type.Null()]),
    catalog: Type.Union([Type.Unsafe<CatalogEntry>(Type.Ref('CatalogEntry')), Type.Null()]),
  },
  { $id: 'RegistryRecord' },
);
export type RegistryRecord = Static<typeof RegistryRecord>;

export const RegistryQuery = Type.Object(
  {
    live: Type.Optional(Type.Boolean()),
    registered: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String({ maxLength: 200 })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type RegistryQuery = Static<typeof RegistryQuery>;
export const RegistryList = Type.Object(
  {
    agents: Type.Array(Type.Ref('RegistryRecord')),
    count: Type.Integer(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'RegistryList' },
);
export type RegistryList = { agents: RegistryRecord[]; count: number; next_cursor: string | null };

/**
 * Maximum number of rows of one `POST /v1/catalog`; `meshd catalog import` sends a file in batches of this size. For
 * the operator only.
 */
export const CATALOG_ROWS_MAX = 1000;
export const CatalogImportBody = Type.Object(
  { entries: Type.Array(Type.Unknown(), { minItems: 1, maxItems: CATALOG_ROWS_MAX }) },
  { additionalProperties: false },
);
export type CatalogImportBody = Static<typeof CatalogImportBody>;
/** Rows are imported independently: an invalid row is reported with its index and reason, the others are imported. */
export const CatalogImported = Type.Object(
  {
    added: Type.Integer(),
    updated: Type.Integer(),
    refused: Type.Array(
      Type.Object({ index: Type.Integer(), agent_id: Type.Union([Type.String(), Type.Null()]), reason: Type.String() }),
    ),
  },
  { $id: 'CatalogImported' },
);
export type CatalogImported = Static<typeof CatalogImported>;
