import { type Static, Type } from 'typebox';
import { CardTests } from '../member-tests.js';

export const CardSkill = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    examples: Type.Array(Type.String()),
    input_schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    output_schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    pricing: Type.Optional(Type.Unknown()),
  },
  { $id: 'CardSkill', additionalProperties: true },
);
export type CardSkill = Static<typeof CardSkill>;

export const CardInterface = Type.Object(
  { url: Type.String(), protocolBinding: Type.String(), protocolVersion: Type.String() },
  { $id: 'CardInterface' },
);
export type CardInterface = Static<typeof CardInterface>;

/**
 * Tier-2 card of a hosted agent: the fields of the specification, those of A2A 0.3, and of A2A 1.0
 * `supportedInterfaces`, `securityRequirements` and `extendedAgentCard`.
 */
export const PublicCard = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    version: Type.String(),
    description: Type.String(),
    defaultInputModes: Type.Array(Type.String()),
    defaultOutputModes: Type.Array(Type.String()),
    protocols: Type.Array(Type.String()),
    pricing: Type.Unknown(),
    availability: Type.Object(
      { now: Type.Boolean(), window_hours: Type.Optional(Type.String()), sla: Type.Optional(Type.String()) },
      { additionalProperties: true },
    ),
    skills: Type.Array(Type.Ref('CardSkill')),
    protocolVersion: Type.String(),
    preferredTransport: Type.String(),
    additionalInterfaces: Type.Optional(Type.Array(Type.Object({ url: Type.String(), transport: Type.String() }))),
    supportsAuthenticatedExtendedCard: Type.Optional(Type.Boolean()),
    capabilities: Type.Object({
      streaming: Type.Boolean(),
      pushNotifications: Type.Boolean(),
      extendedAgentCard: Type.Boolean(),
    }),
    securitySchemes: Type.Record(Type.String(), Type.Unknown()),
    security: Type.Array(Type.Record(Type.String(), Type.Array(Type.String()))),
    securityRequirements: Type.Array(Type.Unknown()),
    supportedInterfaces: Type.Array(Type.Ref('CardInterface')),
    documentationUrl: Type.Optional(Type.String()),
    contact: Type.Optional(Type.Record(Type.String(), Type.String())),
    rate_limits: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    payment: Type.Optional(Type.Unknown()),
    tests: Type.Optional(CardTests),
  },
  { $id: 'PublicCard' },
);
export type PublicCard = Omit<Static<typeof PublicCard>, 'skills' | 'supportedInterfaces'> & {
  skills: CardSkill[];
  supportedInterfaces: CardInterface[];
};

/** Strict A2A 1.0 card. */
export const AgentCard = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    version: Type.String(),
    supportedInterfaces: Type.Array(Type.Ref('CardInterface')),
    capabilities: Type.Record(Type.String(), Type.Unknown()),
    securitySchemes: Type.Record(Type.String(), Type.Unknown()),
    securityRequirements: Type.Array(Type.Unknown()),
    defaultInputModes: Type.Array(Type.String()),
    defaultOutputModes: Type.Array(Type.String()),
    skills: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        description: Type.String(),
        tags: Type.Array(Type.String()),
        examples: Type.Array(Type.String()),
      }),
    ),
  },
  { $id: 'AgentCard' },
);
export type AgentCard = Omit<Static<typeof AgentCard>, 'supportedInterfaces'> & {
  supportedInterfaces: CardInterface[];
};

/** Health record of a hosted agent. Spec: Health record. */
export const AgentHealth = Type.Object(
  { ok: Type.Boolean(), agent_id: Type.String(), upstream_ready: Type.Boolean() },
  { $id: 'AgentHealth' },
);
export type AgentHealth = Static<typeof AgentHealth>;
