export interface LineLimits {
  /** A longer line is dropped and counted; the following lines are read. */
  lineMaxBytes: number;
  /** A line that exceeds this length ends the run. */
  runawayLineBytes: number;
  /** The total number of bytes read from one run. */
  totalMaxBytes: number;
}

export const USUAL_LINE_LIMITS: LineLimits = {
  lineMaxBytes: 256 * 1024,
  runawayLineBytes: 8 * 1024 * 1024,
  totalMaxBytes: 64 * 1024 * 1024,
};

/** A program that writes a byte at a time must not fill the memory with tiny buffers. */
const PIECES_MAX = 256;

/**
 * Splits a stream of bytes into lines. Buffers at most one line of the permitted length. Invalid UTF-8 becomes U+FFFD;
 * a character that is split across two chunks is joined.
 */
export class LineCutter {
  /** The bytes of the current line. Decoded once, because a flood of lines must leave little garbage behind. */
  private pieces: Buffer[] = [];
  private lineBytes = 0;
  private totalBytes = 0;
  droppedLines = 0;

  constructor(private readonly limits: LineLimits) {}

  /** Returns the lines that `chunk` completes, and whether the stream has exceeded a limit. */
  push(chunk: Buffer): { lines: string[]; isOverLimit: boolean } {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.add(chunk.subarray(start, end));
      const line = this.finish();
      if (line !== undefined) lines.push(line);
      start = end + 1;
    }
    this.add(chunk.subarray(start));
    this.totalBytes += chunk.length;
    return {
      lines,
      isOverLimit: this.totalBytes > this.limits.totalMaxBytes || this.lineBytes > this.limits.runawayLineBytes,
    };
  }

  /** Returns the text after the last line end, if any. */
  rest(): string | undefined {
    return this.lineBytes === 0 ? undefined : this.finish();
  }

  private add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.lineBytes += bytes.length;
    if (this.lineBytes > this.limits.lineMaxBytes) this.pieces = [];
    else if (this.pieces.push(bytes) === PIECES_MAX) this.pieces = [Buffer.concat(this.pieces)];
  }

  private finish(): string | undefined {
    const isTooLong = this.lineBytes > this.limits.lineMaxBytes;
    const [first] = this.pieces;
    const bytes = this.pieces.length === 1 && first ? first : Buffer.concat(this.pieces);
    const line = isTooLong ? undefined : bytes.toString('utf8');
    if (isTooLong) this.droppedLines += 1;
    this.pieces = [];
    this.lineBytes = 0;
    return line?.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
