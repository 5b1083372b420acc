const KEPT_MAX_CHARS = 1024 * 1024;

/** The text of one answer as it comes in pieces. */
export class AnswerText {
  private chars = 0;
  private tail = '';
  private isNewBlock = false;

  get isEmpty(): boolean {
    return this.chars === 0;
  }

  /** What comes next is a paragraph of its own. */
  startBlock(): void {
    this.isNewBlock = this.chars > 0;
  }

  /** The next piece as it is to be sent on. Throws an Error when the answer is longer than anything that is kept. */
  add(text: string): string {
    if (text === '') return '';
    const gap = this.isNewBlock ? '\n\n'.slice(/(?<!\n)\n*$/.exec(this.tail)?.[0].length ?? 0) : '';
    this.isNewBlock = false;
    this.chars += gap.length + text.length;
    if (this.chars > KEPT_MAX_CHARS)
      throw new Error('The answer is longer than 1 MiB (output_limit), so it was stopped.');
    this.tail = (this.tail + gap + text).slice(-2);
    return gap + text;
  }
}
