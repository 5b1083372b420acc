import { type Command, Option } from 'commander';
import type {
  Conversation,
  ConversationDeleted,
  ConversationList,
  ConversationPatch,
  DroppedTurns,
  MessageAccepted,
  Turn,
} from '../../contract/conversations.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readPages, toQuery } from '../pages.js';
import { readAll } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { isConfirmed } from '../yes-or-no.js';
import { conversationState, FORMATS } from './conversation-format.js';
import { addConversationShow } from './conversation-show.js';
import { conversationPath } from './live-conversation.js';

const DEFAULT_ROWS = 50;

interface ListOptions {
  member?: string;
  archived?: boolean;
  askedBy?: string;
  search?: string;
  limit: number;
  jsonl?: boolean;
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

async function listConversations(terminal: Terminal, options: ListOptions & Common): Promise<void> {
  const { root, json, jsonl, limit, member, archived, askedBy, search } = options;
  const { client } = await getDaemon(root);
  const { rows, next_cursor } = await readPages(limit, async (size, cursor) => {
    const query = toQuery({
      ...{ limit: size, member, q: search, cursor, parent: askedBy },
      archived: archived ? 'true' : undefined,
    });
    const page = await client.get<ConversationList>(`/conversations?${query}`);
    return { rows: page.conversations, next_cursor: page.next_cursor };
  });
  if (json) return terminal.object({ conversations: rows, count: rows.length, next_cursor });
  if (jsonl) return rows.forEach((conversation) => void terminal.record(conversation));
  if (rows.length === 0) return terminal.note('No conversations.');
  const isTree = rows.some(({ parent }) => parent !== null);
  const cells = (row: Conversation) => [
    ...[row.conv, utcTime(row.updated_at), row.member ?? '', conversationState(row)],
    ...(isTree ? [[row.parent?.conv, row.parent?.member].filter(Boolean).join(', ')] : []),
    row.title,
  ];
  terminal.table(rows.map(cells), [
    ...['CONVERSATION', 'CHANGED (UTC)', 'MEMBER', 'STATE'],
    ...(isTree ? ['ASKED BY'] : []),
    'TITLE',
  ]);
  if (next_cursor !== null) terminal.note(`There are more: --limit ${limit * 2}.`);
}

function addConversationLs(conversations: Command, terminal: Terminal): void {
  conversations
    .command('ls')
    .summary('list conversations')
    .description('List conversations, pinned ones first, then newest.')
    .option('--member <id>', 'only with this member')
    .option('--asked-by <conversation>', 'only those that turns of this conversation asked, archived ones too')
    .option('--archived', 'those that are archived instead')
    .option('--search <words>', 'only with these words in title or messages')
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd conversations ls', 'meshd conv ls --member developer --search "empty file"'))
    .action(action<ListOptions, []>(terminal, (options) => listConversations(terminal, options)));
}

function addConversationExport(conversations: Command, terminal: Terminal): void {
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
}

function addConversationSay(conversations: Command, terminal: Terminal): void {
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
}

function addConversationDrop(conversations: Command, terminal: Terminal): void {
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
}

function addConversationRm(conversations: Command, terminal: Terminal): void {
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
        if (json) return terminal.object(gone);
        terminal.answer(`Removed ${gone.deleted}.`);
        if (gone.left !== undefined)
          terminal.note(
            printable(`${gone.left} stays, because there are repositories in it that nothing keeps: save what you `) +
              `need, then \`meshd worktrees rm ${gone.deleted} --discard\`.`,
          );
      }),
    );
}

export function addConversations(program: Command, terminal: Terminal): void {
  const conversations = program
    .command('conversations')
    .alias('conv')
    .summary('conversations with members')
    .description('Conversations with members, and their running turns.');

  addConversationLs(conversations, terminal);
  addConversationShow(conversations, terminal);
  addConversationExport(conversations, terminal);
  addConversationSay(conversations, terminal);
  addConversationDrop(conversations, terminal);
  addChanges(conversations, terminal);
  addConversationRm(conversations, terminal);
}
