import { pattern } from '../../../lib/text/pattern.js';
import { words } from '../../../lib/text/words.js';
import { isCommon } from './lexicon.js';
import { LEXICONS } from './lexicons.js';

const CLAUSE = pattern`
    , (?:and |so |but |now |then )*
    |\b(?:so|but|and now|before|because|since|after|when|if|in order to|for which)\b (?=i |we |you |my |it )
  `;

/** Whether a question has no subject of its own, as `How?` or `What is the usual procedure?` has none. */
const isBare = (part: string) =>
  words(part).every(isCommon) && !LEXICONS.some(({ core }) => core.some((pattern) => pattern.test(part)));

/** The sentences that ask; all of them where none has a question mark. A bare one goes with what stands before it. */
export function askedParts(plain: string): string[] {
  const parts = plain.match(/[^.?!;]+(?:[.?!;]+|$)/g) ?? [];
  const asking = parts.flatMap((part, at) => {
    if (!/\?\s*$/.test(part)) return [];
    return at > 0 && isBare(part) ? [parts[at - 1] as string, part] : [part];
  });
  return (asking.length > 0 ? asking : parts)
    .flatMap((part) => part.split(/\s[-–—]+\s|:\s/))
    .map((part) => part.replaceAll(/[?!.;]+/g, ' ').trim())
    .filter((part) => part !== '');
}

/** The clauses of a part, as of `It is changed, and now I want to see the tests run`; none where it is one. */
export function splitClauses(part: string): string[] {
  const clauses = part.split(CLAUSE).map((clause) => clause.trim());
  return clauses.length < 2 ? [] : clauses.filter((clause) => words(clause).length > 2);
}
