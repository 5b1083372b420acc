import { type Static, Type } from 'typebox';
import { PricingRow } from '../team.js';

/**
 * The fields that this daemon reads of a Tier-2 card served by an agent. Other fields are left unchanged. Spec: Tier-2
 * public card.
 */
export const Tier2Card = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    url: Type.String({ minLength: 1, maxLength: 2048 }),
    version: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ maxLength: 10_000 }),
    defaultInputModes: Type.Array(Type.String({ maxLength: 127 }), { maxItems: 64 }),
    defaultOutputModes: Type.Array(Type.String({ maxLength: 127 }), { maxItems: 64 }),
    protocols: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 }),
    pricing: Type.Union([
      Type.Object(PricingRow.properties, { additionalProperties: true }),
      Type.Array(Type.Object(PricingRow.properties, { additionalProperties: true }), { maxItems: 64 }),
    ]),
    availability: Type.Object({ now: Type.Boolean() }, { additionalProperties: true }),
    skills: Type.Array(
      Type.Object(
        {
          id: Type.String({ minLength: 1, maxLength: 100 }),
          name: Type.String({ maxLength: 200 }),
          description: Type.String({ maxLength: 10_000 }),
          examples: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 64 })),
        },
        { additionalProperties: true },
      ),
      { maxItems: 256 },
    ),
  },
  { additionalProperties: true },
);
export type Tier2Card = Static<typeof Tier2Card>;

/**
 * Result of reading an agent's card at its endpoint: the card, or the reason why there is none (`blocked_address`,
 * `not_https`, `redirected`, `too_large`, `too_slow`, `bad_card`, …) with a message.
 */
export const Tier2Result = Type.Object({
  agent_id: Type.String(),
  ok: Type.Boolean(),
  url: Type.Union([Type.String(), Type.Null()], { description: 'Where the card was looked for.' }),
  hosted: Type.Boolean({ description: 'The agent is a member of this daemon.' }),
  reason: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
  fetched_at: Type.Integer({
    description: 'Epoch seconds; an answer is kept for a minute, a failure for ten seconds.',
  }),
  card: Type.Union([Type.Unsafe<Tier2Card>(Type.Object({}, { additionalProperties: true })), Type.Null()]),
});
export type Tier2Result = Static<typeof Tier2Result>;

/** `/.well-known/ai-catalog.json`: one entry per exposed member. */
export const AiCatalog = Type.Object({
  specVersion: Type.Literal('1.0'),
  host: Type.Object({ displayName: Type.String(), documentationUrl: Type.String() }),
  entries: Type.Array(
    Type.Object({
      identifier: Type.String(),
      displayName: Type.String(),
      type: Type.String(),
      url: Type.String(),
      description: Type.String(),
      version: Type.String(),
      capabilities: Type.Array(Type.String()),
      representativeQueries: Type.Array(Type.String()),
    }),
  ),
});
export type AiCatalog = Static<typeof AiCatalog>;
