import type { Why } from '../../../daemon/contract/oracle.js';

/** A part of what made a score: its name, how much of it there is, and what it is. */
export interface WhyPart {
  name: string;
  /** 0 to 1; null where nothing is known. */
  value: number | null;
  said: string;
}

/** From where on a ground is worth naming. */
const NAMED_FROM = 0.2;
const UNRATED = 0.5;

export const shareWords = (value: number) => value.toFixed(2);

/** The parts of a score in the order in which they act. */
export function whyParts({ text, semantic, capability, reputation, promoted }: Why): WhyPart[] {
  return [
    { name: 'Words', value: text, said: 'how well its description, tags and category hold your words' },
    { name: 'Meaning', value: semantic, said: 'how near it is to what you mean, whatever words it uses' },
    { name: 'Capability', value: capability, said: 'how many of your words are capabilities that it names' },
    {
      name: 'Reputation',
      value: reputation,
      said:
        reputation === null
          ? `nobody has reported about it: it counts as ${shareWords(UNRATED)}`
          : 'what its callers report, signed',
    },
    ...(promoted > 0
      ? [{ name: 'Promotion', value: promoted, said: 'added because it is a partner’s, 0.05 at most' }]
      : []),
  ];
}

/** Why an agent stands where it does, in a sentence or two. */
export function whyWords(why: Why, hasQuery: boolean): string {
  return [groundsWords(why, hasQuery), standingWords(why), why.promoted > 0 && 'A partner’s promotion moves it up.']
    .filter(Boolean)
    .join(' ');
}

function groundsWords({ text, semantic, capability }: Why, hasQuery: boolean): string {
  if (!hasQuery) return 'You gave no words: reputation decides, then who was seen last.';
  const grounds = [
    { said: 'its words', value: text },
    { said: 'its meaning', value: semantic },
    { said: 'its capabilities', value: capability },
  ]
    .filter(({ value }) => value >= NAMED_FROM)
    .sort((a, b) => b.value - a.value)
    .map(({ said }) => said);
  if (grounds.length === 0) return 'Found by a faint likeness.';
  return `Found by ${grounds.length > 1 ? `${grounds.slice(0, -1).join(', ')} and ${grounds.at(-1)}` : grounds[0]}.`;
}

function standingWords({ reputation }: Why): string {
  if (reputation === null) return 'Nobody has reported about it yet.';
  if (reputation > UNRATED) return 'What its callers report lifts it.';
  return reputation < UNRATED
    ? 'What its callers report holds it down.'
    : 'What its callers report neither lifts it nor holds it down.';
}
