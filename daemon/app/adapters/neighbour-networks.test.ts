import { expect, it } from 'vitest';
import type { Neighbours } from '../../features/projects/neighbours.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { NeighbourNetworks } from './neighbour-networks.js';

const LOCAL = 'solana:local-0123abcd';

/** Where the agent of a payment is now, while the user's project `lamp` runs on port 4749. */
const find = (agent_url: string, network: string, agent = 'lamp/consultant') =>
  new NeighbourNetworks({
    neighbours: {
      all: async () => [],
      find: async (id: string) =>
        id === 'lamp/consultant' ? { project: { address: 'http://127.0.0.1:4749' }, member: 'consultant' } : undefined,
    } as unknown as Neighbours,
    clock: new FakeClock(),
    getOwnNetwork: () => undefined,
  }).findEndpoint({ agent, agent_url, network });

it.each([
  ['a member of a project that has another port', 'http://127.0.0.1:4747/team/consultant', 'http://127.0.0.1:4749'],
  ['a program of its own on this machine', 'http://127.0.0.1:9000/painter', undefined],
  ['an agent elsewhere', 'https://painter.example/team/consultant', undefined],
])('%s is paid where it is', async (_, url, moved) => {
  const now = moved === undefined ? url : `${moved}/team/consultant`;
  expect(await find(url, 'solana:devnet')).toBe(now);
  if (moved === undefined) expect(await find(url, LOCAL)).toBe(url);
});

it('a member on the local network of a project that does not run is nowhere', async () => {
  await expect(find('http://127.0.0.1:4747/team/consultant', LOCAL)).rejects.toMatchObject({
    code: 'network_unavailable',
    message: 'The project of lamp/consultant does not run.',
  });
});
