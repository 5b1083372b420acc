import type { StreamPiece } from './wall-payload.js';

/** The size limits of one stream in this tab. */
const TEXT_MAX_CHARS = 262_144;
const PIECES_MAX = 4_096;
/** The most streams that a reader keeps open at once. Beyond that the oldest counts as ended. */
export const STREAMS_MAX = 200;
/** Shown in place of a missing piece. */
const GAP = ' […] ';

/**
 * Joins the pieces of one stream in the order of their `seq`, whatever the order of arrival. A repeated piece is
 * ignored, and the text marks a missing one.
 */
export class StreamFold {
  private readonly pieces = new Map<number, string>();
  private lastSeq: number | undefined;
  private chars = 0;
  private isCut = false;
  private known: string | undefined = '';

  /** Whether the stream is complete. A later piece with its name belongs to another stream. */
  get isWhole(): boolean {
    if (this.lastSeq === undefined) return false;
    const first = Math.min(...this.pieces.keys());
    return this.isCut || this.pieces.size === this.lastSeq - first + 1;
  }

  /** Whether the sender has marked the end. */
  get isDone(): boolean {
    return this.lastSeq !== undefined;
  }

  add({ seq, delta, done }: StreamPiece): void {
    if (this.pieces.has(seq)) return;
    if (this.pieces.size >= PIECES_MAX || this.chars + delta.length > TEXT_MAX_CHARS) this.isCut = true;
    else {
      this.pieces.set(seq, delta);
      this.chars += delta.length;
    }
    // The mark of a cut is part of the text, too.
    this.known = undefined;
    if (done) this.lastSeq = seq;
  }

  get text(): string {
    this.known ??= this.joined();
    return this.known;
  }

  private joined(): string {
    let text = '';
    let next: number | undefined;
    for (const [seq, delta] of [...this.pieces].sort(([a], [b]) => a - b)) {
      text += next !== undefined && seq !== next ? GAP + delta : delta;
      next = seq + 1;
    }
    return this.isCut ? `${text}${GAP}` : text;
  }
}
