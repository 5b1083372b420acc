import { noteDropped, showCitations, showKind } from '../asks/show-answer.js';
import { printable, type Terminal } from '../terminal.js';
import { callLine, endingLine } from './conversation-format.js';
import type { Moment } from './live-conversation.js';
import { StreamedText } from './streamed-text.js';

/** The text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Shows turns while they run: the answer on stdout as it arrives, tool calls and failures on stderr. With `--json` only
 * the latter.
 */
export class TurnDisplay {
  private text = new StreamedText();
  private readonly shownCalls = new Set<string>();
  /** The texts of the turns that are shown. */
  private readonly texts = new Map<string, string>();

  constructor(private readonly terminal: Terminal) {}

  /** Notes the text of a turn, to offer the search for it when no model runs the turn. */
  remember(turn: string, text: string): void {
    this.texts.set(turn, text);
  }

  show(moment: Moment): void {
    const { terminal } = this;
    switch (moment.kind) {
      case 'text':
        if (!terminal.isJson) terminal.piece(this.text.take(moment.text));
        break;
      case 'call':
        this.showCall(moment);
        break;
      case 'ended':
        this.showEnding(moment);
        break;
    }
  }

  private showCall({ turn, call }: Extract<Moment, { kind: 'call' }>): void {
    const { terminal, shownCalls } = this;
    const key = `${turn} ${call.id}`;
    const { dim, red } = terminal.colours;
    if (call.state === 'failed') terminal.note(red(`✗ ${callLine(call)}`));
    else if (!shownCalls.has(key)) terminal.note(dim(`· ${callLine(call)}`));
    shownCalls.add(key);
  }

  private showEnding({ record, answer }: Extract<Moment, { kind: 'ended' }>): void {
    const { terminal } = this;
    if (!terminal.isJson) {
      terminal.piece(this.text.end());
      terminal.endLine();
      if (answer) {
        showCitations(terminal, answer.citations);
        if (answer.confidence !== undefined) terminal.answer('');
        showKind(terminal, answer);
      }
      noteDropped(terminal, answer?.dropped_citations ?? 0);
    }
    this.text = new StreamedText();
    const ending = endingLine(record);
    if (ending !== '') terminal.note(ending);
    const text = this.texts.get(record.turn);
    this.texts.delete(record.turn);
    if (record.code === 'no_working_client' && text !== undefined)
      terminal.note(printable(`Search instead: ${terminal.environment.command} talk consultant ${quoted(text)}`));
  }
}
