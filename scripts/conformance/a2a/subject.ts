import { randomUUID } from 'node:crypto';
import { until } from '../../hard/drill.js';
import { type AgentDaemon, MEMBER } from '../acp/agent-daemon.js';
import { oneOf } from '../scenarios.js';
import type { A2aClient, Failure, Sending, Task } from './binding.js';
import { type Body, call } from './http.js';
import type { Receiver } from './receiver.js';

/** What the scenarios are run against: an agent of a running daemon, known by its address and its token. */
export interface Subject {
  agents: AgentDaemon;
  receiver: Receiver;
  /** Address of the agent, below which its card is. */
  base: string;
  authorization: { authorization: string };
}

export const createSubject = (agents: AgentDaemon, receiver: Receiver): Subject => ({
  agents,
  receiver,
  base: `${agents.daemon.address}/team/${MEMBER}`,
  authorization: { authorization: `Bearer ${agents.token}` },
});

export const newId = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

export async function card(
  { base }: Subject,
  name: 'agent-card.json' | 'agent.json',
  version?: '0.3' | '1.0',
): Promise<Body> {
  const headers = version && { 'a2a-version': version };
  return (await call({ method: 'GET', url: `${base}/.well-known/${name}`, ...(headers && { headers }) })).body;
}

/** Runs `work` with a task that is worked on until `release` is called. */
export async function withWorkingTask(
  { agents }: Subject,
  client: A2aClient,
  work: (task: Task, release: () => void) => Promise<void>,
  sending: Sending = {},
): Promise<void> {
  const name = newId('held');
  const task = await client.task(
    { messageId: newId('m'), text: `Which port? hold:${name}` },
    { isBlocking: false, ...sending },
  );
  try {
    const state = async () => (await client.get(task.id)).value?.state;
    await until('The task is worked on', 10_000, state, (one) => one === 'working');
    await work(task, () => agents.release(name));
  } finally {
    agents.release(name);
    await untilEnded(client, task.id);
  }
}

export async function untilEnded(client: A2aClient, id: string): Promise<Task> {
  const look = async () => (await client.get(id)).value;
  const task = await until(
    'The task ends',
    15_000,
    look,
    (one) => !['submitted', 'working'].includes(one?.state ?? ''),
  );
  return task as Task;
}

/** The errors of A2A by name: the code of JSON-RPC, and the statuses of HTTP in the tables of the published versions. */
const ERRORS = {
  TASK_NOT_FOUND: { code: -32001, statuses: [404] },
  TASK_NOT_CANCELABLE: { code: -32002, statuses: [400, 409] },
  UNSUPPORTED_OPERATION: { code: -32004, statuses: [400] },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, statuses: [400, 415] },
  VERSION_NOT_SUPPORTED: { code: -32009, statuses: [400] },
  INVALID_PARAMS: { code: -32602, statuses: [400] },
} as const;

/** Throws unless the call failed with the error as the binding maps it. */
export function failsWith(client: A2aClient, failure: Failure | undefined, name: keyof typeof ERRORS): void {
  const { code, statuses } = ERRORS[name];
  if (failure === undefined) throw new Error(`The call was answered, not refused with ${name}.`);
  const { version, transport } = client.binding;
  if (transport === 'JSON-RPC') {
    oneOf('the error code', failure.code, [code]);
    oneOf('the HTTP status of a JSON-RPC error', failure.status, [200]);
    return;
  }
  oneOf('the HTTP status', failure.status, statuses);
  // Only 1.0 names its errors in a body over REST.
  if (version === '1.0' && name !== 'INVALID_PARAMS') oneOf('the reason of the error', failure.reason, [name]);
}
