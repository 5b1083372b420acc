import { findSecretRanges, REDACTED, redact, type SecretRange } from './secrets.js';

/** As many words may be the beginning of one secret: `-----BEGIN OPENSSH PRIVATE KEY BLOCK-----` with the line before it, `secretAccessKey => "…`. */
const WORDS_HELD = 6;
const HELD_MAX_CHARS = 64 * 1024;
/** Of a word that is longer than what is held; no shape needs more to be known. */
const OVERLAP_CHARS = 16 * 1024;
/** Of a secret that is longer than what is held: enough that its rest is known as one. */
const BEGINNING_CHARS = 512;
/** Words with which the shapes begin that have blanks in them. */
const BEGINS_SECRET = /--|PRIVATE|KEY|[Kk]ey|SECRET|[Ss]ecret|[Bb]earer/;
/** Secrets are made of printable ASCII. */
const SEPARATOR = /[^!-~]/;
/** A token whose stream ended before its shape could be told. */
const CUT_SHORT =
  /(?<![A-Za-z])(?:A3T|A[A-Z]{2}A|gh[pousr]_|github_pat|glpat-|glc_|glsa_|gsk_|hf_|hv[sbr]\.|lin_|npm_|ntn_|ops_ey|[cat]k_|mk_|[sr]k_|sk-|shp[a-z]{2}_|SG\.|vc[piark]_|dapi|dckr_|figd_|xox[a-z]-|xapp-|AIza|eyJ)[A-Za-z0-9_.+/=-]{0,256}$/;
const CUT_SHORT_CHARS = 300;

/**
 * A text that comes in pieces, without its secrets: the pieces that `push` and `end` give are the scrubbed text, whatever the borders were. The last
 * word, or the last few, are held back until it is known that no secret begins in them.
 */
export class SecretStream {
  private held = '';
  /** What is held begins with the beginning of a secret that was replaced already. */
  private isInSecret = false;

  /** What may be passed on now. */
  push(piece: string): string {
    this.held += piece;
    if (!SEPARATOR.test(piece) && this.held.length <= HELD_MAX_CHARS) return '';
    const ranges = findSecretRanges(this.held);
    const cut = wholeUntil(startOfUnfinished(this.held, ranges), ranges);
    if (this.held.length - cut <= HELD_MAX_CHARS) return this.give(cut, ranges);
    const open = ranges.find(({ begins, end }) => begins === cut && end > cut);
    if (open) return this.giveBeginning(open, ranges);
    return this.give(wholeUntil(this.held.length - OVERLAP_CHARS, ranges), ranges);
  }

  /** The rest. `isCut`: the text was broken off, so that its last word may be the beginning of a secret. */
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

  /** Replaces a secret that goes on for longer than what is held; of it only the beginning is kept. */
  private giveBeginning(open: SecretRange, ranges: readonly SecretRange[]): string {
    const isKnown = this.isInSecret && open.begins === 0;
    const before = this.give(open.begins, ranges);
    const [start, end] = [open.start - open.begins, open.end - open.begins];
    const words = this.held.slice(0, start);
    this.held = this.held.slice(0, Math.min(end, start + BEGINNING_CHARS)) + this.held.slice(end);
    this.isInSecret = true;
    return isKnown ? '' : before + words + REDACTED;
  }
}

/** The last place up to `cut` that parts no secret, nor one from the words before it. */
function wholeUntil(cut: number, ranges: readonly SecretRange[]): number {
  let place = cut;
  for (const { begins, end } of ranges.toReversed()) if (end > place) place = Math.min(place, begins);
  return place;
}

/**
 * Where what may be the beginning of a secret begins: the last word, while it goes on, and the last few where one of them is known to begin a secret of
 * several. Whatever is not ASCII ends what could be one.
 */
function startOfUnfinished(text: string, ranges: readonly SecretRange[]): number {
  const start = startOfWords(text, WORDS_HELD);
  const isBegun = (ranges.at(-1)?.end ?? -1) > start || BEGINS_SECRET.test(text.slice(start));
  return isBegun ? start : startOfWords(text, 1);
}

function startOfWords(text: string, count: number): number {
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
/** The arrow stands behind the line numbers of what agents read. */
const isBlank = (code: number) => code <= 0x20 || code === 0x2192;
