import { sanitizeDisplayText } from '../lib/display-text.js';

/** What may belong to the next piece: half a line end, half a character, and one that a joiner may follow. */
const OPEN_END = /(?:\r|[^\0-\x7f]\ufe0f?\u200d?)$/u;

/** Text that comes in pieces, made fit to show: what may belong to the next piece is kept for it. */
export class StreamedText {
  private kept = '';

  /** What of all pieces so far may be shown now. */
  take(piece: string): string {
    const text = this.kept + piece;
    const end = OPEN_END.exec(text)?.index ?? text.length;
    this.kept = text.slice(end);
    return sanitizeDisplayText(text.slice(0, end));
  }

  /** What was kept, when nothing more comes. */
  end(): string {
    const text = sanitizeDisplayText(this.kept);
    this.kept = '';
    return text;
  }
}
