import { type Command, Option } from 'commander';
import { action, type Common, examples } from '../action.js';
import { parseSeconds } from '../asks/ask.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { formatRunsOn } from '../models/runs-on.js';
import { readAll } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { CLIENTS, EFFORT_NAMES, ISOLATION_NAMES } from './conversation-format.js';
import { LiveConversation } from './live-conversation.js';
import { dropIfEmpty, type Opened, type Overrides, openConversation } from './talk-conversation.js';
import { TalkLines } from './talk-lines.js';
import { sendOnce } from './talk-once.js';

interface TalkOptions {
  conv?: string;
  client?: Overrides['client'];
  model?: string;
  effort?: Overrides['effort'];
  isolation?: Overrides['isolation'];
  wait?: number;
}

/**
 * Returns the text to send: the argument, all of stdin for `-` or when stdin is not a terminal, or undefined for an
 * interactive conversation.
 */
async function readMessage(
  terminal: Terminal,
  text: string | undefined,
): Promise<{ text: string | undefined; isPiped: boolean }> {
  if (text === undefined && terminal.hasPerson) return { text: undefined, isPiped: false };
  const isPiped = text === undefined || text === '-';
  const said = isPiped ? (await readAll(terminal.stdin)).trim() : text;
  if (said === '')
    throw new CommandError(EXIT.usage, 'The text is empty: give one, or - to read stdin.', 'bad_request');
  return { text: said, isPiped };
}

/** Notes with whom and in which conversation the user talks, and the conversation's problem. */
function noteConversation(terminal: Terminal, { conversation, isNew }: Opened): void {
  const { client_resolved, model_resolved } = conversation;
  const runs = formatRunsOn({ client_resolved, model_resolved });
  const where = isNew ? conversation.conv : `${conversation.conv}, "${conversation.title}"`;
  terminal.note(terminal.colours.dim(printable(`${conversation.member ?? 'Agent'} (${runs}) in ${where}`)));
  if (conversation.problem !== null) terminal.note(terminal.colours.yellow(printable(conversation.problem)));
}

async function talkWithMember(
  terminal: Terminal,
  { root, conv, wait, client: runOn, model, effort, isolation }: TalkOptions & Common,
  member: string,
  given: string | undefined,
): Promise<void> {
  const { client } = await getDaemon(root);
  const { text, isPiped } = await readMessage(terminal, given);
  if (text === undefined && terminal.isJson) {
    throw new CommandError(
      EXIT.usage,
      '--json needs a text: one object is answered at the end of one turn.',
      'bad_request',
    );
  }
  const overrides: Overrides = {
    ...(runOn === undefined ? {} : { client: runOn }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(isolation === undefined ? {} : { isolation }),
  };
  const opened = await openConversation(client, member, conv, overrides);
  const { conversation } = opened;
  noteConversation(terminal, opened);
  let live: LiveConversation | undefined;
  try {
    live = await LiveConversation.open(root, client, conversation.conv);
    const talk = { terminal, client, live, conversation };
    if (text === undefined) await new TalkLines(talk).run();
    else await sendOnce(talk, text, { waitSeconds: wait, canAsk: terminal.hasPerson && !isPiped });
  } finally {
    live?.close();
    await dropIfEmpty(client, opened).catch(() => undefined);
  }
}

export function addTalk(program: Command, terminal: Terminal): void {
  program
    .command('talk')
    .summary('talk with a member: one message, or line by line')
    .description(
      'Talk with a member. With a text: send it, print the answer on stdout and tool calls on stderr, and ' +
        'exit. Without one, at a terminal: talk line by line (/help).\nA singleton continues its one live ' +
        'conversation; any other member starts a new one unless --conv names one.',
    )
    .argument('<member>', 'a member, or the id of a conversation to continue')
    .argument('[text]', 'the text; - reads stdin')
    .option('--conv <conversation>', 'continue this conversation')
    .addOption(new Option('--client <client>', 'run this conversation on this client').choices(CLIENTS))
    .option('--model <model>', 'run this conversation on this model')
    .addOption(
      new Option('--effort <effort>', 'how hard the model should think in this conversation').choices(EFFORT_NAMES),
    )
    .addOption(
      new Option(
        '--isolation <where>',
        'where it works, until its first turn: the project folder, or a git worktree of its own',
      ).choices(ISOLATION_NAMES),
    )
    .option(
      '--wait <seconds>',
      'stop waiting after this long; the turn continues (default: the member’s own limit)',
      parseSeconds,
    )
    .addHelpText(
      'after',
      examples(
        'meshd talk developer',
        'meshd talk developer "Add a test for the empty file" --effort high',
        'git diff | meshd talk commit-pr-reviewer -',
        'meshd talk conv-0123456789abcdef "And now the other one"',
        'meshd talk consultant "Where is the port chosen?" --json | jq -r \'.text\'',
      ),
    )
    .action(
      action<TalkOptions, [string, string | undefined]>(terminal, (options, member, text) =>
        talkWithMember(terminal, options, member, text),
      ),
    );
}
