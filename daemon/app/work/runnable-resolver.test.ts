import { expect, it } from 'vitest';
import { begin, ended, events, postMessage } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const KEEPER = `---
name: Keeper
description: Keeps the light.
kind: profile
tools: [read, search]
refs: [docs/lamp.md, docs/dusk.md]
limits:
  turns: 5
  minutes: 3
---

You keep the light.
`;

it('runs a turn with what the file of its member says, and one without a member with the plain limits', async () => {
  const agent = new ScriptedAgent('acp', () => answers('Yes.'));
  const app = await testApp({ clients: [agent], files: { 'README.md': '# Lamp\n', '.mesh/team/keeper.md': KEEPER } });
  const socket = await events(app);
  for (const body of [{ member: 'keeper' }, { agent_type: 'audit' }]) {
    const { conv } = await begin(app, body);
    await ended(socket, (await postMessage(app, conv, 'Is it dark?')).turn);
  }
  expect(agent.turns.map(({ member }) => member)).toMatchObject([
    {
      id: 'keeper',
      tools: ['read', 'search'],
      refs: ['docs/lamp.md', 'docs/dusk.md'],
      limits: { turns: 5, minutes: 3 },
    },
    { id: 'audit', refs: [], limits: { turns: 30, minutes: 10 } },
  ]);
});
