import { type Command, Option } from 'commander';
import type {
  Conversation,
  ConversationDeleted,
  ConversationList,
  ConversationPatch,
  DroppedTurns,
  Message,
  MessageAccepted,
  MessageList,
  Turn,
} from '../contract/conversations.js';
import { action, type Common, examples } from './action.js';
import { noteDropped, showCitations } from './ask.js';
import { callLine, conversationState, endingLine, FORMATS, moment, questionLines } from './conversation-format.js';
import { CommandError, EXIT } from './exit-codes.js';
import { conversationPath } from './live-conversation.js';
import { getDaemon } from './project.js';
import { parseCount } from './requests.js';
import { readAll } from './standard-input.js';
import { printable, type Terminal } from './terminal.js';
import { askYesOrNo } from './yes-or-no.js';

const DEFAULT_ROWS = 50;
/** The maximum number of rows in one page of the daemon. */
const PAGE_ROWS = 200;

interface ListOptions {
  member?: string;
  archived?: boolean;
  search?: string;
  limit: number;
  jsonl?: boolean;
}

/** Prints one message: its author, its tool calls, its text and its citations. */
function showMessage(terminal: Terminal, message: Message, member: string | null): void {
  const { role, text, calls, citations, dropped_citations, from_outside, created_at } = message;
  const speaker =
    role === 'user' ? (from_outside ? 'A program' : 'You') : role === 'assistant' ? (member ?? 'Agent') : role;
  terminal.answer(terminal.colours.bold(`\n${printable(speaker)}, ${moment(created_at)} UTC`));
  for (const call of calls)
    terminal.answer(terminal.colours.dim(`${call.state === 'failed' ? '✗' : '·'} ${callLine(call)}`));
  terminal.answer(printable(text).trimEnd());
  showCitations(terminal, citations);
  noteDropped(terminal, dropped_citations);
}

function showConversation(terminal: Terminal, conversation: Conversation, list: MessageList): void {
  const {
    conv,
    member,
    title,
    client_resolved,
    model_resolved,
    effort_resolved,
    problem,
    archived,
    pinned,
    permissions,
  } = conversation;
  const { messages, turns, live, has_more } = list;
  const marks = [pinned ? 'pinned' : '', archived ? 'archived' : '', conversationState(conversation)]
    .filter(Boolean)
    .join(', ');
  terminal.table(
    [
      ['Conversation', conv],
      ['Title', title],
      ['Member', member ?? 'none'],
      ['Runs on', [client_resolved, model_resolved, effort_resolved].filter(Boolean).join(', ')],
      ['State', marks],
      ['Problem', problem ?? ''],
    ].filter(([, value]) => value !== ''),
  );
  if (has_more) terminal.note(`There are older messages: \`meshd conversations export ${conv}\`.`);
  for (const [index, message] of messages.entries()) {
    showMessage(terminal, message, member);
    const isLastOfTurn = messages[index + 1]?.turn !== message.turn;
    const turn = isLastOfTurn ? turns.find((one) => one.turn === message.turn) : undefined;
    const ending = turn ? endingLine(turn) : '';
    if (ending !== '') terminal.answer(terminal.colours.red(ending));
  }
  if (live) {
    terminal.answer(terminal.colours.bold(`\n${member ?? 'Agent'}, now`));
    for (const call of live.calls) terminal.answer(terminal.colours.dim(`· ${callLine(call)}`));
    terminal.answer(`${printable(live.text)}…`);
  }
  for (const permission of permissions) {
    terminal.note(
      questionLines(terminal, member, permission, `meshd inbox allow|always|deny ${permission.pid}`).join('\n'),
    );
  }
}

/** Whether the user confirms. Throws `bad_request` when stdin is not a terminal: `--yes` is required there. */
export async function isConfirmed(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.hasPerson) {
    throw new CommandError(
      EXIT.usage,
      `${question} This cannot be undone. Without a terminal, add --yes to confirm.`,
      'bad_request',
    );
  }
  return (await askYesOrNo(terminal, question)) === true;
}

const CHANGES: readonly {
  name: string;
  summary: string;
  description: string;
  body: ConversationPatch;
  done: string;
}[] = [
  {
    name: 'pin',
    summary: 'keep a conversation at the top',
    description: 'Keep a conversation at the top of the list.',
    body: { pinned: true },
    done: 'Pinned',
  },
  {
    name: 'unpin',
    summary: 'unpin a conversation',
    description: 'Unpin a conversation.',
    body: { pinned: false },
    done: 'Unpinned',
  },
  {
    name: 'archive',
    summary: 'archive a conversation',
    description: 'Archive a conversation. A singleton can then start another one.',
    body: { archived: true },
    done: 'Archived',
  },
  {
    name: 'unarchive',
    summary: 'unarchive a conversation',
    description: 'Unarchive a conversation.',
    body: { archived: false },
    done: 'Unarchived',
  },
];

/** Changes a conversation and prints the result. */
async function change(terminal: Terminal, { root, json }: Common, id: string, body: ConversationPatch, done: string) {
  const { client } = await getDaemon(root);
  const changed = await client.send<Conversation>('PATCH', conversationPath(id), { body });
  if (json) terminal.object(changed);
  else terminal.answer(printable(`${done} ${changed.conv}, "${changed.title}".`));
}

function addChanges(conversations: Command, terminal: Terminal): void {
  conversations
    .command('rename')
    .summary('rename a conversation')
    .description('Rename a conversation. The default title is its first message.')
    .argument('<conversation>')
    .argument('<title>', 'what it is called from now on')
    .addHelpText('after', examples('meshd conversations rename conv-0123456789abcdef "The sixth lamp"'))
    .action(
      action<object, [string, string]>(terminal, (options, id, title) =>
        change(terminal, options, id, { title: title.trim() }, 'Renamed'),
      ),
    );
  for (const { name, summary, description, body, done } of CHANGES) {
    conversations
      .command(name)
      .summary(summary)
      .description(description)
      .argument('<conversation>')
      .addHelpText('after', examples(`meshd conversations ${name} conv-0123456789abcdef`))
      .action(action<object, [string]>(terminal, (options, id) => change(terminal, options, id, body, done)));
  }
}

export function addConversations(program: Command, terminal: Terminal): void {
  const conversations = program
    .command('conversations')
    .alias('conv')
    .summary('conversations with members')
    .description('Conversations with members, and their running turns.');

  conversations
    .command('ls')
    .summary('list conversations')
    .description('List conversations, pinned ones first, then newest.')
    .option('--member <id>', 'only with this member')
    .option('--archived', 'those that are archived instead')
    .option('--search <words>', 'only with these words in title or messages')
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd conversations ls', 'meshd conv ls --member developer --search "empty file"'))
    .action(
      action<ListOptions, []>(terminal, async ({ root, json, jsonl, limit, member, archived, search }) => {
        const { client } = await getDaemon(root);
        const rows: Conversation[] = [];
        let cursor: string | null = null;
        do {
          const query = new URLSearchParams({ limit: String(Math.min(PAGE_ROWS, limit - rows.length)) });
          for (const [key, value] of Object.entries({
            member,
            q: search,
            cursor,
            archived: archived ? 'true' : undefined,
          }))
            if (value) query.set(key, value);
          const page: ConversationList = await client.get<ConversationList>(`/conversations?${query}`);
          rows.push(...page.conversations);
          cursor = page.next_cursor;
        } while (cursor !== null && rows.length < limit);
        if (json) return terminal.object({ conversations: rows, count: rows.length, next_cursor: cursor });
        if (jsonl) return rows.forEach((conversation) => void terminal.record(conversation));
        if (rows.length === 0) return terminal.note('No conversations.');
        terminal.table(
          rows.map((row) => [row.conv, moment(row.updated_at), row.member ?? '', conversationState(row), row.title]),
          ['CONVERSATION', 'CHANGED (UTC)', 'MEMBER', 'STATE', 'TITLE'],
        );
        if (cursor !== null) terminal.note(`There are more: --limit ${limit * 2}.`);
      }),
    );

  conversations
    .command('show')
    .summary('show a conversation and its newest messages')
    .description('Show a conversation: what it runs on and its newest messages.')
    .argument('<conversation>')
    .option('--limit <count>', `at most this many messages, up to ${PAGE_ROWS}`, parseCount, DEFAULT_ROWS)
    .addHelpText(
      'after',
      examples('meshd conversations show conv-0123456789abcdef', 'meshd conv show conv-0123456789abcdef --limit 4'),
    )
    .action(
      action<{ limit: number }, [string]>(terminal, async ({ root, json, limit }, id) => {
        const { client } = await getDaemon(root);
        const path = conversationPath(id);
        const conversation = await client.get<Conversation>(path);
        const list = await client.get<MessageList>(`${path}/messages?limit=${Math.min(PAGE_ROWS, limit)}`);
        if (json) terminal.object({ conversation, ...list });
        else showConversation(terminal, conversation, list);
      }),
    );

  conversations
    .command('export')
    .summary('print a whole conversation')
    .description('Print a whole conversation as a document.')
    .argument('<conversation>')
    .addOption(
      new Option('--format <format>', 'Markdown, one JSON object a line, or a page').choices(FORMATS).default('md'),
    )
    .addHelpText(
      'after',
      examples(
        'meshd conversations export conv-0123456789abcdef > talk.md',
        'meshd conv export conv-0123456789abcdef --format jsonl',
      ),
    )
    .action(
      action<{ format: (typeof FORMATS)[number] }, [string]>(terminal, async ({ root, json, format }, id) => {
        const { client } = await getDaemon(root);
        const document = await client.getDocument(`${conversationPath(id)}/export?format=${format}`);
        if (json) return terminal.object({ conv: id, format, document });
        terminal.document(document);
      }),
    );

  conversations
    .command('say')
    .summary('send a message and return at once')
    .description('Send a message to a conversation and return at once. It is queued; `meshd talk` follows the answer.')
    .argument('<conversation>')
    .argument('<text>', 'the text; - reads stdin')
    .addHelpText('after', examples('meshd conversations say conv-0123456789abcdef "Then run the tests"'))
    .action(
      action<object, [string, string]>(terminal, async ({ root, json }, id, given) => {
        const { client } = await getDaemon(root);
        const text = given === '-' ? (await readAll(terminal.stdin)).trim() : given;
        if (text === '')
          throw new CommandError(EXIT.usage, 'The text is empty: give one, or - to read stdin.', 'bad_request');
        const accepted = await client.send<MessageAccepted>('POST', `${conversationPath(id)}/messages`, {
          body: { text },
        });
        if (json) terminal.object({ conv: id, ...accepted });
        else terminal.answer(`${accepted.turn} ${accepted.queued ? 'queued behind the running turn' : 'has begun'}.`);
      }),
    );

  conversations
    .command('drop')
    .summary('remove queued messages of a conversation')
    .description('Remove queued messages of a conversation, all or one. The running turn continues.')
    .argument('<conversation>')
    .argument('[message]', 'the id of the message or of its turn (default: all queued)')
    .addHelpText(
      'after',
      examples(
        'meshd conversations drop conv-0123456789abcdef',
        'meshd conv drop conv-0123456789abcdef turn-0123456789abcdef',
      ),
    )
    .action(
      action<object, [string, string | undefined]>(terminal, async ({ root, json }, id, message) => {
        const { client } = await getDaemon(root);
        if (message === undefined) {
          const dropped = await client.send<DroppedTurns>('DELETE', `${conversationPath(id)}/queue`);
          if (json) terminal.object(dropped);
          else terminal.answer(`Dropped ${dropped.count} message${dropped.count === 1 ? '' : 's'} from the queue.`);
          return;
        }
        const dropped = await client.send<Turn>(
          'DELETE',
          `${conversationPath(id)}/messages/${encodeURIComponent(message)}`,
        );
        if (json) terminal.object(dropped);
        else terminal.answer(`Dropped ${dropped.turn}.`);
      }),
    );

  addChanges(conversations, terminal);

  conversations
    .command('rm')
    .summary('delete a conversation with its messages')
    .description('Stop a conversation and delete its messages. Asks first.')
    .argument('<conversation>')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      examples('meshd conversations rm conv-0123456789abcdef', 'meshd conv rm conv-0123456789abcdef --yes'),
    )
    .action(
      action<{ yes?: boolean }, [string]>(terminal, async ({ root, json, yes }, id) => {
        const { client } = await getDaemon(root);
        const { title, messages } = await client.get<Conversation>(conversationPath(id));
        const question = `Remove "${printable(title)}" with its ${messages} message${messages === 1 ? '' : 's'}?`;
        if (!yes && !(await isConfirmed(terminal, question))) {
          throw new CommandError(EXIT.failed, 'Nothing was removed.', 'cancelled');
        }
        const gone = await client.send<ConversationDeleted>('DELETE', conversationPath(id));
        if (json) terminal.object(gone);
        else terminal.answer(`Removed ${gone.deleted}.`);
      }),
    );
}
