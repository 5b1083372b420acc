import { type Static, Type } from 'typebox';
import { AgentDescription, Capabilities, StateBody, Tier1Card } from '../network/agents.js';
import { CATALOG_ROWS_MAX, CatalogEntry, Pubkey, RegistryPatchBody } from '../network/registry.js';
import { orNull } from '../one-of.js';
import { Digest } from './keys.js';

/** The bodies of the commands that change the unified API's table of agents. The entity is the agent's id. */

/** Identifies one registration of an id. */
const Rid = Type.String({ minLength: 16, maxLength: 64 });

const Profile = Type.Object(
  {
    description: Type.Optional(AgentDescription),
    capabilities: Type.Optional(Capabilities),
    endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    agent_card: Type.Optional(Tier1Card),
    avail_status: Type.Optional(RegistryPatchBody.properties.avail_status),
  },
  { additionalProperties: false },
);

/** `registry.register` */
export const RegisterAgent = Type.Object(
  {
    rid: Rid,
    api_key_sha256: Digest,
    pubkey: orNull(Pubkey),
    profile: Profile,
  },
  { additionalProperties: false },
);
export type RegisterAgent = Static<typeof RegisterAgent>;

/** `registry.deregister` */
export const OfRegistration = Type.Object({ rid: Rid }, { additionalProperties: false });
export type OfRegistration = Static<typeof OfRegistration>;

/** `registry.change` */
export const ChangeAgent = Type.Object({ rid: Rid, profile: Profile }, { additionalProperties: false });
export type ChangeAgent = Static<typeof ChangeAgent>;

/** `registry.set-state` */
export const SetAgentState = Type.Object(
  { rid: Rid, availability: StateBody.properties.availability },
  { additionalProperties: false },
);
export type SetAgentState = Static<typeof SetAgentState>;

/** `registry.bind-key`: the sender has checked a signature by the key. */
export const BindAgentKey = Type.Object({ rid: Rid, pubkey: Pubkey }, { additionalProperties: false });
export type BindAgentKey = Static<typeof BindAgentKey>;

/** `catalog.import`: entries that the sender has checked, with their places in its request. The entity is `catalog`. */
export const ImportEntries = Type.Object(
  {
    entries: Type.Array(
      Type.Object({ index: Type.Integer({ minimum: 0 }), entry: CatalogEntry }, { additionalProperties: false }),
      { maxItems: CATALOG_ROWS_MAX },
    ),
  },
  { additionalProperties: false },
);
export type ImportEntries = Static<typeof ImportEntries>;
