import { type Completer, createInterface, type Interface, type Key } from 'node:readline';
import { createInterface as createPrompt, type Interface as Prompt } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { escapeInvisibleJson, sanitizeDisplayText } from '../lib/text/display-text.js';
import { displayWidth } from './display-width.js';
import type { Environment } from './environment.js';
import { createStyles, renderStyled, type Styles } from './styled-text.js';

/**
 * For commands that compose untrusted texts before they pass them to the terminal, which itself sanitizes whatever it
 * writes.
 */
export const printable = sanitizeDisplayText;

const isTerminal = (stream: Readable | Writable) => (stream as { isTTY?: boolean }).isTTY === true;

const HANDED_OVER_MS = 50;
const CLEAR_LINE = '\r\u001b[K';
const TELL_PASTES = '\u001b[?2004h';
const TELL_NO_PASTES = '\u001b[?2004l';

/**
 * The output of a command: its result on stdout, everything else on stderr, and the exit status. The only writer of the
 * command line: text reaches a stream only through `write`, `document` or JSON, so that no command can forget to
 * sanitize.
 */
export class Terminal {
  readonly colours: Styles;
  /** The exit status when the command ends without a failure. */
  exit = 0;
  /** Set by `--json`: the result is one JSON object, and so is a failure. */
  isJson = false;
  /** Whether the last piece of the result did not end its line. */
  private isMidLine = false;

  constructor(
    private readonly stdout: Writable,
    private readonly stderr: Writable,
    readonly environment: Environment,
    readonly stdin: Readable = process.stdin,
  ) {
    this.colours = createStyles(environment.isColourful);
  }

  /** Whether the user can be prompted: stdin is a terminal, and so is stderr, which shows the question. */
  get hasPerson(): boolean {
    return isTerminal(this.stdin) && isTerminal(this.stderr);
  }

  /** Whether the result is displayed: stdout is a terminal, not a file or another program. */
  get isSeen(): boolean {
    return isTerminal(this.stdout);
  }

  /** The width of the terminal in columns; undefined when stdout is not a terminal. */
  get columns(): number | undefined {
    return (this.stdout as { columns?: number }).columns;
  }

  /** Writes a line of the result. */
  answer(line: string): void {
    this.piece(`${line}\n`);
  }

  /** Writes a piece of the result that need not be a complete line. */
  piece(text: string): void {
    if (text === '') return;
    this.stdout.write(renderStyled(text));
    this.isMidLine = !text.endsWith('\n');
  }

  /** Writes the result as a document: byte for byte to a file or a program, sanitized to a terminal. */
  document(text: string): void {
    if (this.isSeen) this.piece(text);
    else this.stdout.write(text);
  }

  /** Ends a line that the last piece left open. */
  endLine(): void {
    if (this.isMidLine) this.piece('\n');
  }

  /** Writes the complete result as one object, indented for readability. */
  object(value: unknown, replacer?: (key: string, value: unknown) => unknown): void {
    this.stdout.write(`${escapeInvisibleJson(JSON.stringify(value, replacer, 2))}\n`);
  }

  /** Writes one line of a stream of objects. */
  record(value: unknown): void {
    this.stdout.write(`${escapeInvisibleJson(JSON.stringify(value))}\n`);
  }

  /** Resolves once the reader of stdout has taken what was written, or is gone. */
  async drained(): Promise<void> {
    const { stdout } = this;
    if (!stdout.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const taken = () => {
        for (const event of ['drain', 'close', 'error']) stdout.off(event, taken);
        resolve();
      };
      for (const event of ['drain', 'close', 'error']) stdout.once(event, taken);
    });
  }

  /** Writes a remark to stderr. Writes nothing with `--json`: the object holds everything. */
  note(line: string): void {
    if (this.isJson) return;
    // On a terminal both streams share the line; in a file the result stays unchanged.
    if (this.isSeen) this.endLine();
    this.stderr.write(renderStyled(`${line}\n`, !isTerminal(this.stderr)));
  }

  /** Clears the line that the user is typing, which is redrawn below. In a file there is no such line. */
  clearLine(): void {
    if (isTerminal(this.stderr)) this.stderr.write(CLEAR_LINE);
  }

  /** Discards the lines that were typed so far: none of them answers a question that was not yet shown. */
  async discardTyped(): Promise<void> {
    const discard = () => undefined;
    this.stdin.on('data', discard);
    // A terminal hands over what it holds at once, and does not say that it holds nothing.
    await setTimeout(HANDED_OVER_MS);
    this.stdin.off('data', discard);
    this.stdin.pause();
  }

  /** Opens a prompt. `isEdited` enables line editing, whatever stdin is. */
  openPrompt(isEdited?: true): Prompt {
    const prompt = createPrompt({ input: this.stdin, output: this.stderr, ...(isEdited && { terminal: true }) });
    const ask = prompt.question.bind(prompt);
    prompt.question = (query: string, options: { signal?: AbortSignal } = {}) => ask(renderStyled(query), options);
    return prompt;
  }

  /** Asks for a line that is not shown while it is typed. Returns undefined after Ctrl-C, and when the input ends. */
  async askHidden(question: string): Promise<string | undefined> {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const prompt = createPrompt({ input: this.stdin, output: nowhere, terminal: true, historySize: 0 });
    const closed = new AbortController();
    prompt.once('close', () => closed.abort());
    this.stderr.write(renderStyled(question));
    try {
      return await prompt.question('', { signal: closed.signal });
    } catch (error) {
      if (closed.signal.aborted) return undefined;
      throw error;
    } finally {
      prompt.close();
      this.stderr.write('\n');
    }
  }

  /**
   * Opens an interface that reads typed lines. Where the terminal tells pasted text from typed text, `onPasting` is
   * called before and after a paste.
   */
  openLines(prompt: string, completer: Completer, onPasting: (isPasting: boolean) => void): Interface {
    const terminal = this.hasPerson;
    const lines = createInterface({
      input: this.stdin,
      output: this.stderr,
      terminal,
      prompt: renderStyled(prompt),
      completer,
    });
    if (terminal && this.environment.variables?.['TERM'] !== 'dumb') this.watchPastes(lines, onPasting);
    return lines;
  }

  private watchPastes(lines: Interface, onPasting: (isPasting: boolean) => void): void {
    const take = (_text: string | undefined, { name }: Key) => {
      if (name !== 'paste-start' && name !== 'paste-end') return;
      const isPasting = name === 'paste-start';
      // A pasted tab is no request to complete the line.
      Object.assign(lines, { isCompletionEnabled: !isPasting });
      onPasting(isPasting);
    };
    this.stderr.write(TELL_PASTES);
    this.stdin.on('keypress', take);
    lines.once('close', () => {
      this.stdin.off('keypress', take);
      this.stderr.write(TELL_NO_PASTES);
    });
  }

  /** Prints columns as wide as their widest cell; the last one is not padded. Prints nothing without rows. */
  table(rows: readonly (readonly string[])[], head?: readonly string[]): void {
    if (rows.length === 0) return;
    const lines = head ? [head, ...rows] : rows;
    const shown = lines.map((row) => row.map((cell) => printable(cell).replaceAll(/\s+/g, ' ')));
    const widths = (shown[0] ?? []).map((_, column) =>
      Math.max(...shown.map((row) => displayWidth(row[column] ?? ''))),
    );
    shown.forEach((row, index) => {
      const line = row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)),
        )
        .join('  ')
        .trimEnd();
      this.answer(head && index === 0 ? this.colours.dim(line) : line);
    });
  }
}
