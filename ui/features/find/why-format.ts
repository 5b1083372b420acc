import type { Why } from '../../../daemon/contract/network/oracle.js';

/** A component of a score: name, value and explanation. */
interface WhyPart {
  name: string;
  /** 0 to 1; null when nothing is known. */
  value: number | null;
  said: string;
}

/** A component below this value is not named as a reason. */
const NAMED_FROM = 0.2;
const UNRATED = 0.5;

export const formatShare = (value: number) => value.toFixed(2);

/** Returns the components of a score in the order in which they apply. */
export function listScoreParts({ text, semantic, capability, reputation, promoted, ...measured }: Why): WhyPart[] {
  return [
    { name: 'Text', value: text, said: 'how well its description, tags and category match your words' },
    { name: 'Meaning', value: semantic, said: 'how close its meaning is to your search' },
    { name: 'Capability', value: capability, said: 'how many of your words are its capabilities' },
    {
      name: 'Reputation',
      value: reputation,
      said: reputation === null ? `no reports yet: counts as ${formatShare(UNRATED)}` : 'signed reports of its callers',
    },
    {
      name: 'Answers',
      value: measured.response_rate,
      said:
        measured.asked === 0
          ? 'never asked from here'
          : `share of ${measured.asked === 1 ? '1 question' : `${measured.asked} questions`} from here it answered`,
    },
    ...(measured.message_through > 0
      ? [{ name: 'Messages', value: null, said: `${measured.message_through} reached it` }]
      : []),
    ...(promoted > 0 ? [{ name: 'Promotion', value: promoted, said: 'partner bonus, at most 0.05' }] : []),
  ];
}

/** Explains the rank of an agent in one or two sentences. */
export function formatWhy(why: Why, hasQuery: boolean): string {
  return [
    formatGrounds(why, hasQuery),
    formatReputation(why),
    formatAnswers(why),
    why.promoted > 0 && 'Promoted partner.',
  ]
    .filter(Boolean)
    .join(' ');
}

function formatGrounds({ text, semantic, capability }: Why, hasQuery: boolean): string {
  if (!hasQuery) return 'No search text: ranked by reputation and answers, then last seen.';
  const grounds = [
    { said: 'its text', value: text },
    { said: 'its meaning', value: semantic },
    { said: 'its capabilities', value: capability },
  ]
    .filter(({ value }) => value >= NAMED_FROM)
    .sort((a, b) => b.value - a.value)
    .map(({ said: text }) => text);
  if (grounds.length === 0) return 'Weak match.';
  return `Found by ${grounds.length > 1 ? `${grounds.slice(0, -1).join(', ')} and ${grounds.at(-1)}` : grounds[0]}.`;
}

function formatAnswers({ asked, response_rate }: Why): string {
  if (asked === 0 || response_rate === null) return '';
  return `It answered ${Math.round(asked * response_rate)} of ${asked} here.`;
}

function formatReputation({ reputation }: Why): string {
  if (reputation === null) return 'No reports yet.';
  if (reputation > UNRATED) return 'Its reputation raises it.';
  return reputation < UNRATED ? 'Its reputation lowers it.' : 'Its reputation does not change its rank.';
}
