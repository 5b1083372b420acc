const NOISE_MAX_CHARS = 1024 * 1024;

/** Lines of a program that are no messages: passed over, as long as they are few. */
export class Noise {
  private chars = 0;

  /** Throws an Error when the program has said more of it than anyone would by accident. */
  add(line: string): void {
    this.chars += line.length;
    if (this.chars > NOISE_MAX_CHARS)
      throw new Error('The program wrote more than 1 MiB that is no message (output_limit), so it was stopped.');
  }
}
