import { describe, expect, it } from 'vitest';
import type { PublicCard } from '../../contract/network/card.js';
import { checkedCard } from '../../lib/agents/tier1-card.js';
import { createRegistrationCard } from './registration-card.js';

const aCard = (keys: Partial<PublicCard> = {}): PublicCard => ({
  name: 'Consultant',
  url: 'http://127.0.0.1:4747/team/consultant',
  version: '1.0.0',
  description: 'Answers about the project.',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  protocols: ['http', 'a2a'],
  pricing: { unit: 'request', amount: 0, currency: 'free' },
  availability: { now: true },
  skills: [
    { id: 'ask', name: 'Ask', description: 'One question.', tags: ['project', 'question-answering'], examples: [] },
  ],
  protocolVersion: '0.3.0',
  preferredTransport: 'x',
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
  securitySchemes: {},
  security: [],
  securityRequirements: [],
  supportedInterfaces: [],
  ...keys,
});

describe('Discovery card of a self-registration', () => {
  it('is derived from the public card and accepted by the surfaces', () => {
    const availability = { now: false, window_hours: 'Mon-Fri 9-17 UTC', sla: '4 s' };
    const { agent_card, capabilities } = createRegistrationCard(aCard({ availability }), 'docs');
    expect(agent_card).toEqual({
      endpoint: 'http://127.0.0.1:4747/team/consultant',
      description: 'Answers about the project.',
      tags: ['project', 'docs', 'ask', 'question-answering'],
      category: 'project.docs',
      accepts: ['text/plain'],
      produces: ['application/json'],
      protocols: ['http', 'a2a'],
      pricing: { unit: 'request', amount: 0, currency: 'free' },
      availability: { now: false },
    });
    expect(capabilities).toEqual(['ask']);
    expect(() => checkedCard(agent_card)).not.toThrow();
  });

  it('contains unit, amount and currency of the first of several prices, and no description when there is none', () => {
    const lamports = { unit: 'request', amount: 5000, currency: 'lamports', network: 'solana' };
    const { agent_card } = createRegistrationCard(
      aCard({ description: '', pricing: [lamports, { ...lamports, network: 'other' }] }),
      'custom',
    );
    expect(agent_card.pricing).toEqual({ unit: 'request', amount: 5000, currency: 'lamports' });
    expect(agent_card).not.toHaveProperty('description');
    expect(createRegistrationCard(aCard({ pricing: [] }), 'custom').agent_card).not.toHaveProperty('pricing');
  });

  it('stays within the limits of a card, whatever the tags of the skills', () => {
    const tags = [...Array.from({ length: 60 }, (_, index) => `tag-${index}`), '', 'x'.repeat(65)];
    const { agent_card } = createRegistrationCard(
      aCard({ skills: [{ id: 'ask', name: 'Ask', description: '', tags, examples: [] }] }),
      'custom',
    );
    expect(agent_card.tags).toHaveLength(32);
    expect(() => checkedCard(agent_card)).not.toThrow();
  });

  it('names each word once, the kind of the agent first, and leaves out words that no card may hold', () => {
    const skill = { name: 'x', description: '', examples: [] };
    const longest = 'x'.repeat(64);
    const { agent_card, capabilities } = createRegistrationCard(
      aCard({
        skills: [
          { ...skill, id: 'ask', tags: ['docs', longest, '', 'project'] },
          { ...skill, id: '', tags: ['more'] },
          { ...skill, id: `${longest}x`, tags: [`${longest}x`] },
          { ...skill, id: longest, tags: [] },
        ],
      }),
      'docs',
    );
    expect(agent_card.tags).toEqual(['project', 'docs', 'ask', longest, 'more']);
    expect(capabilities).toEqual(['ask', longest]);
  });
});
