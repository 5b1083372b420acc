/**
 * Whether the time in which a token is compared tells how much of it was right: tokens whose first character is wrong against tokens whose last one is, in an order of chance, told
 * apart by Welch's t. A comparison that stops at the first difference is measured beside it, to show that the drill would see one.
 * `npx tsx scripts/hard/token-timing.ts [--samples 20000]`, ten seconds.
 */
import { randomBytes } from 'node:crypto';
import { sameSecret } from '../../daemon/lib/digests.js';
import type { Dice } from '../../daemon/testing/dice.js';
import { quantile } from '../bench/measure.js';
import { runDrill } from './drill.js';

type Compare = (given: string, expected: string) => boolean;

/** Below it the two kinds are not told apart with any confidence. */
const T_MAX = 4.5;
/** Compared in one sample: one comparison alone is shorter than the clock's step. */
const AT_ONCE = 20;
const TOKENS = 256;
/** Samples above this quantile are the machine's, not the comparison's. */
const CROP = 0.9;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const stopsAtFirst: Compare = (given, expected) => {
  for (let i = 0; i < expected.length; i += 1) if (given.charCodeAt(i) !== expected.charCodeAt(i)) return false;
  return given.length === expected.length;
};

/** The secret with another character at `place`, each a string of its own. */
function wrongAt(secret: string, place: number, dice: Dice): string[] {
  const others = [...ALPHABET].filter((character) => character !== secret[place]);
  const one = () => `${secret.slice(0, place)}${dice.pick(others)}${secret.slice(place + 1)}`;
  // By way of bytes, so that none is a piece of another that the engine has yet to join.
  return Array.from({ length: TOKENS }, () => Buffer.from(one(), 'latin1').toString('latin1'));
}

/** Welch's t of two samples. */
function welch(one: readonly number[], other: readonly number[]): number {
  const of = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, error: variance / values.length };
  };
  const [a, b] = [of(one), of(other)];
  return Math.abs(a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

/** How far apart the times of the two kinds of wrong token are, from `samples` of each. */
function apart(compare: Compare, samples: number, dice: Dice): number {
  const secret = randomBytes(32).toString('base64url');
  const kinds = [wrongAt(secret, 0, dice), wrongAt(secret, secret.length - 1, dice)] as const;
  const times: [number[], number[]] = [[], []];
  let taken = 0;
  while (times[0].length < samples || times[1].length < samples) {
    const kind = dice.below(2) as 0 | 1;
    const at = dice.below(TOKENS);
    const started = process.hrtime.bigint();
    for (let i = 0; i < AT_ONCE; i += 1) if (compare(kinds[kind][(at + i) % TOKENS] as string, secret)) taken += 1;
    times[kind].push(Number(process.hrtime.bigint() - started));
  }
  if (taken > 0) throw new Error('A wrong token was taken for the right one.');
  const limit = quantile([...times[0], ...times[1]], CROP);
  return welch(
    times[0].filter((ns) => ns <= limit),
    times[1].filter((ns) => ns <= limit),
  );
}

await runDrill('token-timing', async (drill) => {
  const samples = drill.bound('samples');
  for (const compare of [sameSecret, stopsAtFirst]) apart(compare, samples / 10, drill.dice);
  drill.measure({
    measure: "Welch's t of wrong at the first and wrong at the last character",
    value: apart(sameSecret, samples, drill.dice),
    unit: '',
    atMost: T_MAX,
    said: `${samples} samples of ${AT_ONCE} comparisons of each kind`,
  });
  // A measure that cannot see a leak would have shown nothing.
  drill.measure({
    measure: 'the same of a comparison that stops at the first difference',
    value: apart(stopsAtFirst, samples, drill.dice),
    unit: '',
    atLeast: T_MAX,
  });
});
