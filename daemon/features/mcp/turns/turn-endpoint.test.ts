import { expect, it } from 'vitest';
import { begin, ended, events, postMessage } from '../../../testing/apps/conversing.js';
import { testApp } from '../../../testing/apps/test-app.js';
import { heldAnswer, ScriptedAgent } from '../../../testing/processes/scripted-agent.js';
import { callTurnTool } from '../../../testing/processes/turn-tools.js';

it('opens the tools to the token of a running turn, and to no other', async () => {
  const agent = new ScriptedAgent('acp', heldAnswer);
  const app = await testApp({ clients: [agent] });
  const { conv } = await begin(app);
  const client = await events(app);
  const { turn } = await postMessage(app, conv, 'Go on');
  await agent.untilHeld(1);
  const server = agent.turns[0]?.tool_server ?? { url: '', token: '' };
  const list = (token: string) => callTurnTool({ ...server, token }, 'list_members');
  const { status, structured } = await list(server.token);
  const { members } = structured as { members: { id: string }[] };
  expect([status, members.map(({ id }) => id)]).toEqual([200, expect.arrayContaining(['consultant'])]);
  expect(members.map(({ id }) => id)).not.toContain('developer');
  const post = (headers: Record<string, string>) => app.call('POST', new URL(server.url).pathname, {}, headers);
  const none = await post({});
  expect([none.status, none.body]).toEqual([401, expect.objectContaining({ error: 'unauthorized' })]);
  for (const token of ['wrong', await app.getToken('consultant')])
    expect((await post({ authorization: `Bearer ${token}` })).text).toBe(none.text);
  agent.finishAll();
  await ended(client, turn);
  expect((await post({ authorization: `Bearer ${server.token}` })).text).toBe(none.text);
  // Wrong tokens are counted for all turns together.
  for (let count = 3; count < 20; count += 1) await post({ authorization: 'Bearer wrong' });
  expect((await post({ authorization: 'Bearer wrong' })).status).toBe(429);
});
