import { type Static, Type } from 'typebox';

export const ROADMAP_LIMIT_MAX = 8;
export const TASK_STATES = ['open', 'running', 'done', 'blocked'] as const;
const WRITABLE_STATES = ['open', 'done', 'blocked'] as const;

const oneOf = <T extends readonly string[]>(values: T) => Type.Unsafe<T[number]>(Type.String({ enum: [...values] }));

/** A line of `.mesh/roadmap.md`: `- [ ] id: text @member`. */
export const RoadmapTask = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    member: Type.Union([Type.String(), Type.Null()]),
    state: oneOf(TASK_STATES),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is blocked.' }),
    line: Type.Integer({ minimum: 1 }),
    heading: Type.Union([Type.String(), Type.Null()], { description: 'The heading of the file that it stands under.' }),
    conv: Type.Union([Type.String(), Type.Null()], { description: 'Where it is, or was last, worked on.' }),
  },
  { $id: 'RoadmapTask' },
);
export type RoadmapTask = Static<typeof RoadmapTask>;

export const Roadmap = Type.Object(
  {
    path: Type.String(),
    tasks: Type.Array(Type.Ref('RoadmapTask')),
    running: Type.Boolean({ description: 'Ready tasks are given out.' }),
    limit: Type.Integer({ description: 'Parallel tasks.' }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'What of the file cannot be read as tasks.' }),
  },
  { $id: 'Roadmap' },
);
export type Roadmap = Omit<Static<typeof Roadmap>, 'tasks'> & { tasks: RoadmapTask[] };

export const TaskPatch = Type.Object(
  {
    state: Type.Optional(oneOf(WRITABLE_STATES)),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    member: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()])),
    reason: Type.Optional(Type.Union([Type.String({ maxLength: 500 }), Type.Null()])),
  },
  { additionalProperties: false },
);
export type TaskPatch = Static<typeof TaskPatch>;

export const RunRoadmap = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROADMAP_LIMIT_MAX, description: 'Default 1.' })) },
  { additionalProperties: false },
);
export type RunRoadmap = Static<typeof RunRoadmap>;
