import { expect, it } from 'vitest';
import { createAgentDirectory } from './agent-directory.js';

/** The directory of `one`: the endpoint of its card on the hub, and that of its record on the unified API. */
function directoryOf(onHub: string | null | undefined, registered: string | undefined) {
  const agent_card = onHub === null ? null : { endpoint: onHub };
  const agent = onHub === undefined ? undefined : { agent_id: 'one', card: agent_card, agent_card };
  const record = { agent_id: 'one', registered: true, endpoint: registered, agent_card: null };
  return createAgentDirectory({
    hub: { find: () => agent, get: () => agent },
    registry: { find: () => (registered === undefined ? undefined : record) },
    registrationKeys: { find: () => undefined },
    address: () => 'http://127.0.0.1:1',
  } as unknown as Parameters<typeof createAgentDirectory>[0]);
}

it.each([
  ['of the hub alone', 'https://hub.example', undefined, 'https://hub.example'],
  ['of the unified API alone', undefined, 'https://own.example', 'https://own.example'],
  ['on both', 'https://hub.example/a', 'https://hub.example/a/', 'https://hub.example/a'],
  ['on both with different endpoints', 'https://hub.example', 'https://own.example', 'https://hub.example'],
  ['without a card on the hub, which somebody else may be', null, 'https://own.example', undefined],
])('an agent %s is called at the endpoint of its owner', async (_name, onHub, registered, endpoint) => {
  expect((await directoryOf(onHub, registered).find('one'))?.endpoint).toBe(endpoint);
});
