import { sanitizeDisplayText } from '../../lib/text/display-text.js';

/**
 * The end of a text that may belong together with the next chunk: a carriage return, or a non-ASCII character, which a
 * variation selector or a joiner may follow.
 */
const OPEN_END = /(?:\r|[^\0-\x7f]\ufe0f?\u200d?)$/u;

/**
 * Sanitizes text that arrives in chunks. The end of a chunk that may belong together with the next one is held back.
 */
export class StreamedText {
  private kept = '';

  /** Adds a chunk. Returns the text that can be shown. */
  take(piece: string): string {
    const text = this.kept + piece;
    const end = OPEN_END.exec(text)?.index ?? text.length;
    this.kept = text.slice(end);
    return sanitizeDisplayText(text.slice(0, end));
  }

  /** Returns the text that was held back, at the end of the stream. */
  end(): string {
    const text = sanitizeDisplayText(this.kept);
    this.kept = '';
    return text;
  }
}
