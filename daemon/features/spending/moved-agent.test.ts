import { expect, it } from 'vitest';
import { hasMoved, type NeighbourPlace } from './moved-agent.js';

const LAMP = 'solana:local-0000000a';
const PLACE = { agent: 'lamp/consultant', endpoint: 'http://127.0.0.1:4749/team/consultant', network: LAMP };
const BEFORE = { agent: 'lamp/consultant', endpoint: 'http://127.0.0.1:4747/team/consultant', network: LAMP };

it.each<[string, boolean, Partial<typeof BEFORE>, Partial<NeighbourPlace>]>([
  ['at another port', true, {}, {}],
  ['whose project has another name since', true, { agent: 'light/consultant' }, {}],
  ['on a public network, by its name', true, { network: 'solana:devnet' }, {}],
  ['on a public network, when its local one is not known', true, { network: 'solana:devnet' }, { network: null }],
  ['on a public network, of another project', false, { network: 'solana:devnet', agent: 'mill/consultant' }, {}],
  ['on the local network of another project', false, { network: 'solana:local-0000000b' }, {}],
  ['of this project, on its own network', false, { network: 'solana:local' }, { network: null }],
  ['that is there already', false, { endpoint: PLACE.endpoint }, {}],
  ['another member', false, { endpoint: 'http://127.0.0.1:4747/team/developer' }, {}],
  ['on another machine', false, { endpoint: 'https://lamp.example/team/consultant', network: 'solana:devnet' }, {}],
  ['that is on another machine now', false, {}, { endpoint: 'https://lamp.example/team/consultant' }],
  ['that was never found', false, { endpoint: 'lamp/consultant' }, {}],
])('a member %s: %s', (_, expected, stored, place) => {
  expect(hasMoved({ ...PLACE, ...place }, { ...BEFORE, ...stored })).toBe(expected);
});
