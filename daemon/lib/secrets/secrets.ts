import { findKeyBlocks } from '../crypto/private-key-block.js';
import { SECRET_SHAPES, type SecretShape } from './secret-shapes.js';

/** The position of a possible secret: characters `start` to `end`. */
export interface SecretRange {
  /** The start of the words that identify the secret, at or before `start`. */
  begins: number;
  start: number;
  end: number;
  /** False when the range is only redacted and is no reason to reject or withhold the text. */
  isSure: boolean;
}

export const REDACTED = '[redacted]';

/**
 * Returns the position of the first certain secret in `text` and its first three characters as `kind`, or undefined.
 */
export function findSecret(text: string): { index: number; kind: string } | undefined {
  let first: SecretRange | undefined;
  for (const range of rangesIn(text)) {
    if (range.isSure && (first === undefined || range.start < first.start)) first = range;
  }
  return first && { index: first.start, kind: text.slice(first.start, first.start + 3) };
}

/**
 * Replaces everything in `text` that resembles a secret, for logs and for answers to callers other than the operator.
 */
export function scrubSecrets(text: string): string {
  return redact(text, findSecretRanges(text));
}

/** All ranges of `text` that resemble a secret, in order and without overlaps. */
export function findSecretRanges(text: string): SecretRange[] {
  const merged: SecretRange[] = [];
  for (const range of [...rangesIn(text)].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) {
      last.end = Math.max(last.end, range.end);
      last.begins = Math.min(last.begins, range.begins);
      last.isSure ||= range.isSure;
    } else merged.push({ ...range });
  }
  return merged;
}

/** Returns `text` from character `first` on, with `ranges` replaced. The ranges are in order and do not overlap. */
export function redact(text: string, ranges: readonly SecretRange[], first = 0): string {
  let clean = '';
  let from = first;
  for (const { start, end } of ranges) {
    clean += text.slice(from, start) + REDACTED;
    from = end;
  }
  return clean + text.slice(from);
}

function* rangesIn(text: string): Generator<SecretRange, void, void> {
  for (const block of findKeyBlocks(text)) yield { ...block, begins: block.start, isSure: true };
  for (const shape of SECRET_SHAPES) {
    if (shape.hints.some((hint) => text.includes(hint))) yield* listMatches(shape, text);
  }
}

function* listMatches(
  { pattern, sureFrom = 0, isReal }: SecretShape,
  text: string,
): Generator<SecretRange, void, void> {
  for (const match of text.matchAll(pattern)) {
    const start = match.index + (match[1]?.length ?? 0);
    const end = match.index + match[0].length;
    if (isReal && !isReal(text.slice(start, end))) continue;
    yield { begins: match.index, start, end, isSure: end - start >= sureFrom };
  }
}
