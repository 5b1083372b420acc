import type { BoardKind, Ttl } from '../../../daemon/contract/boards.js';
import { isLocated } from '../places/where-choice.js';
import { formatNear } from '../places/where-format.js';
import type { BoardRules, RuleLevel } from './rules/board-rules.js';
import { formatLanguage } from './rules/languages.js';

export const kindLabels: Record<BoardKind, string> = {
  generic: 'anything',
  buysell: 'buying and selling',
  events: 'events',
};
export const BOARD_KINDS = Object.keys(kindLabels) as BoardKind[];

export const ttlLabels: Record<Ttl, string> = {
  '24h': 'a day',
  '7d': 'a week',
  '30d': 'a month',
  '1y': 'a year',
  forever: 'no end',
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'} left`;

/** Formats the remaining time of a post: `3 days left`, `5 h left`, `no end`, `ended`. Times are epoch seconds. */
export function formatTimeLeft(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return 'no end';
  const left = expiresAt - now;
  if (left <= 0) return 'ended';
  if (left < MINUTE) return 'less than a minute left';
  if (left < HOUR) return `${Math.floor(left / MINUTE)} min left`;
  if (left < 2 * DAY) return `${Math.round(left / HOUR)} h left`;
  if (left < 60 * DAY) return counted(Math.round(left / DAY), 'day');
  return counted(Math.round(left / (30.44 * DAY)), 'month');
}

/** Formats a distance with no more digits than a place is known to. */
export function formatDistance(km: number): string {
  if (km < 1) return 'less than 1 km away';
  return `${km < 10 ? km.toFixed(1) : Math.round(km).toLocaleString('en')} km away`;
}

export const levelLabels: Record<RuleLevel, string> = { board: 'from the board', room: 'from the cluster' };

/** An effective rule as a sentence about the board, and the level that sets it. */
interface RuleSentence {
  said: string;
  from: RuleLevel;
}

/** Describes the effective rules of a board. Leaves out what no level sets. */
export function ruleSentences({ where, lang, ageMin, require, maxChars }: BoardRules): RuleSentence[] {
  const sentences: RuleSentence[] = [];
  const add = (from: RuleLevel, sentence: string) => sentences.push({ said: sentence, from });
  if (where) {
    if (where.value === 'none') add(where.from, 'Posts have no place.');
    else if (isLocated(where.value))
      add(where.from, `Posts are ${formatNear(where.value.label)} unless they state otherwise.`);
    else add(where.from, `Posts are about ${where.value.label} unless they state otherwise; not found by distance.`);
  }
  if (lang) add(lang.from, `In ${formatLanguage(lang.value)} unless a post states otherwise.`);
  if (ageMin && ageMin.value > 0)
    add(ageMin.from, `For people of ${ageMin.value} and older${ageMin.value >= 18 ? '; declared, not verified' : ''}.`);
  if (require && require.value.length > 0) add(require.from, `Asks for: ${require.value.join(', ')}.`);
  if (maxChars) {
    const most = `${maxChars.value.toLocaleString('en')} ${maxChars.value === 1 ? 'character' : 'characters'}`;
    add(maxChars.from, `A post has at most ${most}, title and body together.`);
  }
  return sentences;
}
