import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';
import { UNSEEN } from '../lib/unseen.js';
import type { Environment } from './environment.js';

/** `text`, whoever wrote it, as it may be shown: nothing in it can move the cursor, change the title or turn the reading direction. */
export function printable(text: string): string {
  // A carriage return is white space to a page, and moves the cursor here.
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '�').replace(UNSEEN, '�');
}

const isTerminal = (stream: Readable | Writable) => (stream as { isTTY?: boolean }).isTTY === true;

/** Where a command speaks: its answer on stdout, everything else on stderr, and the status to exit with. */
export class Terminal {
  readonly colours: ReturnType<typeof pc.createColors>;
  /** What the process exits with when the command ends without a failure. */
  exit = 0;
  /** Set by `--json`: the answer is one JSON object, and so is a failure. */
  isJson = false;
  /** The last piece of the answer did not end its line. */
  private isMidLine = false;

  constructor(
    private readonly stdout: Writable,
    readonly stderr: Writable,
    readonly environment: Environment,
    readonly stdin: Readable = process.stdin,
  ) {
    this.colours = pc.createColors(environment.isColourful);
  }

  /** Whether a person can be asked something: stdin is a terminal. */
  get hasPerson(): boolean {
    return isTerminal(this.stdin);
  }

  /** Whether a person sees the answer: stdout is a terminal, not a file or another program. */
  get isSeen(): boolean {
    return isTerminal(this.stdout);
  }

  /** How many characters a line of the answer holds where a person sees it; undefined elsewhere. */
  get columns(): number | undefined {
    return (this.stdout as { columns?: number }).columns;
  }

  /** A line of the answer. */
  answer(line: string): void {
    this.piece(`${line}\n`);
  }

  /** A piece of the answer as it comes, not a whole line. */
  piece(text: string): void {
    if (text === '') return;
    this.stdout.write(text);
    this.isMidLine = !text.endsWith('\n');
  }

  /** Ends the line that a piece left open. */
  endLine(): void {
    if (this.isMidLine) this.piece('\n');
  }

  /** The whole answer as one object, readable when a person looks and compact enough for a program. */
  object(value: unknown): void {
    this.answer(JSON.stringify(value, null, 2));
  }

  /** One line of a stream of objects. */
  record(value: unknown): void {
    this.answer(JSON.stringify(value));
  }

  /** A remark for the person at the terminal; left out with `--json`. */
  note(line: string): void {
    if (!this.isJson) this.warn(line);
  }

  /** A remark that is worth its line even beside JSON. */
  warn(line: string): void {
    // On one screen both streams share the line; in a file the answer stays as it was said.
    if (this.isSeen) this.endLine();
    this.stderr.write(`${line}\n`);
  }

  /** Columns as wide as their widest cell; the last one runs on. An empty list prints nothing. */
  table(rows: readonly (readonly string[])[], head?: readonly string[]): void {
    if (rows.length === 0) return;
    const lines = head ? [head, ...rows] : rows;
    const shown = lines.map((row) => row.map((cell) => printable(cell).replaceAll(/\s+/g, ' ')));
    const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => widthOf(row[column] ?? ''))));
    shown.forEach((row, index) => {
      const line = row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
        )
        .join('  ')
        .trimEnd();
      this.answer(head && index === 0 ? this.colours.dim(line) : line);
    });
  }
}

/** Cells that `text` takes, near enough: a character outside the basic plane (an emoji) takes two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return width;
}
