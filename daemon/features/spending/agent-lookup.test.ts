import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { aPrice } from '../../testing/price-row.js';
import { AgentLookup, listNetworksFor } from './agent-lookup.js';
import type { CallRow } from './calls-store.js';
import type { FoundAgent } from './paying-ports.js';
import { findOffer } from './terms/skill-offer.js';

const ENDPOINT = 'https://painter.example/a2a';
const PRICES = [aPrice(5_000), { ...aPrice(9_000), network: 'solana:devnet' }];
const card = (pricing: unknown = PRICES) => ({
  ...{ name: 'Painter', url: ENDPOINT, version: '1', description: 'Paints.' },
  ...{ defaultInputModes: ['application/json'], defaultOutputModes: ['application/json'], protocols: ['http'] },
  ...{ payment: { modes: ['x402'], wallet: 'So11111111111111111111111111111111111111112' } },
  ...{ availability: { now: true }, skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }], pricing },
});

function aLookup({
  found,
  byEndpoint,
  networks = ['solana:devnet', 'solana:local'],
  served = card(),
}: {
  found?: () => Promise<FoundAgent | undefined>;
  byEndpoint?: FoundAgent;
  networks?: string[];
  served?: unknown;
} = {}) {
  const asked: string[] = [];
  const moved: object[] = [];
  const lookup = new AgentLookup({
    directory: {
      find: found ?? (async () => undefined),
      findByEndpoint: async (endpoint: string) => {
        asked.push(`endpoint ${endpoint}`);
        return byEndpoint;
      },
    },
    readCard: async (url: string) => {
      asked.push(`card ${url}`);
      if (served instanceof Error) throw served;
      return served;
    },
    chains: { list: () => networks },
    journal: {
      found: async (call: CallRow, agent_id: string | null, agent_url: string) => ({ ...call, agent_id, agent_url }),
      moved: async (place: object) => void moved.push(place),
    },
    deposits: { moved: async (place: object) => void moved.push(place) },
  } as unknown as ConstructorParameters<typeof AgentLookup>[0]);
  const prepare = (agent: string, input: Record<string, unknown> | null = null) =>
    lookup.prepare({ agent, skill: 'paint', input } as CallRow);
  return { asked, moved, prepare };
}

describe('An agent that is called by its address', () => {
  it.each([
    ENDPOINT,
    `${ENDPOINT}/`,
    `${ENDPOINT}#part`,
    `${ENDPOINT}/.well-known/agent-card.json`,
    `${ENDPOINT}/.well-known/agent.json`,
  ])('is called at its endpoint: %s', async (agent) => {
    const { asked, prepare } = aLookup();
    const { call, endpoint, offer } = await prepare(agent);
    expect([endpoint, call.agent_id, call.agent_url, offer.url]).toEqual([
      ...[ENDPOINT, null, ENDPOINT, `${ENDPOINT}/v1/paint`],
    ]);
    expect(asked[0]).toBe(`endpoint ${ENDPOINT}`);
  });

  it('is called at its whole address where that only looks like the address of a card', async () => {
    for (const agent of [`${ENDPOINT}/.well-known/agent.json/more`, `${ENDPOINT}/.well-known/agents.json`])
      expect((await aLookup().prepare(agent)).endpoint).toBe(agent);
  });

  it('has the id under which it is registered', async () => {
    const { prepare } = aLookup({ byEndpoint: { agent_id: 'a_1', endpoint: ENDPOINT } });
    expect((await prepare(ENDPOINT)).call.agent_id).toBe('a_1');
  });
});

describe('An agent that is called by its id', () => {
  it('is called where the directory says', async () => {
    const { prepare } = aLookup({ found: async () => ({ agent_id: 'a_1', endpoint: `${ENDPOINT}//` }) });
    expect(await prepare('a_1')).toMatchObject({ endpoint: ENDPOINT, call: { agent_id: 'a_1', agent_url: ENDPOINT } });
  });

  it.each<[string, () => Promise<FoundAgent | undefined>, string]>([
    [
      'is not registered',
      async () => undefined,
      'No agent "a_1" with an endpoint is registered: give its id, or its address.',
    ],
    [
      'has an address that cannot be called',
      async () => ({ agent_id: 'a_1', endpoint: 'mailto:a@b' }),
      '"mailto:a@b" is no address that an agent can be called at.',
    ],
    [
      'is of a project that does not run',
      async () => {
        throw new MeshError('not_found', 'No project "harbour" runs.');
      },
      'No project "harbour" runs.',
    ],
  ])('is not found when it %s', async (_what, found, message) => {
    const refused = { code: 'agent_not_found', message: expect.stringContaining(message) };
    await expect(aLookup({ found }).prepare('a_1')).rejects.toMatchObject(refused);
  });

  it('lets a fault of the directory pass', async () => {
    const found = async () => {
      throw new TypeError('a fault');
    };
    await expect(aLookup({ found }).prepare('a_1')).rejects.toThrow(TypeError);
  });
});

describe('The card of an agent', () => {
  it.each<[unknown, string, string]>([
    [new Error('refused'), 'unreachable', 'cannot be read: refused'],
    [{ name: 'Painter' }, 'bad_card', 'serves no valid full card'],
    [
      new Error('refused'),
      'unreachable',
      'Its card at https://painter.example/a2a/.well-known/agent.json cannot be read: refused',
    ],
    [
      card(['solana:mars', 'solana:venus', 'solana:mars'].map((network) => aPrice(5_000, { network }))),
      'unknown_network',
      'Its card has prices on solana:mars, solana:venus only, which this side cannot pay on.',
    ],
  ])('that does not do fails the call: %#', async (served, code, message) => {
    await expect(aLookup({ served }).prepare(ENDPOINT)).rejects.toMatchObject({
      ...{ code, message: expect.stringContaining(message) },
    });
  });

  it('may have prices on one network that is not known here, or none at all', async () => {
    const prices = [aPrice(5_000), { ...aPrice(9_000), network: 'solana:mars' }];
    expect((await aLookup({ served: card(prices) }).prepare(ENDPOINT)).offer.prices).toHaveLength(2);
    expect((await aLookup({ served: card([]) }).prepare(ENDPOINT)).offer.prices).toEqual([]);
  });

  it('has the price of the tier that the input names, if that is a text', async () => {
    const tiers = [
      { ...aPrice(5_000), tier: 'small' },
      { ...aPrice(9_000), tier: 'large' },
    ];
    const lookup = aLookup({ served: card(tiers) });
    const amount = async (tier: unknown) => (await lookup.prepare(ENDPOINT, { tier })).offer.prices[0]?.amount;
    expect([await amount('large'), await amount(7), await amount(undefined)]).toEqual([9_000, 5_000, 5_000]);
  });

  it('of another daemon has its local network under its name here, which is asked for only then', async () => {
    const asked: string[] = [];
    const localNetwork = async () => {
      asked.push('name');
      return 'solana:local@harbour';
    };
    const byEndpoint = { agent_id: 'a_1', endpoint: ENDPOINT, localNetwork };
    const near = aLookup({ byEndpoint });
    const { offer } = await near.prepare(ENDPOINT);
    expect(offer.prices.map(({ network }) => network)).toEqual(['solana:local@harbour', 'solana:devnet']);
    expect(asked).toEqual(['name']);
    const real = card({ ...aPrice(9_000), network: 'solana:devnet' });
    const open = aLookup({ byEndpoint, served: real });
    await open.prepare(ENDPOINT);
    expect(asked).toEqual(['name']);
    // What is open with it under another address is recognized by these.
    const place = { agent: 'a_1', endpoint: ENDPOINT };
    expect(near.moved).toEqual(Array(2).fill({ ...place, network: 'solana:local@harbour' }));
    expect(open.moved).toEqual(Array(2).fill({ ...place, network: null }));
    const far = aLookup({ byEndpoint: { ...byEndpoint, localNetwork: async () => null }, served: card(aPrice(5_000)) });
    await expect(far.prepare(ENDPOINT)).rejects.toMatchObject({ code: 'unknown_network' });
  });
});

it('pays on the local network before all others, under the name that it has for the agent', () => {
  const offer = findOffer(card() as never, ENDPOINT, 'paint', undefined);
  const chains = { list: () => ['solana:devnet', 'solana:local', 'solana:mainnet'] as const };
  expect(listNetworksFor(offer, chains)).toEqual(['solana:local', 'solana:devnet', 'solana:mainnet']);
  expect(listNetworksFor({ ...offer, localNetwork: 'solana:local@b' }, chains)[0]).toBe('solana:local@b');
  expect(listNetworksFor({ ...offer, localNetwork: null }, chains)).toEqual(['solana:devnet', 'solana:mainnet']);
});
