/**
 * A synthetic catalog for the search bench: cards that differ in trade, task, wording, audience, language, price and
 * place; one in twelve is a near copy of another. Every card uses one of several wordings of its task, so that only the
 * catalog as a whole, not a single card, shows that they mean the same.
 */
import type { CatalogRow } from '../../../daemon/features/oracle/catalog-source.js';
import { Dice } from '../../../daemon/testing/dice.js';
import { AUDIENCES, DOMAINS, LANGUAGES } from './search-domains.js';

/** A card with the properties it was made from, on which the labels of the queries are based. */
export interface MadeCard {
  row: CatalogRow;
  task: string;
  domain: string;
  audience: number | undefined;
}

interface Task {
  id: string;
  domain: string;
  verbs: string[];
  objects: string[];
  beside: string[];
}

interface Domain {
  id: string;
  words: string[];
  names: string[];
  tasks: Task[];
}

const listed = (text = '') =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

function readDomains(): Domain[] {
  const domains: Domain[] = [];
  for (const line of DOMAINS.trim().split('\n')) {
    const [id = '', rest = ''] = line.trim().split(/: (.*)/);
    const parts = rest.split('|');
    if (!line.startsWith(' ')) domains.push({ id, words: listed(parts[0]), names: listed(parts[1]), tasks: [] });
    else {
      const domain = domains.at(-1) as Domain;
      domain.tasks.push({
        id,
        domain: domain.id,
        verbs: listed(parts[0]),
        objects: listed(parts[1]),
        beside: listed(parts[2]),
      });
    }
  }
  return domains;
}

const domains = readDomains();
const audiences = AUDIENCES.trim().split('\n').map(listed);
const languages = listed(LANGUAGES).map((entry) => entry.split(' ') as [string, string]);

const OPENINGS = [
  (verb: string, object: string) => `${upper(verb)}s ${object}`,
  (verb: string, object: string) => `An agent that can ${verb} ${object}`,
  (verb: string, object: string) => `We ${verb} ${object}`,
  (verb: string, object: string) => `Ask it to ${verb} ${object}`,
  (verb: string, object: string) => `${upper(object)}: ${verb} them in one call`,
  (verb: string, object: string) => `Need to ${verb} ${object}? Send a request and it is done`,
  (verb: string, object: string) => `Reliable partner to ${verb} ${object}`,
  (verb: string, object: string) => `${upper(verb)} ${object} at scale`,
];
const MIDDLES = [
  (a: string, b: string) => `with attention to ${a} and ${b}`,
  (a: string, b: string) => `including ${a}, ${b}`,
  (a: string, b: string) => `covers ${a} as well as ${b}`,
  (a: string, b: string) => `knows about ${a} and ${b}`,
  (a: string) => `strong on ${a}`,
  (a: string, b: string) => `reports ${a} and ${b} back`,
];
const ENDINGS = [
  'Answers within seconds.',
  'Returns JSON.',
  'Free allowance every day.',
  'Checked by people.',
  'No data is kept.',
  'Runs on its own hardware.',
  'Pay per request.',
  'Streaming results.',
  'Used by hundreds of teams.',
  'Batch mode available.',
  'Every result carries a confidence.',
  '',
  '',
  '',
];
const PREFIXES = [
  'swift',
  'north',
  'bright',
  'delta',
  'pine',
  'nova',
  'quiet',
  'harbor',
  'lumen',
  'orbit',
  'maple',
  'stone',
  'coral',
  'ember',
  'atlas',
  'fable',
];
const SYLLABLES = (
  'ba be bo da do fa fi ka ke ko la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te ti to va ' +
  've vi za zo zu'
).split(' ');
const MODES = [
  'application/json',
  'text/plain',
  'application/pdf',
  'image/png',
  'audio/mpeg',
  'video/mp4',
  'text/csv',
  'text/html',
];

const plain = (text: string) => text.replace(/[^a-z]+/g, '-');
const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether a card is online, and when it was last seen. */
type Liveness = Pick<CatalogRow, 'isOnline' | 'lastSeenMs'>;

/** Returns up to `most` elements of the list in random order. */
const some = <T>({ random }: Dice, list: readonly T[], most: number): T[] =>
  [...list].sort(() => random() - 0.5).slice(0, Math.floor(random() * (most + 1)));

/** Returns a near copy of a card, with another ending. */
function copyCard({ pick }: Dice, original: MadeCard, number: number, liveness: Liveness): MadeCard {
  const description = `${original.row.description ?? ''} ${pick(ENDINGS)}`.trim();
  return {
    ...original,
    row: { ...original.row, ...liveness, description, agentId: `${original.row.agentId.slice(0, 50)}-${number}` },
  };
}

/** Returns a price whose kind depends on `kind`, a number from 0 to below 1. */
function makePricing({ random }: Dice, kind: number): CatalogRow['pricing'] {
  return kind < 0.2
    ? null
    : kind < 0.4
      ? { unit: 'request', amount: 0, currency: 'free' }
      : kind < 0.7
        ? { unit: 'request', amount: Math.floor(random() * 5_000_000), currency: 'lamports' }
        : { unit: 'request', amount: Math.floor(random() * 200) / 2, currency: 'USD' };
}

/** Returns a card of a random task. `brands` are the names that descriptions may begin with. */
function makeCard(dice: Dice, brands: readonly string[], number: number, liveness: Liveness): MadeCard {
  const { random, pick } = dice;
  const domain = pick(domains);
  const task = pick(domain.tasks);
  const audience = random() < 0.5 ? Math.floor(random() * audiences.length) : undefined;
  const [verb, object] = [pick(task.verbs), pick(task.objects)];
  const beside = [...some(dice, task.beside, 3), ...some(dice, domain.words, 2)].sort(() => random() - 0.5);
  const language = random() < 0.35 ? pick(languages) : undefined;
  const sentences = [
    pick(OPENINGS)(verb, object) + (audience === undefined ? '' : ` for ${pick(audiences[audience] as string[])}`),
    beside.length > 0 ? pick(MIDDLES)(beside[0] as string, beside[1] ?? pick(domain.words)) : '',
    language && random() < 0.7 ? `Works in ${language[0]}` : '',
  ];
  const tags = [
    ...some(dice, [...task.beside, ...domain.words, domain.id], 4),
    ...(random() < 0.2 ? [pick(domain.names)] : []),
  ];
  if (language && random() < 0.8) tags.push(`geo:${language[1]}`);
  const priceKind = random();
  return {
    task: task.id,
    domain: domain.id,
    audience,
    row: {
      name: null,
      agentId: `${pick(PREFIXES)}-${domain.id}-${number}`,
      endpoint: `https://agent-${number}.example.com/`,
      description:
        `${random() < 0.4 ? `${pick(brands)}: ` : ''}${sentences.filter(Boolean).join(', ')}. ${pick(ENDINGS)}`.trim(),
      tags,
      capabilities: random() < 0.6 ? [`${verb.split(' ')[0] as string}-${object.split(' ').at(-1) as string}`] : [],
      category: random() < 0.7 ? (random() < 0.5 ? domain.id : `${domain.id}.${plain(pick(domain.words))}`) : null,
      accepts: some(dice, MODES, 3),
      produces: some(dice, MODES, 3),
      protocols: ['http', ...some(dice, ['a2a', 'mcp', 'x402'], 3)],
      pricing: makePricing(dice, priceKind),
      country: null,
      ...liveness,
    },
  };
}

/** Returns `count` cards, the same for the same seed; four in five are online. */
export function makeCards(count: number, nowMs: number, seed = 1): MadeCard[] {
  const dice = new Dice(seed);
  const { random, pick } = dice;
  const brands = Array.from({ length: Math.ceil(count / 20) }, () =>
    upper(Array.from({ length: 3 + (random() < 0.5 ? 1 : 0) }, () => pick(SYLLABLES)).join('')),
  );
  const made: MadeCard[] = [];
  for (let number = 0; number < count; number += 1) {
    const liveness = { isOnline: random() < 0.8, lastSeenMs: nowMs - Math.floor(random() * 30 * 86_400_000) };
    const original = made.length > 0 && random() < 1 / 12 ? pick(made) : undefined;
    made.push(original ? copyCard(dice, original, number, liveness) : makeCard(dice, brands, number, liveness));
  }
  return made;
}
