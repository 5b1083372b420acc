import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';

const Part = Type.Object(
  { type: Type.Optional(Type.String()), kind: Type.Optional(Type.String()) },
  { additionalProperties: true },
);

/**
 * Body of `POST /tasks/send`, the older A2A shape (0.2): a message whose text or data is the input of a skill.
 * `metadata.skill` names the skill; without it the first skill of the card is called. Other keys are accepted and
 * ignored. Spec: Interface hosted by each agent.
 */
export const TaskSendBody = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Taken and not used: the id of the task is the request id of the answer.',
      }),
    ),
    sessionId: Type.Optional(Type.String({ maxLength: 256, description: 'Continues one conversation across tasks.' })),
    message: Type.Object(
      { role: Type.Optional(Type.String()), parts: Type.Array(Part, { minItems: 1, maxItems: 64 }) },
      { additionalProperties: true },
    ),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: true },
);
export type TaskSendBody = Static<typeof TaskSendBody>;

export const TASK_STATES = ['submitted', 'working', 'input-required', 'completed', 'canceled', 'failed'] as const;
export type TaskState = (typeof TASK_STATES)[number];

const AnswerPart = Type.Object(
  { type: Type.String(), kind: Type.String(), text: Type.Optional(Type.String()), data: Type.Optional(Type.Unknown()) },
  { description: '`text` or `data`; `kind` says the same as `type`, for clients of A2A 0.2.1 and later.' },
);

/** A task in the older A2A shape. Its id is the request id. */
export const HostedTask = Type.Object(
  {
    id: Type.String(),
    kind: Type.Literal('task'),
    sessionId: Type.Optional(Type.String()),
    status: Type.Object({
      state: oneOf(TASK_STATES),
      timestamp: Type.String({ description: 'ISO 8601.' }),
      message: Type.Optional(Type.Object({ role: Type.Literal('agent'), parts: Type.Array(AnswerPart) })),
    }),
    artifacts: Type.Optional(
      Type.Array(Type.Object({ index: Type.Integer(), name: Type.String(), parts: Type.Array(AnswerPart) })),
    ),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'HostedTask' },
);
export type HostedTask = Static<typeof HostedTask>;

/** Short description of an agent: response of `GET /`, and of `/team/:id/about` for a member. */
export const AgentBanner = Type.Object(
  {
    agent_id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    version: Type.String(),
    url: Type.String(),
    endpoints: Type.Array(Type.Object({ method: Type.String(), path: Type.String(), summary: Type.String() })),
    providers: Type.Array(Type.String(), { description: 'What runs it.' }),
    rate_limits: Type.Record(Type.String(), Type.Integer(), {
      description: 'Calls per window; empty when there is no limit.',
    }),
    defaults: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'AgentBanner' },
);
export type AgentBanner = Static<typeof AgentBanner>;
