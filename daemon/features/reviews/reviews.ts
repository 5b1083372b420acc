import type { MessageAccepted } from '../../contract/conversations.js';
import {
  type NewReviewComment,
  REVIEW_DRAFTS_MAX,
  type Review,
  type ReviewComment,
  type ReviewCommentPatch,
  type SendReview,
} from '../../contract/work/reviews.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { newReviewCommentId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { PATCH_OPTIONS, type PatchFile, readPatch } from './patch.js';
import { composeReviewRequest, readReviewAnswer } from './review-answer.js';
import { composeReviewMessage } from './review-message.js';
import type { NewCommentRow, ReviewsStore } from './reviews-store.js';

/** Members that review by their role, in the order in which they are offered. */
const REVIEWERS = ['commit-pr-reviewer', 'ui-reviewer'];

interface ReviewsParts {
  transactions: Transactions;
  store: ReviewsStore;
  team: Pick<Team, 'serving' | 'servingMembers'>;
  conversations: Pick<Conversations, 'get' | 'row' | 'putNew' | 'findForAsk'>;
  messages: Pick<Messages, 'requireRoom' | 'putMessage'>;
  runs: Pick<TurnRuns, 'follow'>;
  /** Finds the trees of what a conversation changed. `problem` is null when no turn has changed a file. */
  compare: (
    conv: string,
  ) => Promise<{ repository: GitRepository; from: string; to: string } | { problem: string | null }>;
  bus: Bus;
  clock: Clock;
  /** Whether a model is connected that can do more than answer questions. */
  canWork: (member: MemberVersion) => boolean;
}

/**
 * Manages comments on the changes of conversations: drafts that are sent together as one message, and reviews that are
 * asked of members, whose comments arrive as drafts. Publishes `conversation.updated`. Contract: Reviews.
 */
export class Reviews {
  constructor(private readonly parts: ReviewsParts) {
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /** Throws `not_found`. */
  view(conv: string): Review {
    const { conversations, store } = this.parts;
    conversations.row(conv);
    const comments = store.list(conv);
    return {
      conv,
      comments,
      drafts: comments.filter(({ state }) => state === 'draft').length,
      reviewers: this.reviewers(conv),
      asked: store.listAsked(conv),
    };
  }

  /** Adds a draft. Throws `not_found`, `bad_request`, and `limit_reached` beyond `REVIEW_DRAFTS_MAX` drafts. */
  add(conv: string, given: NewReviewComment): Promise<ReviewComment> {
    const { transactions, conversations, store, clock } = this.parts;
    const place = readPlace(given);
    return transactions.run((transaction) => {
      conversations.row(conv);
      if (store.listDrafts(conv).length >= REVIEW_DRAFTS_MAX)
        throw new MeshError('limit_reached', `There are ${REVIEW_DRAFTS_MAX} drafts already: send or delete some.`);
      const { quote = '', text } = given;
      const row: NewCommentRow = {
        ...{ comment: newReviewCommentId(), conv, ...place, quote, text, author: null, created_ms: clock.now() },
      };
      store.put(transaction, row);
      this.publishAfterCommit(transaction, conv);
      return this.require(conv, row.comment);
    });
  }

  /** Changes the text of a draft. Throws `not_found`, and `not_waiting` for a comment that was sent. */
  patch(conv: string, comment: string, { text }: ReviewCommentPatch): Promise<ReviewComment> {
    const { transactions, store, clock } = this.parts;
    return transactions.run((transaction) => {
      this.requireDraft(conv, comment);
      store.putText(transaction, comment, text, clock.now());
      this.publishAfterCommit(transaction, conv);
      return this.require(conv, comment);
    });
  }

  /** Deletes a draft and returns it. Throws `not_found`, and `not_waiting` for a comment that was sent. */
  remove(conv: string, comment: string): Promise<ReviewComment> {
    const { transactions, store } = this.parts;
    return transactions.run((transaction) => {
      const draft = this.requireDraft(conv, comment);
      store.drop(transaction, comment);
      this.publishAfterCommit(transaction, conv);
      return draft;
    });
  }

  /**
   * Sends all drafts as one message. Throws `not_found`, `bad_request` without drafts, `too_large`, `member_gone`,
   * `singleton_busy` and `too_many_requests`.
   */
  send(conv: string, { text = '' }: SendReview): Promise<MessageAccepted> {
    const { transactions, conversations, messages, store, clock } = this.parts;
    return transactions.run((transaction) => {
      const row = conversations.row(conv);
      const drafts = store.listDrafts(conv);
      if (drafts.length === 0)
        throw new MeshError('bad_request', 'There is no draft to send: comment on a file or a line first.');
      const waiting = messages.requireRoom(row);
      const message = { text: composeReviewMessage(text.trim(), drafts) };
      const turn = messages.putMessage(transaction, row, message, 'operator');
      store.putSent(transaction, conv, turn, clock.now());
      return { turn, queued: waiting > 0 };
    });
  }

  /**
   * Asks a member to review a conversation's changes, in a conversation of its own. Throws `not_found`,
   * `no_working_client`, `bad_request` when nothing changed or the member is the conversation's own, `singleton_busy`
   * and `too_many_requests`. Nothing is made when it throws.
   */
  async ask(conv: string, member: string): Promise<Review> {
    const { transactions, conversations, messages, store, clock } = this.parts;
    const about = conversations.get(conv);
    this.requireReviewer(about.member, member);
    const { text, patch } = composeReviewRequest(about.title, await this.readChanges(conv));
    await transactions.run((transaction) => {
      const { member: own, agent_type } = conversations.row(conv);
      const title = `Review: ${about.title}`.slice(0, 200);
      const row = conversations.findForAsk(member, undefined) ?? conversations.putNew(transaction, { member, title });
      messages.requireRoom(row);
      const parent = store.findLastTurn(conv);
      const asking = parent === undefined ? undefined : { turn: parent, conv };
      const turn = messages.putMessage(
        ...([transaction, row, { text }, 'operator'] as const),
        asking && { parent: asking, asked_by: own ?? agent_type, waits: false },
      );
      store.putAsk(transaction, { turn, about: conv, member, patch, created_ms: clock.now() });
      this.publishAfterCommit(transaction, conv);
    });
    return this.view(conv);
  }

  /** Returns what a conversation changed, at least one file. Throws `bad_request`. */
  private async readChanges(conv: string): Promise<PatchFile[]> {
    const compared = await this.parts.compare(conv);
    const nothing = 'This conversation has changed no file: there is nothing to review.';
    if ('problem' in compared) throw new MeshError('bad_request', compared.problem ?? nothing);
    const { repository, from, to } = compared;
    const files = readPatch(await repository.output(['diff', ...PATCH_OPTIONS, from, to]));
    if (files.length === 0) throw new MeshError('bad_request', nothing);
    return files;
  }

  private requireReviewer(own: string | null, member: string): void {
    const version = this.parts.team.serving(member);
    if (!version)
      throw new MeshError('not_found', `There is no member \`${member}\`.`, { details: { path: 'member' } });
    if (member === own)
      throw new MeshError('bad_request', `\`${member}\` made these changes: ask another member.`, {
        details: { path: 'member' },
      });
    if (!this.parts.canWork(version))
      throw new MeshError(
        'no_working_client',
        `No model is connected for ${member}, so it cannot review. Connect one with \`meshd clients use\`.`,
        { details: { members: [member] } },
      );
  }

  private reviewers(conv: string): Review['reviewers'] {
    const { team, conversations } = this.parts;
    const own = conversations.row(conv).member;
    const serving = team.servingMembers().filter(({ id }) => id !== own);
    const named = REVIEWERS.flatMap((id) => serving.find((member) => member.id === id) ?? []);
    const others = serving.filter((member) => member.agent_type === 'review' && !named.includes(member));
    return [...named, ...others].map(({ id, name }) => ({ id, name }));
  }

  private require(conv: string, comment: string): ReviewComment {
    const found = this.parts.store.find(conv, comment);
    if (!found) throw new MeshError('not_found', `There is no comment \`${comment}\` in this conversation.`);
    return found;
  }

  private requireDraft(conv: string, comment: string): ReviewComment {
    const found = this.require(conv, comment);
    if (found.state !== 'draft')
      throw new MeshError('not_waiting', 'This comment was sent: the message that holds it stays as it is.');
    return found;
  }

  private publishAfterCommit(transaction: Transaction, conv: string): void {
    transaction.afterCommit(() => this.parts.bus.publish('conversation.updated', { conv }));
  }

  private followTurn(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended') return;
    const { store } = this.parts;
    const ask = store.findAsk(change.turn.turn);
    if (ask?.state !== 'running') return;
    const { ending, answer } = change;
    if (answer) this.take(transaction, ask, answer.text);
    else store.putAskEnded(transaction, ask.turn, 'failed', ending.reason ?? `It ended as ${ending.outcome}.`);
    this.publishAfterCommit(transaction, ask.about);
  }

  /** Stores the comments of a reviewing member's answer as drafts. */
  private take(
    transaction: Transaction,
    { turn, about, member, patch }: { turn: string; about: string; member: string; patch: string },
    text: string,
  ): void {
    const { store, clock } = this.parts;
    const answer = readReviewAnswer(text, patch);
    if (!answer) {
      const reason = 'It answered without a list of comments in the form that was asked for: read its answer.';
      store.putAskEnded(transaction, turn, 'failed', reason);
      return;
    }
    const room = REVIEW_DRAFTS_MAX - store.listDrafts(about).length;
    for (const comment of answer.comments.slice(0, room))
      store.put(transaction, {
        ...comment,
        ...{ comment: newReviewCommentId(), conv: about, author: member, created_ms: clock.now() },
      });
    store.putAskEnded(transaction, turn, 'done', describeLosses(answer, room));
  }
}

function describeLosses({ comments, dropped }: { comments: readonly unknown[]; dropped: number }, room: number) {
  const losses: string[] = [];
  if (dropped > 0) losses.push(`${dropped} of its comments named no file of the changes and were left out.`);
  if (comments.length > room) losses.push(`${comments.length - room} found no room beside the other drafts.`);
  if (comments.length + dropped === 0) losses.push('It had nothing to remark.');
  return losses.length > 0 ? losses.join(' ') : null;
}

/** The place that a comment names. Throws `bad_request`. */
function readPlace({
  path,
  side,
  start_line,
  end_line,
}: NewReviewComment): Pick<NewCommentRow, 'path' | 'side' | 'start_line' | 'end_line'> {
  const wrong = (field: string, message: string) => new MeshError('bad_request', message, { details: { path: field } });
  if (path.startsWith('/') || path.includes('\0') || path.split('/').some((part) => part === '..' || part === ''))
    throw wrong('path', `"path" ${JSON.stringify(path.slice(0, 80))} must be a file's path from the project's folder.`);
  if (start_line === undefined) {
    if (end_line !== undefined || side !== undefined)
      throw wrong('start_line', '"start_line" is required with "end_line" or "side".');
    return { path, side: null, start_line: null, end_line: null };
  }
  if (end_line !== undefined && end_line < start_line)
    throw wrong('end_line', `"end_line" is ${end_line}, which is before "start_line" ${start_line}.`);
  return { path, side: side ?? 'new', start_line, end_line: end_line ?? start_line };
}
