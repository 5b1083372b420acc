import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { ContextDoc } from '../../contract/asks.js';
import { isoTime } from '../../lib/clock.js';
import type { Ask } from '../asks/ask-store.js';

/** The one artifact that a task of a member has. */
const ANSWER = 'answer';
const CANCELLED = 'cancelled';

const STATES: Readonly<Record<Ask['status'], TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  needs_input: TaskState.TASK_STATE_INPUT_REQUIRED,
  done: TaskState.TASK_STATE_COMPLETED,
  error: TaskState.TASK_STATE_FAILED,
};

export const stateOf = ({ status, error_code }: Pick<Ask, 'status' | 'error_code'>): TaskState =>
  error_code === CANCELLED ? TaskState.TASK_STATE_CANCELED : STATES[status];

/** Which asks have the state that a list is filtered by; `none` for a state that no ask has. */
export function asksOfState(state: TaskState): { status?: Ask['status']; isCancelled?: boolean } | 'none' {
  if (state === TaskState.TASK_STATE_UNSPECIFIED) return {};
  if (state === TaskState.TASK_STATE_CANCELED) return { status: 'error', isCancelled: true };
  const found = (Object.keys(STATES) as Ask['status'][]).find((status) => STATES[status] === state);
  if (found === undefined) return 'none';
  return { status: found, ...(found === 'error' ? { isCancelled: false } : {}) };
}

/** The context of an ask: its session, and for one without the id of its conversation. A client that sends it back continues the conversation. */
export const contextOf = ({ session, conv }: Pick<Ask, 'session' | 'conv'>) => session ?? conv;

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

interface Said {
  messageId: string;
  role: Role;
  parts: Part[];
}

const message = (ask: Ask, said: Said): Message => ({
  ...said,
  contextId: contextOf(ask),
  taskId: ask.request_id,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

/** What the caller has asked, under the id that it gave. */
function question(ask: Ask, documents: readonly ContextDoc[]): Message {
  const docs = documents.map(({ filename, content }) => ({ ...textPart(content), filename }));
  const messageId = ask.caller.idempotency_key ?? `${ask.request_id}-question`;
  return message(ask, { messageId, role: Role.ROLE_USER, parts: [textPart(ask.text), ...docs] });
}

/** What is said with a state that needs words. */
function remark(ask: Ask): string | undefined {
  if (ask.status === 'needs_input')
    return 'The operator of this agent is asked for a permission; without one within a minute the task fails.';
  return ask.error_message ?? undefined;
}

export function statusOf(ask: Ask): TaskStatus {
  const said = remark(ask);
  const { finished_ms, started_ms, created_ms } = ask;
  return {
    state: stateOf(ask),
    timestamp: isoTime(finished_ms ?? started_ms ?? created_ms),
    message:
      said === undefined
        ? undefined
        : message(ask, {
            messageId: `${ask.request_id}-${ask.status}`,
            role: Role.ROLE_AGENT,
            parts: [textPart(said)],
          }),
  };
}

/** Parts of the answer: its text, and with the whole answer its citations, what it ran on and its receipt as data. */
export const answerOf = (parts: Part[]): Artifact => ({
  artifactId: ANSWER,
  name: ANSWER,
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
});

export function wholeAnswer({ result_text, citations, client, model, receipt }: Ask): Artifact | undefined {
  if (result_text === null) return undefined;
  const facts = { citations: citations ?? [], client, model, ...(receipt === null ? {} : { receipt }) };
  return answerOf([textPart(result_text), dataPart(facts)]);
}

/** How much of a task is shown. */
export interface Shown {
  /** Newest messages of its history; undefined for all. */
  historyLength?: number | undefined;
  withArtifacts?: boolean;
}

/** What came with the ask of that id. */
export type DocumentsOf = (requestId: string) => readonly ContextDoc[];

/** A request as an A2A task: the request id is the task id. Contract: Ask and poll. */
export function taskOf(ask: Ask, documentsOf: DocumentsOf, { historyLength, withArtifacts = true }: Shown = {}): Task {
  const answer = withArtifacts ? wholeAnswer(ask) : undefined;
  return {
    id: ask.request_id,
    contextId: contextOf(ask),
    status: statusOf(ask),
    artifacts: answer ? [answer] : [],
    history: historyLength === 0 ? [] : [question(ask, documentsOf(ask.request_id))],
    metadata: { member: ask.member, conv: ask.conv },
  };
}
