import { describe, expect, it } from 'vitest';
import type { AskRecord } from '../../contract/asks.js';
import type { Conversation, MessageAccepted, MessageList } from '../../contract/conversations.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

async function turnOf(app: TestApp, conversation: object, text: string) {
  const { conv } = (await app.call('POST', '/conversations', conversation)).body as Conversation;
  const path = `/conversations/${conv}`;
  const { turn } = (await app.call('POST', `${path}/messages`, { text })).body as MessageAccepted;
  for (;;) {
    const { turns, messages } = (await app.call('GET', `${path}/messages`)).body as MessageList;
    const record = turns.find((one) => one.turn === turn);
    if (record?.state === 'ended') return { record, answer: messages.find(({ role }) => role === 'assistant') };
    await new Promise(setImmediate);
  }
}

describe('without a model', () => {
  it.each([{ member: 'developer' }, { member: 'commit-pr-reviewer' }, { agent_type: 'deploy' }])(
    '%j takes no task: the turn says so, and there is no answer',
    async (conversation) => {
      const app = await testApp();
      const { record, answer } = await turnOf(app, conversation, 'When do the lights go on?');
      expect(record).toMatchObject({
        outcome: 'failed',
        code: 'no_working_client',
        reason: expect.stringMatching(/^It cannot work yet, because no model is connected: .*meshd clients/),
      });
      expect(answer).toBeUndefined();
    },
  );

  it.each([{ member: 'consultant' }, { agent_type: 'custom' }])('%j answers with quotes', async (conversation) => {
    const app = await testApp();
    const { record, answer } = await turnOf(app, conversation, 'When do the lights go on?');
    expect([record.outcome, record.client]).toEqual(['answered', 'builtin']);
    expect(answer?.citations.length).toBeGreaterThan(0);
  });

  it('a request from outside to a member that works ends with the code', async () => {
    const app = await testApp();
    await app.call('POST', '/team/developer/expose');
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const { request_id } = await app.ask('developer', { text: 'Add a test.' });
    const record: AskRecord = await app.poll('developer', request_id, 60);
    expect(record).toMatchObject({ status: 'error', error: { code: 'no_working_client' } });
    expect(record.result_text).toBeUndefined();
  });

  it('a model that was connected since the last check is used', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Done.'));
    let isReady = false;
    agent.probe = async () => ({ ready: isReady, reason: null }) as never;
    const app = await testApp({ clients: [agent] });
    isReady = true;
    expect((await turnOf(app, { member: 'developer' }, 'Add a test.')).record).toMatchObject({
      outcome: 'answered',
      client: 'acp',
    });
  });
});
