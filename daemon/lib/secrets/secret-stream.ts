import { findSecretRanges, REDACTED, redact, type SecretRange } from './secrets.js';

/**
 * The start of one secret may span this many words: `-----BEGIN OPENSSH PRIVATE KEY BLOCK-----` with the line before
 * it, or `secretAccessKey => "…`.
 */
const WORDS_HELD = 6;
const HELD_MAX_CHARS = 64 * 1024;
/** The number of characters retained of a word longer than the buffer. No shape needs more to be recognized. */
const OVERLAP_CHARS = 16 * 1024;
/** The number of characters retained of a secret longer than the buffer: enough to recognize its rest as a secret. */
const BEGINNING_CHARS = 512;
/** Words with which the shapes that contain blanks begin. */
const BEGINS_SECRET = /--|PRIVATE|KEY|[Kk]ey|SECRET|[Ss]ecret|[Bb]earer/;
/** Secrets consist of printable ASCII. */
const SEPARATOR = /[^!-~]/;
/** The start of a token at the end of a truncated text, too short for its shape to match. */
const CUT_SHORT =
  /(?<![A-Za-z])(?:A3T|A[A-Z]{2}A|gh[pousr]_|github_pat|glpat-|glc_|glsa_|gsk_|hf_|hv[sbr]\.|lin_|npm_|ntn_|ops_ey|[cat]k_|mk_|tt_|[sr]k_|sk-|shp[a-z]{2}_|SG\.|vc[piark]_|dapi|dckr_|figd_|xox[a-z]-|xapp-|AIza|eyJ)[A-Za-z0-9_.+/=-]{0,256}$/;
const CUT_SHORT_CHARS = 300;

/**
 * Redacts secrets from a text that arrives in chunks. The concatenated results of `push` and `end` are the scrubbed
 * text, independent of the chunk boundaries. The last word, or the last few, are held back until no secret can begin in
 * them.
 */
export class SecretStream {
  private held = '';
  /** The buffer begins with the start of a secret that has already been replaced. */
  private isInSecret = false;

  /** Adds a chunk. Returns the text that is safe to emit. */
  push(piece: string): string {
    this.held += piece;
    if (!SEPARATOR.test(piece) && this.held.length <= HELD_MAX_CHARS) return '';
    const ranges = findSecretRanges(this.held);
    const cut = findSafeCut(startOfUnfinished(this.held, ranges), ranges);
    if (this.held.length - cut <= HELD_MAX_CHARS) return this.give(cut, ranges);
    const open = ranges.find(({ begins, end }) => begins === cut && end > cut);
    if (open) return this.maskBeginning(open, ranges);
    return this.give(findSafeCut(this.held.length - OVERLAP_CHARS, ranges), ranges);
  }

  /**
   * Returns the rest. `isCut` states that the text was truncated, so that its last word may be the start of a secret.
   */
  end({ isCut }: { isCut: boolean }): string {
    const rest = this.give(this.held.length, findSecretRanges(this.held));
    if (!isCut) return rest;
    const from = Math.max(0, rest.length - CUT_SHORT_CHARS);
    return rest.slice(0, from) + rest.slice(from).replace(CUT_SHORT, REDACTED);
  }

  private give(cut: number, ranges: readonly SecretRange[]): string {
    if (cut === 0) return '';
    const first = ranges[0];
    const from = this.isInSecret && first?.begins === 0 ? first.end : 0;
    const whole = ranges.filter(({ start, end }) => start >= from && end <= cut);
    const given = redact(this.held.slice(0, cut), whole, from);
    this.held = this.held.slice(cut);
    this.isInSecret = false;
    return given;
  }

  /** Replaces a secret that is longer than the buffer. Only its start is retained. */
  private maskBeginning(open: SecretRange, ranges: readonly SecretRange[]): string {
    const isKnown = this.isInSecret && open.begins === 0;
    const before = this.give(open.begins, ranges);
    const [start, end] = [open.start - open.begins, open.end - open.begins];
    const words = this.held.slice(0, start);
    this.held = this.held.slice(0, Math.min(end, start + BEGINNING_CHARS)) + this.held.slice(end);
    this.isInSecret = true;
    return isKnown ? '' : before + words + REDACTED;
  }
}

/** The last position up to `cut` that splits no secret and does not separate one from the words before it. */
function findSafeCut(cut: number, ranges: readonly SecretRange[]): number {
  let place = cut;
  for (const { begins, end } of ranges.toReversed()) if (end > place) place = Math.min(place, begins);
  return place;
}

/**
 * The position at which an unfinished secret may begin: the start of the last word, or of the last few words where one
 * of them begins a secret of several words. Any character outside printable ASCII ends a possible secret.
 */
function startOfUnfinished(text: string, ranges: readonly SecretRange[]): number {
  const start = findWordStart(text, WORDS_HELD);
  const isBegun = (ranges.at(-1)?.end ?? -1) > start || BEGINS_SECRET.test(text.slice(start));
  return isBegun ? start : findWordStart(text, 1);
}

function findWordStart(text: string, count: number): number {
  let at = text.length;
  let start = at;
  for (let word = 0; word < count; word += 1) {
    while (at > 0 && isPrintable(text.charCodeAt(at - 1))) at -= 1;
    start = at;
    while (at > 0 && isBlank(text.charCodeAt(at - 1))) at -= 1;
    if (at === start) break;
  }
  return start;
}

const isPrintable = (code: number) => code > 0x20 && code < 0x7f;
/** Agents' file listings have the arrow after each line number. */
const isBlank = (code: number) => code <= 0x20 || code === 0x2192;
