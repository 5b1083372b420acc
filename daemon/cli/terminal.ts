import { type Completer, createInterface, type Interface } from 'node:readline';
import { createInterface as createPrompt, type Interface as Prompt } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { escapeInvisibleJson, sanitizeDisplayText } from '../lib/display-text.js';
import type { Environment } from './environment.js';
import { createStyles, renderStyled, type Styles } from './styled-text.js';

/** For what a command composes of texts that others wrote before it hands them to the terminal, which sanitizes whatever it writes. */
export const printable = sanitizeDisplayText;

const isTerminal = (stream: Readable | Writable) => (stream as { isTTY?: boolean }).isTTY === true;

const CLEAR_LINE = '\r\u001b[K';

/**
 * Where a command speaks: its answer on stdout, everything else on stderr, and the status to exit with. The only writer of the command line: no text reaches
 * a stream but by `write`, `document` or JSON, so that no command can forget to sanitize.
 */
export class Terminal {
  readonly colours: Styles;
  /** What the process exits with when the command ends without a failure. */
  exit = 0;
  /** Set by `--json`: the answer is one JSON object, and so is a failure. */
  isJson = false;
  /** The last piece of the answer did not end its line. */
  private isMidLine = false;

  constructor(
    private readonly stdout: Writable,
    private readonly stderr: Writable,
    readonly environment: Environment,
    readonly stdin: Readable = process.stdin,
  ) {
    this.colours = createStyles(environment.isColourful);
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
    this.write(this.stdout, text);
    this.isMidLine = !text.endsWith('\n');
  }

  /** The answer as a document: a file or a program gets every byte, a screen nothing that it would obey. */
  document(text: string): void {
    if (this.isSeen) this.piece(text);
    else this.stdout.write(text);
  }

  /** Ends the line that a piece left open. */
  endLine(): void {
    if (this.isMidLine) this.piece('\n');
  }

  /** The whole answer as one object, readable when a person looks and compact enough for a program. */
  object(value: unknown, replacer?: (key: string, value: unknown) => unknown): void {
    this.stdout.write(`${escapeInvisibleJson(JSON.stringify(value, replacer, 2))}\n`);
  }

  /** One line of a stream of objects. */
  record(value: unknown): void {
    this.stdout.write(`${escapeInvisibleJson(JSON.stringify(value))}\n`);
  }

  /** Why the command failed, for a program. */
  failure(value: object): void {
    this.stderr.write(`${escapeInvisibleJson(JSON.stringify(value))}\n`);
  }

  /** A remark for the person at the terminal; left out with `--json`. */
  note(line: string): void {
    if (!this.isJson) this.warn(line);
  }

  /** A remark that is worth its line even beside JSON. */
  warn(line: string): void {
    // On one screen both streams share the line; in a file the answer stays as it was said.
    if (this.isSeen) this.endLine();
    this.write(this.stderr, `${line}\n`);
  }

  /** Takes away what the person is typing, to be drawn again below. */
  clearLine(): void {
    this.stderr.write(CLEAR_LINE);
  }

  /** Asks the person. `isEdited` has the answer typed in a line that can be edited, whatever stdin is. */
  openPrompt(isEdited?: true): Prompt {
    const prompt = createPrompt({ input: this.stdin, output: this.stderr, ...(isEdited && { terminal: true }) });
    const ask = prompt.question.bind(prompt);
    prompt.question = (query: string, options: { signal?: AbortSignal } = {}) => ask(renderStyled(query), options);
    return prompt;
  }

  /** Takes what the person types line by line. */
  openLines(prompt: string, completer: Completer): Interface {
    return createInterface({
      input: this.stdin,
      output: this.stderr,
      terminal: this.hasPerson,
      prompt: renderStyled(prompt),
      completer,
    });
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

  private write(stream: Writable, text: string): void {
    stream.write(renderStyled(text));
  }
}

/** Cells that `text` takes, near enough: a character outside the basic plane (an emoji) takes two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return width;
}
