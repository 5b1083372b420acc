import { expect, it } from 'vitest';
import type { Registration } from '../../contract/network/hub.js';
import type { SearchResult, Why } from '../../contract/network/oracle.js';
import { bearer } from '../../testing/apps/registering.js';
import { testApp } from '../../testing/apps/test-app.js';
import { MessageOutcomes } from './message-outcomes.js';

it('a reply on the hub counts as a message that reached its author, and says nothing of its response rate', async () => {
  const app = await testApp();
  const register = async (agent_id: string): Promise<string> =>
    ((await app.call('POST', '/agents/register', { agent_id, capabilities: [] })).body as Registration).token;
  const [asker, painter] = [await register('asker'), await register('painter')];
  const send = (token: string, to: string) =>
    app.call('POST', '/agents/messages', { to, payload: 'hello' }, bearer(token));
  const look = async (id: string): Promise<Why | undefined> => {
    const { body } = await app.call('POST', '/v1/search', { query: id, explain: true });
    return (body as SearchResult).agents.find(({ agent_id }) => agent_id === id)?.why;
  };
  await send(asker, 'painter');
  await send(asker, 'painter');
  expect((await look('painter'))?.message_through).toBe(0);
  await send(painter, 'asker');
  await send(painter, 'asker');
  expect(await look('painter')).toMatchObject({ message_through: 1, response_rate: null, asked: 0 });
  expect((await look('asker'))?.message_through).toBe(0);
});

it('messages of own members measure whether an agent answers, once for each thread', () => {
  const counted: string[] = [];
  const outcomes = new MessageOutcomes({
    responses: {
      asked: (id) => void counted.push(`asked ${id}`),
      answered: (id) => void counted.push(`answered ${id}`),
    },
    feedback: async ({ requester, agent_id }) => void counted.push(`${requester} reached ${agent_id}`),
    isOwn: (id) => id === 'own',
    onFault: (error) => {
      throw error;
    },
  });
  outcomes.sent({ from: 'own', to: 'painter', isReply: false, isFirst: true });
  outcomes.sent({ from: 'own', to: 'painter', isReply: false, isFirst: false });
  outcomes.sent({ from: 'painter', to: 'own', isReply: true, isFirst: true });
  outcomes.sent({ from: 'own', to: 'painter', isReply: true, isFirst: false });
  outcomes.sent({ from: 'stranger', to: 'painter', isReply: false, isFirst: true });
  expect(counted).toEqual(['asked painter', 'own reached painter', 'answered painter', 'painter reached own']);
});

it('a message that cannot be counted is told, and no first message of a thread is counted twice', async () => {
  const faults: unknown[] = [];
  const counted: string[] = [];
  const fault = new Error('The disk is full.');
  const outcomes = new MessageOutcomes({
    responses: {
      asked: (id) => void counted.push(`asked ${id}`),
      answered: (id) => void counted.push(`answered ${id}`),
    },
    feedback: async ({ kind }) => {
      counted.push(kind);
      throw fault;
    },
    isOwn: (id) => id === 'own',
    onFault: (error) => void faults.push(error),
  });
  outcomes.sent({ from: 'painter', to: 'own', isReply: false, isFirst: true });
  outcomes.sent({ from: 'painter', to: 'stranger', isReply: true, isFirst: true });
  outcomes.sent({ from: 'own', to: 'painter', isReply: true, isFirst: true });
  await Promise.resolve();
  expect([counted, faults]).toEqual([
    ['message_through', 'message_through'],
    [fault, fault],
  ]);
});
