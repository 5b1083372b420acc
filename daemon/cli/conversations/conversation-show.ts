import type { Command } from 'commander';
import type { Conversation, ConversationList, Message, MessageList } from '../../contract/conversations.js';
import { action, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { noteDropped, showAnswer } from '../asks/show-answer.js';
import { getDaemon } from '../daemon/project.js';
import { formatRunsOn } from '../models/runs-on.js';
import { PAGE_ROWS, toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { callLine, conversationState, endingLine, questionLines } from './conversation-format.js';
import { conversationPath } from './live-conversation.js';

const DEFAULT_ROWS = 50;
/** How many of the conversations that it asked are shown, the newest first. */
const ASKED_ROWS = 50;

/** Prints one message: its author, its tool calls, its text and its citations. */
function showMessage(terminal: Terminal, message: Message, member: string | null): void {
  const { role, text, calls, dropped_citations, from_outside, asked_by, created_at } = message;
  const speaker =
    role === 'user'
      ? from_outside
        ? 'A program'
        : (asked_by ?? 'You')
      : role === 'assistant'
        ? (member ?? 'Agent')
        : role;
  terminal.answer(terminal.colours.bold(`\n${printable(speaker)}, ${utcTime(created_at)} UTC`));
  for (const call of calls)
    terminal.answer(terminal.colours.dim(`${call.state === 'failed' ? '✗' : '·'} ${callLine(call)}`));
  if (role === 'assistant') showAnswer(terminal, message);
  else terminal.answer(printable(text).trimEnd());
  noteDropped(terminal, dropped_citations);
}

/** A conversation above or below this one: its id, member and title. */
const branch = ({ conv, member, title }: Pick<Conversation, 'conv' | 'member' | 'title'>) =>
  [conv, member, title].filter(Boolean).join(', ');

function showConversation(
  terminal: Terminal,
  conversation: Conversation,
  list: MessageList,
  asked: readonly Conversation[],
): void {
  const {
    conv,
    member,
    title,
    client_resolved,
    model_resolved,
    effort_resolved,
    isolation,
    folder,
    problem,
    archived,
    pinned,
    permissions,
    parent,
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
      ['Runs on', formatRunsOn({ client_resolved, model_resolved, effort_resolved })],
      ['Works in', folder],
      ['Branch', isolation.branch ?? ''],
      ['State', marks],
      ['Problem', problem ?? ''],
      ['Asked by', parent ? branch(parent) : ''],
      ...asked.map((child) => ['Asked', branch(child)]),
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

export function addConversationShow(conversations: Command, terminal: Terminal): void {
  conversations
    .command('show')
    .summary('show a conversation and its newest messages')
    .description('Show a conversation: what it runs on, who asked it and whom it asked, and its newest messages.')
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
        const asked = await client.get<ConversationList>(
          `/conversations?${toQuery({ parent: conversation.conv, limit: ASKED_ROWS })}`,
        );
        if (json) terminal.object({ conversation, ...list, asked: asked.conversations });
        else showConversation(terminal, conversation, list, asked.conversations);
      }),
    );
}
