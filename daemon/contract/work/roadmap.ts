import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';

export const ROADMAP_LIMIT_MAX = 8;
export const TASK_STATES = ['open', 'running', 'done', 'blocked'] as const;
export const TASK_STEPS = ['queued', 'working', 'checking'] as const;
const WRITABLE_STATES = ['open', 'done', 'blocked'] as const;

const TASK_ID = '[a-z0-9][a-z0-9._-]{0,63}';
export const AFTER_MAX = 32;
export const PROBLEMS_MAX = 100;

/**
 * A line of `.mesh/roadmap.md`: `- [ ] id: text @member`, with indented lines `after: id, id` and `check: …` below it.
 * A check is `command <name>` (a command that the operator has given a name on this machine), `test <member>` (the
 * member's tests) or `review @<member>` (the verdict of another member).
 */
export const RoadmapTask = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    member: Type.Union([Type.String(), Type.Null()]),
    state: oneOf(TASK_STATES),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is blocked.' }),
    after: Type.Array(Type.String(), { description: 'Tasks that must be done before it is given out.' }),
    waits_for: Type.Array(Type.String(), { description: 'Those of `after` that are not done.' }),
    check: Type.Union([Type.String(), Type.Null()], {
      description: 'What must pass before the task is done. Without one, the operator decides.',
    }),
    line: Type.Integer({ minimum: 1 }),
    heading: Type.Union([Type.String(), Type.Null()], { description: 'The heading of the file that it stands under.' }),
    conv: Type.Union([Type.String(), Type.Null()], { description: 'Where it is, or was last, worked on.' }),
    step: Type.Union([oneOf(TASK_STEPS), Type.Null()], {
      description: 'How far a running task is: its message waits, its member works, or its check runs.',
    }),
    attempt: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'Which attempt a running task is at. Each failed check but the last is followed by another.',
    }),
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
    conv: Type.Union([Type.String(), Type.Null()], {
      description: 'The orchestrator’s conversation that tells of the run, or of the last one.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'The first of `problems`.' }),
    problems: Type.Array(Type.String(), {
      maxItems: PROBLEMS_MAX,
      description: 'What of the file cannot be read as tasks, and which tasks can never be given out.',
    }),
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
    after: Type.Optional(Type.Array(Type.String({ pattern: `^${TASK_ID}$` }), { maxItems: AFTER_MAX })),
    check: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
  },
  { additionalProperties: false },
);
export type TaskPatch = Static<typeof TaskPatch>;

export const RunRoadmap = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROADMAP_LIMIT_MAX, description: 'Default 1.' })) },
  { additionalProperties: false },
);
export type RunRoadmap = Static<typeof RunRoadmap>;

export const CHECK_NAME_PATTERN = '^[a-z][a-z0-9-]{0,31}$';
export const CHECK_COMMANDS_MAX = 100;

/**
 * Commands that the operator lets a task be checked with, by name. They are kept in the daemon's own state: a file of
 * the repository names a command and never holds one.
 */
export const CheckCommand = Type.Object(
  {
    name: Type.String(),
    command: Type.String({
      description: 'A line for the shell, run in the folder where the task’s conversation works.',
    }),
  },
  { $id: 'CheckCommand' },
);
export type CheckCommand = Static<typeof CheckCommand>;

export const CheckCommands = Type.Object(
  { commands: Type.Array(Type.Ref('CheckCommand')), count: Type.Integer() },
  { $id: 'CheckCommands' },
);
export type CheckCommands = { commands: CheckCommand[]; count: number };

export const CheckCommandBody = Type.Object(
  { command: Type.String({ minLength: 1, maxLength: 2_000, pattern: '^[^\\S\\n\\r]*[^\\s\\0][^\\n\\r\\0]*$' }) },
  { additionalProperties: false },
);
export type CheckCommandBody = Static<typeof CheckCommandBody>;
