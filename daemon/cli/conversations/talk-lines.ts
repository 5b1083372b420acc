import type { Interface } from 'node:readline';
import type { DroppedTurns, MessageAccepted, Permission } from '../../contract/conversations.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable } from '../terminal.js';
import { callLine, DECISION_OF, questionLines } from './conversation-format.js';
import { conversationPath, type Moment, permissionPath } from './live-conversation.js';
import { markRead, type Talk } from './talk-once.js';
import { TurnDisplay } from './turn-display.js';

const HELP = `  /allow, /always, /deny   answer the permission question (always: this tool, in this conversation)
  /stop                    stop the running turn; so does Ctrl-C
  /drop                    remove queued messages; the running turn continues
  /quit                    leave; so does Ctrl-C twice, or Ctrl-D. What runs goes on.
  A line that ends in \\ continues on the next one; one that begins with // is sent with one slash.
  Pasted text is one message, which Enter sends.`;
const COMMANDS = ['/allow', '/always', '/deny', '/drop', '/help', '/quit', '/stop'];

/**
 * An interactive conversation: each typed line is sent, and turns are shown as they run, including those that other
 * clients started.
 */
export class TalkLines {
  private readonly lines: Interface;
  private readonly display: TurnDisplay;
  private readonly own = new Set<string>();
  private reading = Promise.resolve();
  private typed = '';
  private isPasting = false;
  private working = Promise.resolve();
  /**
   * The message that is being sent. Nothing is shown meanwhile, so that its echo is recognized as this client's own.
   */
  private saying: Promise<unknown> = Promise.resolve();
  /** Turns that are known to have started and not to have ended. */
  private readonly open = new Set<string>();
  /** The questions that were shown and not answered here, oldest first: only these can be answered. */
  private asked: Permission[] = [];
  private hasInterrupted = false;
  private hasLeft = false;

  constructor(private readonly talk: Talk) {
    const { terminal } = talk;
    this.display = new TurnDisplay(terminal);
    this.lines = terminal.openLines(
      terminal.colours.bold('> '),
      (line) => [line.startsWith('/') ? COMMANDS.filter((command) => command.startsWith(line)) : [], line],
      (isPasting) => {
        this.isPasting = isPasting;
      },
    );
  }

  /** Runs until the user leaves. Throws when the conversation or the daemon is gone. */
  async run(): Promise<void> {
    const { lines } = this;
    const { terminal, live } = this.talk;
    lines.on('line', (line) => {
      this.hasInterrupted = false;
      const isPasted = this.isPasting;
      // Lines are sent one after the other, in the order in which they were typed.
      this.working = this.working.then(() => this.take(line, isPasted));
    });
    lines.on('SIGINT', () => this.interrupt());
    lines.once('close', () => {
      // The last line may still be in transit.
      void this.working.then(() => this.leave());
    });
    terminal.note(terminal.colours.dim('/help lists the commands.'));
    lines.prompt();
    try {
      for await (const moment of live.moments()) {
        await this.saying.catch(() => undefined);
        this.show(moment);
      }
    } finally {
      lines.close();
      terminal.endLine();
      await this.reading;
    }
    if (this.open.size > 0) terminal.note(`The running turn continues: \`meshd talk ${live.conv}\`.`);
  }

  private leave(): void {
    this.hasLeft = true;
    this.talk.live.close();
    this.lines.close();
  }

  private show(moment: Moment): void {
    const { terminal } = this.talk;
    // The typed text is cleared and redrawn below.
    if (this.open.size === 0 || moment.kind === 'question') terminal.clearLine();
    switch (moment.kind) {
      case 'deleted':
        throw new CommandError(EXIT.notFound, 'The conversation was deleted.', 'not_found');
      case 'said':
        this.hasInterrupted = false;
        this.open.add(moment.turn);
        this.display.remember(moment.turn, moment.message.text);
        if (!this.own.has(moment.turn))
          terminal.note(terminal.colours.dim(printable(moment.message.text).replaceAll(/^/gm, '» ')));
        break;
      case 'question':
        this.asked.push(moment.permission);
        this.showQuestion(moment.permission);
        this.lines.prompt(true);
        break;
      case 'decided':
        if (this.asked.some(({ pid }) => pid === moment.permission.pid)) this.noteClosed(moment.permission);
        break;
      case 'ended':
        this.display.show(moment);
        this.reading = this.reading.then(() => markRead(this.talk, moment.answer));
        this.asked = this.asked.filter(({ turn }) => turn !== moment.turn);
        this.open.delete(moment.turn);
        this.own.delete(moment.turn);
        if (this.open.size === 0 && !this.hasLeft) this.lines.prompt(true);
        break;
      default:
        this.open.add(moment.turn);
        this.display.show(moment);
    }
  }

  private showQuestion(permission: Permission): void {
    const { terminal, conversation } = this.talk;
    terminal.note(questionLines(terminal, conversation.member, permission, '/allow, /always or /deny').join('\n'));
  }

  private noteClosed({ tool: name, target }: Permission): void {
    const { terminal } = this.talk;
    terminal.note(terminal.colours.dim(`The question about ${callLine({ name, target })} is no longer open.`));
  }

  private async take(line: string, isPasted: boolean): Promise<void> {
    if (isPasted || line.endsWith('\\')) {
      this.typed += `${isPasted ? line : line.slice(0, -1)}\n`;
      return;
    }
    // A line of a longer text is no command, nor is one that is indented: it may have been pasted.
    const isAlone = this.typed === '';
    const text = (this.typed + line).trim();
    this.typed = '';
    try {
      if (isAlone && /^\/(?!\/)/.test(line)) await this.obey(text);
      else if (text !== '') await this.say(isAlone ? text.replace(/^\/\//, '/') : text);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.talk.terminal.note(`${this.talk.terminal.colours.red('meshd:')} ${error.message}`);
    }
    if (this.open.size === 0 && !this.hasLeft) this.lines.prompt();
  }

  private async say(text: string): Promise<void> {
    const { client, live, terminal } = this.talk;
    const hand = async () => {
      const accepted = await client.send<MessageAccepted>('POST', `${conversationPath(live.conv)}/messages`, {
        body: { text },
      });
      this.own.add(accepted.turn);
      this.open.add(accepted.turn);
      return accepted;
    };
    const saying = hand();
    this.saying = saying;
    const { queued } = await saying;
    if (queued) terminal.note(terminal.colours.dim('Queued behind the running turn.'));
  }

  private async obey(text: string): Promise<void> {
    const { terminal } = this.talk;
    switch (text) {
      case '/allow':
      case '/always':
      case '/deny':
        return this.decide(text.slice(1) as keyof typeof DECISION_OF);
      case '/drop':
        return this.drop();
      case '/stop':
        return this.stop();
      case '/quit':
        return this.leave();
      case '/help':
        return terminal.note(HELP);
      default:
        return terminal.note(
          `${printable(text.split(/\s/)[0] ?? '')} is not one of ${COMMANDS.join(' ')}; begin with // to send a slash.`,
        );
    }
  }

  private async decide(word: keyof typeof DECISION_OF): Promise<void> {
    const { terminal, client, live } = this.talk;
    const permission = this.asked.shift();
    if (!permission) return terminal.note('No permission question is open.');
    if (!live.waiting.some(({ pid }) => pid === permission.pid)) {
      // The answer was meant for this question, not for the one that is open now.
      this.noteClosed(permission);
      const [next] = this.asked;
      if (next) this.showQuestion(next);
      return;
    }
    await client.send<Permission>('POST', permissionPath(permission), { body: { decision: DECISION_OF[word] } });
  }

  private async stop(): Promise<void> {
    const { terminal, client, live } = this.talk;
    if (this.open.size === 0) return terminal.note('Nothing is running.');
    await client.send('POST', `${conversationPath(live.conv)}/cancel`, { body: {} });
  }

  private async drop(): Promise<void> {
    const { terminal, client, live } = this.talk;
    const { count } = await client.send<DroppedTurns>('DELETE', `${conversationPath(live.conv)}/queue`);
    if (count === 0) terminal.note('Nothing is queued.');
  }

  private interrupt(): void {
    const { terminal } = this.talk;
    if (this.hasInterrupted) {
      this.leave();
      return;
    }
    this.hasInterrupted = true;
    this.typed = '';
    if (this.open.size > 0) {
      terminal.note('\nStopping; Ctrl-C again leaves.');
      this.working = this.working.then(() => this.stop()).catch(() => undefined);
    } else {
      terminal.note('\nCtrl-C again leaves.');
      this.lines.prompt();
    }
  }
}
