/**
 * Checks whether the time to compare a token reveals how much of it was right. Tokens with a wrong first character and
 * tokens with a wrong last character are compared in random order, and their times are tested with Welch's t. A
 * comparison that stops at the first difference is measured as well, to show that the drill would detect a leak. Takes
 * ten seconds.
 *
 * `npx tsx scripts/hard/access/token-timing.ts [--samples 20000]`
 */
import { randomBytes } from 'node:crypto';
import { sameSecret } from '../../../daemon/lib/crypto/digests.js';
import type { Dice } from '../../../daemon/testing/dice.js';
import { quantile } from '../../bench/measure.js';
import { runDrill } from '../drill.js';

type Compare = (given: string, expected: string) => boolean;

/** Below this value the two kinds are not distinguishable with confidence. */
const T_MAX = 4.5;
/** Comparisons per sample. A single comparison is shorter than the resolution of the clock. */
const AT_ONCE = 20;
const TOKENS = 256;
/** Samples above this quantile are discarded, since the machine caused their delay. */
const CROP = 0.9;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const stopsAtFirst: Compare = (given, expected) => {
  for (let i = 0; i < expected.length; i += 1) if (given.charCodeAt(i) !== expected.charCodeAt(i)) return false;
  return given.length === expected.length;
};

/** Returns copies of the secret with another character at `place`. Each is a separate string. */
function wrongAt(secret: string, place: number, dice: Dice): string[] {
  const others = [...ALPHABET].filter((character) => character !== secret[place]);
  const one = () => `${secret.slice(0, place)}${dice.pick(others)}${secret.slice(place + 1)}`;
  // Converted through bytes, so that no string is a rope that V8 has yet to flatten.
  return Array.from({ length: TOKENS }, () => Buffer.from(one(), 'latin1').toString('latin1'));
}

/** Returns the absolute value of Welch's t of two samples. */
function welch(one: readonly number[], other: readonly number[]): number {
  const of = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, error: variance / values.length };
  };
  const [a, b] = [of(one), of(other)];
  return Math.abs(a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

/** Returns Welch's t of the times of the two kinds of wrong token, with `samples` of each. */
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
  // A measurement that cannot detect a leak would prove nothing.
  drill.measure({
    measure: 'the same of a comparison that stops at the first difference',
    value: apart(stopsAtFirst, samples, drill.dice),
    unit: '',
    atLeast: T_MAX,
  });
});
