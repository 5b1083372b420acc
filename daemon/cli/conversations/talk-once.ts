import type {
  Conversation,
  ConversationPatch,
  Decision,
  Message,
  MessageAccepted,
  Permission,
  Turn,
} from '../../contract/conversations.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import type { Terminal } from '../terminal.js';
import { DECISION_OF, exitOfOutcome, questionLines } from './conversation-format.js';
import { conversationPath, type LiveConversation, type Moment, permissionPath } from './live-conversation.js';
import { TurnDisplay } from './turn-display.js';

/** A conversation at a terminal. */
export interface Talk {
  terminal: Terminal;
  client: HttpClient;
  live: LiveConversation;
  conversation: Conversation;
}

/** Marks an answer as read. A failure is ignored: it only leaves the unread mark in the dashboard. */
export async function markRead({ client, conversation }: Talk, answer: Message | undefined): Promise<void> {
  if (!answer) return;
  const body: ConversationPatch = { read: answer.id };
  await client.send<Conversation>('PATCH', conversationPath(conversation.conv), { body }).catch(() => undefined);
}

/** Answers are taken as a whole: the first letter of `abort` must not be that of `always`. */
const DECISION_OF_ANSWER: ReadonlyMap<string, Decision> = new Map([
  ['y', DECISION_OF.allow],
  ['yes', DECISION_OF.allow],
  ['a', DECISION_OF.always],
  ['always', DECISION_OF.always],
  ['n', DECISION_OF.deny],
  ['no', DECISION_OF.deny],
]);

type Ended = Extract<Moment, { kind: 'ended' }>;

/** How the wait for one turn ended. */
type Finish =
  | { kind: 'ended'; moment: Ended }
  | { kind: 'question'; permission: Permission }
  | { kind: 'deleted' }
  | { kind: 'waited' | 'left' };

interface OnceOptions {
  waitSeconds: number | undefined;
  /** Whether a user can answer permission requests at this terminal. */
  canAsk: boolean;
}

/**
 * Sends one text, shows its turn while it runs, and sets the exit status by its outcome. Ctrl-C stops the turn; a
 * second one detaches from it.
 */
export async function sendOnce(talk: Talk, text: string, options: OnceOptions): Promise<void> {
  const { client, live, conversation } = talk;
  const { turn } = await client.send<MessageAccepted>('POST', `${conversationPath(conversation.conv)}/messages`, {
    body: { text },
  });
  const leave = new AbortController();
  const timer =
    options.waitSeconds === undefined ? undefined : setTimeout(() => leave.abort('waited'), options.waitSeconds * 1000);
  const interrupts = new Interrupts(talk, turn, leave);
  leave.signal.addEventListener('abort', () => live.close());
  process.on('SIGINT', interrupts.take);
  try {
    const finish = await follow(talk, { turn, text }, options, leave.signal, interrupts);
    report(talk, turn, finish);
    if (finish.kind === 'ended') await markRead(talk, finish.moment.answer);
    if (interrupts.count > 0 && talk.terminal.exit !== EXIT.ok) talk.terminal.exit = EXIT.interrupted;
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupts.take);
  }
}

/**
 * Handles Ctrl-C: the first stops the turn if it is the running one; otherwise, and at the second, the command
 * detaches.
 */
class Interrupts {
  count = 0;

  constructor(
    private readonly talk: Talk,
    private readonly turn: string,
    private readonly leave: AbortController,
  ) {}

  readonly take = (): void => {
    this.count += 1;
    if (this.count > 1) this.leave.abort('left');
    else void this.stop().catch(() => this.leave.abort('left'));
  };

  private async stop(): Promise<void> {
    const { client, conversation, terminal } = this.talk;
    const path = conversationPath(conversation.conv);
    const { running } = await client.get<Conversation>(path);
    // The running turn may be another one, behind which this one is queued.
    if (running !== this.turn) return this.leave.abort('left');
    terminal.note('Stopping; Ctrl-C again detaches.');
    await client.send<Conversation>('POST', `${path}/cancel`, { body: {} });
  }
}

async function follow(
  { terminal, client, live, conversation }: Talk,
  { turn, text }: { turn: string; text: string },
  { canAsk }: OnceOptions,
  left: AbortSignal,
  interrupts: Interrupts,
): Promise<Finish> {
  const display = new TurnDisplay(terminal);
  display.remember(turn, text);
  const asking = new Map<string, AbortController>();
  let asked = Promise.resolve();
  try {
    for await (const moment of live.moments()) {
      if (moment.kind === 'deleted') return { kind: 'deleted' };
      if (moment.kind === 'question') {
        if (!canAsk) return { kind: 'question', permission: moment.permission };
        const over = new AbortController();
        asking.set(moment.permission.pid, over);
        const { permission } = moment;
        asked = asked.then(() => ask(terminal, client, conversation, permission, over.signal, interrupts));
      }
      if (moment.kind === 'decided') asking.get(moment.permission.pid)?.abort();
      if (!('turn' in moment) || moment.turn !== turn) continue;
      display.show(moment);
      if (moment.kind === 'ended') return { kind: 'ended', moment };
    }
    return { kind: left.reason === 'waited' ? 'waited' : 'left' };
  } finally {
    for (const over of asking.values()) over.abort();
  }
}

/** Prompts the user for a decision until the permission request is answered here or elsewhere. */
async function ask(
  terminal: Terminal,
  client: HttpClient,
  { member }: Conversation,
  permission: Permission,
  over: AbortSignal,
  interrupts: Interrupts,
): Promise<void> {
  if (over.aborted) return;
  await terminal.discardTyped();
  if (over.aborted) return;
  const lines = questionLines(terminal, member, permission, 'y: allow once, a: always in this conversation, n: deny');
  terminal.note(lines.join('\n'));
  const prompt = terminal.openPrompt(true);
  const closed = new AbortController();
  prompt.on('SIGINT', interrupts.take);
  prompt.once('close', () => closed.abort());
  try {
    const signal = AbortSignal.any([over, closed.signal]);
    let decision: Decision | undefined;
    while (decision === undefined)
      decision = DECISION_OF_ANSWER.get((await prompt.question('  [y/a/n] ', { signal })).trim().toLowerCase());
    await client.send<Permission>('POST', permissionPath(permission), { body: { decision } });
  } catch (error) {
    // Answered elsewhere, or the turn has ended: nothing needs to be reported.
    if (over.aborted) return;
    const why = error instanceof CommandError ? error.message : 'Still unanswered';
    terminal.note(`${why}: \`meshd inbox allow|always|deny ${permission.pid}\`.`);
  } finally {
    prompt.close();
  }
}

function report({ terminal, conversation }: Talk, turn: string, finish: Finish): void {
  const { conv, member } = conversation;
  terminal.endLine();
  const none = { conv, turn, outcome: null, code: null, reason: null };
  switch (finish.kind) {
    case 'ended': {
      const { record, answer } = finish.moment;
      terminal.exit = exitOfOutcome(record.outcome ?? 'failed');
      if (terminal.isJson) terminal.object(toTurnObject(record, member, answer));
      return;
    }
    case 'question': {
      const { permission } = finish;
      terminal.exit = EXIT.needsPerson;
      terminal.note(
        questionLines(terminal, member, permission, `meshd inbox allow|always|deny ${permission.pid}`).join('\n'),
      );
      terminal.note(`The turn continues after your answer: \`meshd conversations show ${conv}\`.`);
      if (terminal.isJson) terminal.object({ ...none, member, permission });
      return;
    }
    case 'deleted':
      throw new CommandError(EXIT.notFound, 'The conversation was deleted meanwhile.', 'not_found');
    case 'waited':
    case 'left':
      terminal.exit = finish.kind === 'waited' ? EXIT.deadline : EXIT.interrupted;
      terminal.note(`The turn continues: \`meshd conversations show ${conv}\`, \`meshd talk ${conv}\`.`);
      if (terminal.isJson) terminal.object({ ...none, member });
  }
}

function toTurnObject(record: Turn, member: string | null, answer: Ended['answer']): object {
  const { conv, turn, outcome, code, reason, ...facts } = record;
  const { state: _, ...rest } = facts;
  return {
    conv,
    turn,
    member,
    outcome,
    code,
    reason,
    text: answer?.text ?? '',
    citations: answer?.citations ?? [],
    dropped_citations: answer?.dropped_citations ?? 0,
    calls: answer?.calls ?? [],
    ...rest,
  };
}
