import { printable } from './terminal.js';

/** Text that comes in pieces, made fit to show: what may belong to the next piece (half a line end, half a character) is kept for it. */
export class StreamedText {
  private kept = '';

  /** What of all pieces so far may be shown now. */
  take(piece: string): string {
    const text = this.kept + piece;
    const isHalf = /[\r\ud800-\udbff]$/.test(text);
    this.kept = isHalf ? text.slice(-1) : '';
    return printable(isHalf ? text.slice(0, -1) : text);
  }

  /** What was kept, when nothing more comes. */
  end(): string {
    const text = printable(this.kept);
    this.kept = '';
    return text;
  }
}
