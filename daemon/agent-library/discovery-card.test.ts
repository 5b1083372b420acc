import { expect, it } from 'vitest';
import { discoveryCard } from './discovery-card.js';

const CARD = {
  url: 'http://127.0.0.1:1',
  description: 'Writes.',
  skills: [{ id: 'tweet', tags: ['text', 'lamps'] }, { id: 'draft' }],
  pricing: { unit: 'request', amount: 7, currency: 'lamports', network: 'solana:local' },
  defaultInputModes: ['application/json'],
  defaultOutputModes: ['text/plain'],
  protocols: ['http'],
  availability: { now: false },
};
const without = { tags: [], category: undefined };

it('takes over what the agent serves, with each word once', () => {
  expect(discoveryCard(CARD, { tags: ['lamps'], category: 'media.text' })).toEqual({
    capabilities: ['tweet', 'draft'],
    agent_card: {
      endpoint: 'http://127.0.0.1:1',
      description: 'Writes.',
      tags: ['lamps', 'tweet', 'text', 'draft'],
      category: 'media.text',
      accepts: ['application/json'],
      produces: ['text/plain'],
      protocols: ['http'],
      pricing: expect.objectContaining({ amount: 7, currency: 'lamports' }),
      availability: { now: false },
    },
  });
});

it('has nothing that the agent does not say, and is available unless it says otherwise', () => {
  const { capabilities, agent_card } = discoveryCard({ url: 'u', description: '', skills: 'none' }, without);
  expect([capabilities, JSON.parse(JSON.stringify(agent_card))]).toEqual([
    [],
    { endpoint: 'u', tags: [], availability: { now: true } },
  ]);
});

it('holds 32 tags of 64 characters, and 1,000 characters of description', () => {
  const tags = Array.from({ length: 33 }, (_, index) => `t${index}`);
  const { agent_card } = discoveryCard({ ...CARD, description: 'x'.repeat(1_001) }, { ...without, tags });
  expect([agent_card['tags'], agent_card['description']]).toEqual([tags.slice(0, 32), 'x'.repeat(1_000)]);
  const words = ['w'.repeat(64), 'w'.repeat(65), ''];
  expect(discoveryCard({ skills: [{ id: 7, tags: words }] }, without)).toMatchObject({
    capabilities: [],
    agent_card: { tags: ['w'.repeat(64)] },
  });
});
