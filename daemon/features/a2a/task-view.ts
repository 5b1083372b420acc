import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { ContextDoc } from '../../contract/asks.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Ask } from '../asks/ask-store.js';

/** Id and name of the single artifact of a member's task. */
const ANSWER = 'answer';
const CANCELLED = 'cancelled';

/**
 * A wait for the operator's permission is work in progress: INPUT_REQUIRED would ask the caller for another message,
 * and no message of the caller moves the task on.
 */
const STATES: Readonly<Record<Ask['status'], TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  needs_input: TaskState.TASK_STATE_WORKING,
  done: TaskState.TASK_STATE_COMPLETED,
  error: TaskState.TASK_STATE_FAILED,
};

const toTaskState = ({ status, error_code }: Pick<Ask, 'status' | 'error_code'>): TaskState =>
  error_code === CANCELLED ? TaskState.TASK_STATE_CANCELED : STATES[status];

/** The filter for asks in the given state; `none` for a state that no ask has. */
export function asksOfState(state: TaskState): { statuses?: Ask['status'][]; isCancelled?: boolean } | 'none' {
  if (state === TaskState.TASK_STATE_UNSPECIFIED) return {};
  if (state === TaskState.TASK_STATE_CANCELED) return { statuses: ['error'], isCancelled: true };
  const statuses = (Object.keys(STATES) as Ask['status'][]).filter((status) => STATES[status] === state);
  if (statuses.length === 0) return 'none';
  return { statuses, ...(statuses.includes('error') ? { isCancelled: false } : {}) };
}

/**
 * The context id of an ask: its session, or the id of its conversation when it has none. A client that sends it again
 * continues the conversation.
 */
export const getContextId = ({ session, conv }: Pick<Ask, 'session' | 'conv'>) => session ?? conv;

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const dataPart = (value: unknown): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});

interface TaskMessage {
  messageId: string;
  role: Role;
  parts: Part[];
}

const message = (ask: Ask, taskMessage: TaskMessage): Message => ({
  ...taskMessage,
  contextId: getContextId(ask),
  taskId: ask.request_id,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

/** The caller's question, under the message id that the caller chose. */
function question(ask: Ask, documents: readonly ContextDoc[]): Message {
  const docs = documents.map(({ filename, content }) => ({ ...textPart(content), filename }));
  const messageId = ask.caller.idempotency_key ?? `${ask.request_id}-question`;
  return message(ask, { messageId, role: Role.ROLE_USER, parts: [textPart(ask.text), ...docs] });
}

/** The explanation for a status that needs one. */
function remark(ask: Ask): string | undefined {
  if (ask.status === 'needs_input')
    return 'The operator of this agent is asked for a permission; without one within a minute the task fails.';
  return ask.error_message ?? undefined;
}

export function toTaskStatus(ask: Ask): TaskStatus {
  const taskMessage = remark(ask);
  const { finished_ms, started_ms, created_ms } = ask;
  return {
    state: toTaskState(ask),
    timestamp: isoTime(finished_ms ?? started_ms ?? created_ms),
    message:
      taskMessage === undefined
        ? undefined
        : message(ask, {
            messageId: `${ask.request_id}-${ask.status}`,
            role: Role.ROLE_AGENT,
            parts: [textPart(taskMessage)],
          }),
  };
}

/**
 * The answer artifact. Its parts are the text and, in the whole answer, a data part with citations, client, model and
 * receipt, and what the built-in search reports.
 */
export const createAnswerArtifact = (parts: Part[]): Artifact => ({
  artifactId: ANSWER,
  name: ANSWER,
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
});

export function wholeAnswer({ result_text, citations, search, client, model, receipt }: Ask): Artifact | undefined {
  if (result_text === null) return undefined;
  const facts = { citations: citations ?? [], ...search, client, model, ...(receipt === null ? {} : { receipt }) };
  return createAnswerArtifact([textPart(result_text), dataPart(facts)]);
}

/** How much of a task is included. */
export interface Shown {
  /** Maximum number of history messages, newest first. Undefined for all. */
  historyLength?: number | undefined;
  withArtifacts?: boolean;
}

/** Returns the documents submitted with the ask of that id. */
type FindDocuments = (requestId: string) => readonly ContextDoc[];

/** A request as an A2A task. The request id is the task id. Contract: Ask and poll. */
export function toTask(
  ask: Ask,
  listDocuments: FindDocuments,
  { historyLength, withArtifacts = true }: Shown = {},
): Task {
  const answer = withArtifacts ? wholeAnswer(ask) : undefined;
  return {
    id: ask.request_id,
    contextId: getContextId(ask),
    status: toTaskStatus(ask),
    artifacts: answer ? [answer] : [],
    history: historyLength === 0 ? [] : [question(ask, listDocuments(ask.request_id))],
    metadata: { member: ask.member, conv: ask.conv },
  };
}
