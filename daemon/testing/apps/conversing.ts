import { expect } from 'vitest';
import type { Conversation, MessageAccepted, MessageList } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { PermissionDetail } from '../../contract/permissions.js';
import type { Turn } from '../../features/clients/client.js';
import { answers, heldAnswer, ScriptedAgent } from '../processes/scripted-agent.js';
import { SocketClient } from '../processes/socket-client.js';
import type { TestApp } from './test-app.js';

/** An agent whose turns wait until the test lets them finish. */
export const held = () => new ScriptedAgent('acp', heldAnswer);
/** An agent that repeats the message it received. */
export const echo = () => new ScriptedAgent('acp', (turn: Turn) => answers(`You said ${turn.text}.`));
/** An agent that requests permission and reports the decision. */
export const asking = (detail: PermissionDetail | null = null) =>
  new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
    yield { type: 'text', text: 'May I? ' };
    yield { type: 'text', text: await decide({ tool: 'edit', target: 'src/a.ts', reason: 'to mend it', detail }) };
    yield { type: 'end', citations: [] };
  });

export async function begin(app: TestApp, body: object = { member: 'developer' }): Promise<Conversation> {
  const reply = await app.call('POST', '/conversations', body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}

export const postMessage = async (app: TestApp, conv: string, text: string) =>
  (await app.call('POST', `/conversations/${conv}/messages`, { text })).body as MessageAccepted;

export const read = async (app: TestApp, conv: string, query = '') =>
  (await app.call('GET', `/conversations/${conv}/messages${query}`)).body as MessageList;

export const get = async (app: TestApp, conv: string) =>
  (await app.call('GET', `/conversations/${conv}`)).body as Conversation;

/** Opens the event socket; it receives the events that follow. */
export const events = async (app: TestApp) => {
  const client = new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events`);
  await client.next();
  return client;
};

export const ended = (client: SocketClient<EventFrame>, turn: string) =>
  client.until((frame) => frame.type === 'turn.ended' && frame.turn === turn);
