import { type Static, Type } from 'typebox';

/** The number that the log gave a registration: it is the same on every replica. */
export const AgentNumber = Type.Integer({ minimum: 1 });

/**
 * `hub.seen` and `registry.seen`: when agents of the sender were last seen, in milliseconds since 1970. The entity is
 * `seen`.
 */
export const SeenAgents = Type.Object(
  {
    seen: Type.Array(Type.Object({ agent: AgentNumber, ms: Type.Integer() }, { additionalProperties: false }), {
      maxItems: 2_000,
    }),
  },
  { additionalProperties: false },
);
export type SeenAgents = Static<typeof SeenAgents>;
