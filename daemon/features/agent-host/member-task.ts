import type { AskRecord } from '../../contract/asks.js';
import type { HostedTask, TaskState } from '../../contract/network/hosted-agents.js';
import { toSkillAskResult } from '../../lib/agents/skill-ask-result.js';
import { dataPart, textPart, toHostedTask } from './tasks.js';

const STATES: Readonly<Record<AskRecord['status'], TaskState>> = {
  queued: 'submitted',
  running: 'working',
  needs_input: 'working',
  done: 'completed',
  error: 'failed',
};

/** A member's request as a task. The request id is the task id. */
export function memberTask(record: AskRecord, session?: string): HostedTask {
  const { request_id, status, result_text, error, created_at, started_at, finished_at } = record;
  return toHostedTask({
    id: request_id,
    state: error?.code === 'cancelled' ? 'canceled' : STATES[status],
    timestamp: finished_at ?? started_at ?? created_at,
    session,
    said: error?.message,
    ...(result_text === undefined
      ? {}
      : { parts: [textPart(result_text), dataPart(taskData({ ...record, result_text }))] }),
    metadata: { member: record.member, conv: record.conv },
  });
}

/** What comes with the text of an answer. */
function taskData(record: AskRecord & { result_text: string }): object {
  const { request_id: _, result_text: __, ...data } = toSkillAskResult(record);
  return data;
}
