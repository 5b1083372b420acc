import type { Command } from 'commander';
import type { MessageAccepted } from '../../contract/conversations.js';
import type { AskReview, NewReviewComment, Review, ReviewComment, SendReview } from '../../contract/work/reviews.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { conversationPath } from './live-conversation.js';

const reviewPath = (conv: string) => `${conversationPath(conv)}/review`;

function formatPlace({ path, side, start_line, end_line }: ReviewComment): string {
  if (start_line === null) return path;
  const lines = end_line === null || end_line === start_line ? `${start_line}` : `${start_line}-${end_line}`;
  return `${path}:${lines}${side === 'old' ? ' (before the change)' : ''}`;
}

const row = (comment: ReviewComment) => [
  comment.comment,
  comment.state,
  comment.author ?? 'you',
  printable(formatPlace(comment)),
  printable(comment.text),
];

function showReview(terminal: Terminal, { conv, comments, drafts, asked, reviewers }: Review): void {
  terminal.table(comments.map(row), ['COMMENT', 'STATE', 'BY', 'WHERE', 'TEXT']);
  if (comments.length === 0) terminal.note('No comments.');
  if (drafts > 0) terminal.note(`Send the drafts (${drafts}) with \`meshd review send ${conv}\`.`);
  for (const { member, state, reason, conv: where } of asked)
    terminal.note(printable(`${member} was asked in ${where}: ${state}${reason === null ? '' : `. ${reason}`}`));
  if (asked.length === 0 && reviewers.length > 0)
    terminal.note(printable(`Ask for a review with \`meshd review ask ${conv} ${reviewers[0]?.id}\`.`));
}

function addLs(review: Command, terminal: Terminal): void {
  review
    .command('ls')
    .summary('list the comments on the changes of a conversation')
    .description('List the comments on the changes of a conversation, drafts and sent ones, and the members asked.')
    .argument('<conversation>')
    .option('--jsonl', 'one JSON object a line')
    .addHelpText('after', examples('meshd review ls conv-0123456789abcdef'))
    .action(
      action<{ jsonl?: boolean }, [string]>(terminal, async ({ root, json, jsonl }, conv) => {
        const { client } = await getDaemon(root);
        const view = await client.get<Review>(reviewPath(conv));
        if (json) return terminal.object(view);
        if (jsonl) return view.comments.forEach((comment) => void terminal.record(comment));
        showReview(terminal, view);
      }),
    );
}

interface Place {
  lines?: string;
  old?: boolean;
}

/** Reads `--lines 3` or `--lines 3-5`. */
function readLines({ lines, old }: Place): Pick<NewReviewComment, 'side' | 'start_line' | 'end_line'> {
  if (lines === undefined) {
    if (old) throw new CommandError(EXIT.usage, '--old needs --lines.', 'bad_request');
    return {};
  }
  const [, start, end] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(lines) ?? [];
  if (start === undefined)
    throw new CommandError(
      EXIT.usage,
      `--lines ${lines}: give a line or a range, for example 3 or 3-5.`,
      'bad_request',
    );
  return { side: old ? 'old' : 'new', start_line: Number(start), end_line: Number(end ?? start) };
}

function addComment(review: Command, terminal: Terminal): void {
  review
    .command('comment')
    .summary('draft a comment on a file or on lines')
    .description('Draft a comment on a changed file or on lines of it. Drafts are sent together.')
    .argument('<conversation>')
    .argument('<path>', "the file's path from the project folder")
    .argument('<text>', 'what to say')
    .option('--lines <range>', 'a line or a range, for example 3 or 3-5')
    .option('--old', 'lines as they were before the change')
    .addHelpText(
      'after',
      examples('meshd review comment conv-0123456789abcdef src/dusk.ts "Name the unit." --lines 3-5'),
    )
    .action(
      action<Place, [string, string, string]>(terminal, async ({ root, json, ...place }, conv, path, text) => {
        const { client } = await getDaemon(root);
        const body: NewReviewComment = { path, text, ...readLines(place) };
        const comment = await client.send<ReviewComment>('POST', `${reviewPath(conv)}/comments`, { body });
        if (json) terminal.object(comment);
        else terminal.answer(printable(`Drafted ${comment.comment} on ${formatPlace(comment)}.`));
      }),
    );
}

function addRm(review: Command, terminal: Terminal): void {
  review
    .command('rm')
    .summary('delete a draft')
    .description('Delete a draft. A comment that was sent stays.')
    .argument('<conversation>')
    .argument('<comment>', 'its id, as `meshd review ls` lists it')
    .addHelpText('after', examples('meshd review rm conv-0123456789abcdef rev-0123456789abcdef'))
    .action(
      action<object, [string, string]>(terminal, async ({ root, json }, conv, id) => {
        const { client } = await getDaemon(root);
        const path = `${reviewPath(conv)}/comments/${encodeURIComponent(id)}`;
        const comment = await client.send<ReviewComment>('DELETE', path);
        if (json) terminal.object(comment);
        else terminal.answer(printable(`Deleted ${comment.comment} on ${formatPlace(comment)}.`));
      }),
    );
}

function addSend(review: Command, terminal: Terminal): void {
  review
    .command('send')
    .summary('send all drafts as one message')
    .description('Send all drafts to the member as one message, each with its file, lines and the quoted diff.')
    .argument('<conversation>')
    .option('--text <text>', 'what to say before them')
    .addHelpText('after', examples('meshd review send conv-0123456789abcdef'))
    .action(
      action<{ text?: string }, [string]>(terminal, async ({ root, json, text }, conv) => {
        const { client } = await getDaemon(root);
        const body: SendReview = text === undefined ? {} : { text };
        const sent = await client.send<MessageAccepted>('POST', `${reviewPath(conv)}/send`, { body });
        if (json) terminal.object(sent);
        else terminal.answer(`Sent as ${sent.turn}${sent.queued ? ', queued behind the running turn' : ''}.`);
      }),
    );
}

function addAsk(review: Command, terminal: Terminal): void {
  review
    .command('ask')
    .summary('ask a member to review the changes')
    .description('Ask a member to review the changes, in a conversation of its own. Its comments arrive as drafts.')
    .argument('<conversation>')
    .argument('<member>')
    .addHelpText('after', examples('meshd review ask conv-0123456789abcdef commit-pr-reviewer'))
    .action(
      action<object, [string, string]>(terminal, async ({ root, json }, conv, member) => {
        const { client } = await getDaemon(root);
        const body: AskReview = { member };
        const view = await client.send<Review>('POST', `${reviewPath(conv)}/ask`, { body });
        if (json) return terminal.object(view);
        terminal.answer(`Asked ${view.asked[0]?.member} in ${view.asked[0]?.conv}.`);
      }),
    );
}

export function addReview(program: Command, terminal: Terminal): void {
  const review = program
    .command('review')
    .summary('comment on what a conversation changed')
    .description('Comments on the changes of a conversation. Drafts are sent together as one message to its member.');
  addLs(review, terminal);
  addComment(review, terminal);
  addRm(review, terminal);
  addSend(review, terminal);
  addAsk(review, terminal);
}
