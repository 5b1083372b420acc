const STORED_MAX_CHARS = 1024 * 1024;

/** Assembles the text of one answer from its pieces. */
export class AnswerText {
  private chars = 0;
  private tail = '';
  private isNewBlock = false;

  get isEmpty(): boolean {
    return this.chars === 0;
  }

  /** Makes the next piece start a new paragraph. */
  startBlock(): void {
    this.isNewBlock = this.chars > 0;
  }

  /** Returns the next piece with the paragraph break it needs. Throws an Error when the answer exceeds 1 MiB. */
  add(text: string): string {
    if (text === '') return '';
    const gap = this.isNewBlock ? this.missingBreak : '';
    this.isNewBlock = false;
    this.chars += gap.length + text.length;
    if (this.chars > STORED_MAX_CHARS)
      throw new Error('The answer is longer than 1 MiB (output_limit), so it was stopped.');
    this.tail = (this.tail + gap + text).slice(-2);
    return gap + text;
  }

  /** What the text lacks of a blank line at its end. */
  private get missingBreak(): string {
    if (this.tail.endsWith('\n\n')) return '';
    return this.tail.endsWith('\n') ? '\n' : '\n\n';
  }
}
