import { type Static, Type } from 'typebox';
import type { Surface } from './agents.js';

/** The self-registration of one exposed member on one surface. */
export const SurfaceRegistration = Type.Object(
  {
    agent_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Null while it has never been registered there.',
    }),
    registered: Type.Boolean(),
    online: Type.Boolean(),
    last_heartbeat: Type.Union([Type.Integer(), Type.Null()], { description: 'Epoch seconds.' }),
    token_age_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Null before the first token of this run.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'What keeps it from being registered, or is not as asked.',
    }),
  },
  { $id: 'HouseStanding' },
);
export type SurfaceRegistration = Static<typeof SurfaceRegistration>;

/**
 * The self-registrations of the daemon: one row per exposed member, with both surfaces. For the operator only.
 * Contract: Unified API.
 */
export const SelfRegistrationRecord = Type.Object(
  {
    member: Type.String(),
    surfaces: Type.Object({ hub: Type.Ref('HouseStanding'), v1: Type.Ref('HouseStanding') }),
  },
  { $id: 'HouseAgent' },
);
export type SelfRegistrationRecord = { member: string; surfaces: Record<Surface, SurfaceRegistration> };

export const SelfRegistrationList = Type.Object(
  { registrations: Type.Array(Type.Ref('HouseAgent')), count: Type.Integer() },
  { $id: 'HouseAgentList' },
);
export type SelfRegistrationList = { registrations: SelfRegistrationRecord[]; count: number };
