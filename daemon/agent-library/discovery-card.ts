import { toTier1Pricing } from '../lib/agents/pricing-rules.js';
import type { JsonObject } from './agent-types.js';

const TAGS_MAX = 32;
const WORD_MAX_CHARS = 64;

/** Builds an agent's discovery card for a surface from the public card that it serves. Spec: Tier-1 discovery card. */
export function discoveryCard(
  card: JsonObject,
  { tags, category }: { tags: readonly string[]; category: string | undefined },
): { agent_card: JsonObject; capabilities: string[] } {
  const skills = (Array.isArray(card['skills']) ? card['skills'] : []) as { id?: unknown; tags?: unknown }[];
  const ids = skills.map(({ id }) => id).filter(isWord);
  const words = [
    ...tags,
    ...skills.flatMap(({ id, tags: own }) => [id, ...(Array.isArray(own) ? (own as unknown[]) : [])]),
  ];
  const pricing = toTier1Pricing(card['pricing']);
  const { now } = (card['availability'] ?? {}) as { now?: unknown };
  return {
    capabilities: ids,
    agent_card: {
      endpoint: card['url'],
      ...(typeof card['description'] === 'string' && card['description'] !== ''
        ? { description: card['description'].slice(0, 1000) }
        : {}),
      tags: [...new Set(words.filter(isWord))].slice(0, TAGS_MAX),
      ...(category === undefined ? {} : { category }),
      accepts: card['defaultInputModes'],
      produces: card['defaultOutputModes'],
      protocols: card['protocols'],
      ...(pricing && { pricing }),
      availability: { now: now !== false },
    },
  };
}

const isWord = (word: unknown): word is string =>
  typeof word === 'string' && word.length > 0 && word.length <= WORD_MAX_CHARS;
