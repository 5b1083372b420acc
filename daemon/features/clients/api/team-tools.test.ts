import { describe, expect, it } from 'vitest';
import type { ConversationList, PermissionList } from '../../../contract/conversations.js';
import { begin, ended, events, postMessage, read } from '../../../testing/apps/conversing.js';
import { testApp } from '../../../testing/apps/test-app.js';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { anApiClient } from '../../../testing/stand-ins/model-endpoint-client.js';

const ask = { calls: [{ name: 'ask_member', input: { member: 'consultant', text: 'Which angle?' } }] };

describe('the daemon’s own tools on a model endpoint', () => {
  it('ask a member at once for one that has the agent tool, else with the permission of the operator', async () => {
    const endpoint = await ModelEndpoint.start([
      ask,
      { text: ['Minus six.'] },
      { text: ['The consultant said it.'] },
      ask,
      { text: ['It was not allowed.'] },
    ]);
    const app = await testApp({ clients: [anApiClient(endpoint, {}).client] });
    const client = await events(app);
    const first = await begin(app, { member: 'roadmap-orchestrator' });
    await ended(client, (await postMessage(app, first.conv, 'Ask')).turn);
    const answer = (await read(app, first.conv)).messages.at(-1);
    expect(answer).toMatchObject({
      text: 'The consultant said it.',
      calls: [{ name: 'ask_member', target: 'consultant', state: 'done', output: 'Minus six.' }],
    });
    const { conversations } = (await app.call('GET', `/conversations?parent=${first.conv}`)).body as ConversationList;
    expect(conversations).toMatchObject([{ member: 'consultant', last_outcome: 'answered' }]);
    expect(JSON.stringify(endpoint.requests[2]?.body.messages)).toContain('Minus six.');

    const second = await begin(app, { member: 'developer' });
    const { turn } = await postMessage(app, second.conv, 'Ask');
    await client.until(({ type }) => type === 'turn.permission');
    const { permissions } = (await app.call('GET', '/permissions')).body as PermissionList;
    expect(permissions).toMatchObject([{ conv: second.conv, tool: 'ask_member', target: 'consultant' }]);
    await app.call('POST', `/conversations/${second.conv}/permissions/${permissions[0]?.pid}`, { decision: 'deny' });
    await ended(client, turn);
    expect((await read(app, second.conv)).messages.at(-1)).toMatchObject({
      text: 'It was not allowed.',
      calls: [{ name: 'ask_member', state: 'failed' }],
    });
  });
});
