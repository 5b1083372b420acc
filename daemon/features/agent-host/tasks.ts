import type { HostedTask, TaskSendBody, TaskState } from '../../contract/network/hosted-agents.js';
import { MeshError } from '../../lib/errors.js';
import { newRequestId } from '../../lib/ids.js';
import { isObject } from '../../lib/is-object.js';
import { isoTime } from '../../lib/time/clock.js';
import type { HostedSkill } from './agent-spec.js';

type AnswerPart = NonNullable<HostedTask['status']['message']>['parts'][number];

/** Property names under which skills accept text, in order of preference. */
const TEXT_KEYS = ['text', 'prompt', 'query', 'input', 'question'] as const;

/**
 * The skill input in a task's message: the object of its data part; otherwise its text, parsed when it is a JSON
 * object, or else under the property that accepts text. Throws `bad_request` with `path`.
 */
export function taskInput({ input_schema }: HostedSkill, { message }: TaskSendBody): Record<string, unknown> {
  const isPartOf = (part: { type?: string; kind?: string }, name: string) =>
    part.type === name || (part.type === undefined && part.kind === name);
  for (const part of message.parts) {
    const { data } = part as { data?: unknown };
    if (isPartOf(part, 'data') && isObject(data)) return data;
  }
  const texts = message.parts.filter((part) => isPartOf(part, 'text')).map((part) => (part as { text?: unknown }).text);
  const text = texts.filter((one): one is string => typeof one === 'string').join('\n\n');
  if (text.trim() === '') {
    throw new MeshError('bad_request', '"message.parts" must hold a text or a data part.', {
      details: { path: 'message.parts' },
    });
  }
  const object = objectIn(text);
  if (object) return object;
  const properties = input_schema?.['properties'];
  const key = TEXT_KEYS.find((one) => isObject(properties) && one in properties) ?? 'text';
  return { [key]: text };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const textPart = (text: string): AnswerPart => ({ type: 'text', kind: 'text', text });
export const dataPart = (data: unknown): AnswerPart => ({ type: 'data', kind: 'data', data });

interface TaskFacts {
  id: string;
  state: TaskState;
  /** ISO 8601. */
  timestamp: string;
  session: string | undefined;
  parts?: AnswerPart[];
  /** The reason for a failure. */
  said?: string | undefined;
  metadata: Record<string, unknown>;
}

export function toHostedTask({ id, state, timestamp, session, parts, said, metadata }: TaskFacts): HostedTask {
  return {
    id,
    kind: 'task',
    ...(session === undefined ? {} : { sessionId: session }),
    status: {
      state,
      timestamp,
      ...(said === undefined ? {} : { message: { role: 'agent' as const, parts: [textPart(said)] } }),
    },
    ...(parts === undefined ? {} : { artifacts: [{ index: 0, name: 'answer', parts }] }),
    metadata,
  };
}

interface Finished {
  output: unknown;
  requestId: string | undefined;
  skill: string;
  session: string | undefined;
  nowMs: number;
}

/** The task of a skill that has completed. */
export function finishedTask({ output, requestId, skill, session, nowMs }: Finished): HostedTask {
  const text = isObject(output) && typeof output['result_text'] === 'string' ? output['result_text'] : undefined;
  const parts = text === undefined ? [dataPart(output)] : [textPart(text), dataPart(output)];
  return toHostedTask({
    id: requestId ?? newRequestId(),
    state: 'completed',
    timestamp: isoTime(nowMs),
    session,
    parts,
    metadata: { skill },
  });
}
