const NOISE_MAX_CHARS = 1024 * 1024;

/** Counts the output lines of a program that are not messages. They are ignored up to a limit. */
export class Noise {
  private chars = 0;

  /** Throws an Error once the lines exceed 1 MiB in total. */
  add(line: string): void {
    this.chars += line.length;
    if (this.chars > NOISE_MAX_CHARS)
      throw new Error('The program wrote more than 1 MiB that is no message (output_limit), so it was stopped.');
  }
}
