import { StringDecoder } from 'node:string_decoder';

export interface LineLimits {
  /** A longer line is dropped and counted; the ones after it are read. */
  lineMaxBytes: number;
  /** A line that goes on past this ends the run. */
  runawayLineBytes: number;
  /** All that is read of one run. */
  totalMaxBytes: number;
}

export const USUAL_LINE_LIMITS: LineLimits = {
  lineMaxBytes: 256 * 1024,
  runawayLineBytes: 8 * 1024 * 1024,
  totalMaxBytes: 64 * 1024 * 1024,
};

/**
 * Cuts a stream of bytes into lines. Holds no more than one line of the permitted length. Bytes that are no UTF-8 become U+FFFD; a character that
 * comes in two pieces is put together.
 */
export class LineCutter {
  private decoder = new StringDecoder('utf8');
  private pieces: string[] = [];
  private lineBytes = 0;
  private totalBytes = 0;
  droppedLines = 0;

  constructor(private readonly limits: LineLimits) {}

  /** The lines that `chunk` completes, and whether the stream has gone past a limit. */
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

  /** What stands after the last line end, if anything. */
  rest(): string | undefined {
    return this.lineBytes === 0 ? undefined : this.finish();
  }

  private add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.lineBytes += bytes.length;
    if (this.lineBytes <= this.limits.lineMaxBytes) this.pieces.push(this.decoder.write(bytes));
    else this.pieces = [];
  }

  private finish(): string | undefined {
    const isTooLong = this.lineBytes > this.limits.lineMaxBytes;
    const line = isTooLong ? undefined : this.pieces.join('') + this.decoder.end();
    if (isTooLong) this.droppedLines += 1;
    this.decoder = new StringDecoder('utf8');
    this.pieces = [];
    this.lineBytes = 0;
    return line?.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
