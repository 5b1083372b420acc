import { type Static, Type } from 'typebox';
import type { FoundAgent } from './network/oracle.js';

/** A running daemon of this user. */
export const RunningProject = Type.Object(
  {
    name: Type.String(),
    root: Type.String(),
    address: Type.String(),
    pid: Type.Integer(),
    version: Type.String(),
    started_at: Type.String({ description: 'ISO 8601.' }),
    current: Type.Boolean({ description: 'Whether it is the one that answers.' }),
  },
  { $id: 'RunningProject' },
);
export type RunningProject = Static<typeof RunningProject>;
export const ProjectList = Type.Object(
  {
    projects: Type.Array(Type.Ref('RunningProject')),
    count: Type.Integer(),
    command: Type.Optional(
      Type.Array(Type.String(), { description: 'The words that run `meshd` in a shell of this machine.' }),
    ),
  },
  { $id: 'ProjectList' },
);
export type ProjectList = { projects: RunningProject[]; count: number; command?: readonly string[] };

/** Exposed members of the user's other running projects that a search found, the best first. */
export const FoundElsewhere = Type.Object(
  { agents: Type.Array(Type.Ref('FoundAgent')), count: Type.Integer() },
  { $id: 'FoundElsewhere' },
);
export type FoundElsewhere = { agents: FoundAgent[]; count: number };
