import { findKeyBlocks } from './private-key-block.js';
import { SECRET_SHAPES, type SecretShape } from './secret-shapes.js';

/** Where something like a secret stands: characters `start` to `end`. */
export interface SecretRange {
  /** Where the words begin that it is known by, at or before `start`. */
  begins: number;
  start: number;
  end: number;
  /** False when it is only redacted, and is no reason to refuse or withhold the text. */
  isSure: boolean;
}

export const REDACTED = '[redacted]';

/** Where a token-like value starts in `text`, or undefined. */
export function findSecret(text: string): { index: number; kind: string } | undefined {
  let first: SecretRange | undefined;
  for (const range of rangesIn(text)) {
    if (range.isSure && (first === undefined || range.start < first.start)) first = range;
  }
  return first && { index: first.start, kind: text.slice(first.start, first.start + 3) };
}

/** `text` with everything that looks like a secret replaced, for logs and answers that leave the machine's owner. */
export function scrubSecrets(text: string): string {
  return redact(text, findSecretRanges(text));
}

/** All that looks like a secret in `text`, in order and without overlaps. */
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

/** `text` from character `first` with the `ranges`, which are in order and do not overlap, replaced. */
export function redact(text: string, ranges: readonly SecretRange[], first = 0): string {
  if (ranges.length === 0) return text.slice(first);
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
    if (shape.hints.some((hint) => text.includes(hint))) yield* matchesOf(shape, text);
  }
}

function* matchesOf({ pattern, sureFrom = 0, isReal }: SecretShape, text: string): Generator<SecretRange, void, void> {
  for (const match of text.matchAll(pattern)) {
    const start = match.index + (match[1]?.length ?? 0);
    const end = match.index + match[0].length;
    if (isReal && !isReal(text.slice(start, end))) continue;
    yield { begins: match.index, start, end, isSure: end - start >= sureFrom };
  }
}
