import type { StreamPiece } from './wall-payload.js';

/** What one stream may come to in this tab. */
const TEXT_MAX_CHARS = 262_144;
const PIECES_MAX = 4_096;
/** Stands where a piece did not come. */
const GAP = ' […] ';

/**
 * The pieces of one stream put together in the order of their `seq`, whatever the order in which they came. A piece that comes twice counts once; where one
 * is missing, the text says so.
 */
export class StreamFold {
  private readonly pieces = new Map<number, string>();
  private lastSeq: number | undefined;
  private chars = 0;
  private isCut = false;
  private known: string | undefined = '';

  /** Whether all of it is here: what comes under its name from now on is another stream. */
  get isWhole(): boolean {
    if (this.lastSeq === undefined) return false;
    const first = Math.min(...this.pieces.keys());
    return this.isCut || this.pieces.size === this.lastSeq - first + 1;
  }

  /** Whether its sender said that it is over. */
  get isDone(): boolean {
    return this.lastSeq !== undefined;
  }

  add({ seq, delta, done }: StreamPiece): void {
    if (this.pieces.has(seq)) return;
    if (this.pieces.size >= PIECES_MAX || this.chars + delta.length > TEXT_MAX_CHARS) this.isCut = true;
    else {
      this.pieces.set(seq, delta);
      this.chars += delta.length;
      this.known = undefined;
    }
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
