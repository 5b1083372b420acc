import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { scriptedDaemon } from '../../testing/processes/scripted-daemon.js';

const SHORT = { name: 'Painter' };
const LONG = { name: 'Painter', endpoint: 'https://painter.example/a2a/', pricing: [] };

it.each([
  ['the hub says more', LONG, SHORT, LONG],
  ['the unified API says more', SHORT, LONG, LONG],
  ['only the hub has one', SHORT, null, SHORT],
  ['only the unified API has one', null, SHORT, SHORT],
])('card shows of an agent the one that says more: %s', async (_which, hub, v1, shown) => {
  const { root } = await scriptedDaemon({
    'GET /agents/painter': { agent_id: 'painter', agent_card: hub },
    'GET /v1/agents/painter': { agent_id: 'painter', agent_card: v1 },
  });
  const { exit, out } = await meshd(root, 'card', 'painter');
  expect({ exit, card: JSON.parse(out) as object }).toEqual({ exit: 0, card: shown });
});

it('card exits 4 for an agent without a card', async () => {
  const { root } = await scriptedDaemon({ 'GET /agents/painter': { agent_id: 'painter', agent_card: null } });
  expect(await meshd(root, 'card', 'painter')).toMatchObject({ exit: 4, out: '' });
});
