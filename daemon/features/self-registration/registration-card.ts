import type { Tier1Card } from '../../contract/network/agents.js';
import type { PublicCard } from '../../contract/network/card.js';
import { toTier1Pricing } from '../../lib/agents/pricing-rules.js';

const TAGS_MAX = 32;
const WORD_MAX_CHARS = 64;

/** The data that the daemon registers for an exposed member on a surface. */
export interface RegistrationCard {
  capabilities: string[];
  agent_card: Tier1Card;
}

/** The discovery card of an exposed member, derived from its public card. Spec: Tier-1 discovery card. */
export function createRegistrationCard(card: PublicCard, agentType: string): RegistrationCard {
  const words = ['project', agentType, ...card.skills.flatMap(({ id, tags }) => [id, ...tags])];
  const tags = [...new Set(words.filter(isWord))].slice(0, TAGS_MAX);
  const pricing = toTier1Pricing(card.pricing);
  return {
    capabilities: card.skills.map(({ id }) => id).filter(isWord),
    agent_card: {
      endpoint: card.url,
      ...(card.description === '' ? {} : { description: card.description }),
      tags,
      category: `project.${agentType}`,
      accepts: card.defaultInputModes,
      produces: card.defaultOutputModes,
      protocols: card.protocols,
      ...(pricing && { pricing }),
      availability: { now: card.availability.now },
    },
  };
}

const isWord = (word: string) => word.length > 0 && word.length <= WORD_MAX_CHARS;
