import type { Citation, ContextDoc } from '../../../contract/asks.js';
import type { Decision, ToolCall, Usage } from '../../../contract/conversations.js';
import type { Bus } from '../../../events/bus.js';
import { waitForTick } from '../../../lib/async/loop-ticks.js';
import { getErrorMessage, MeshError } from '../../../lib/errors.js';
import { SecretStream } from '../../../lib/secrets/secret-stream.js';
import { scrubSecrets } from '../../../lib/secrets/secrets.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Transactions } from '../../../storage/database/transaction.js';
import type { Client, PermissionQuestion, Turn, TurnEvent } from '../../clients/client.js';
import type { ConversationRow, ConversationsStore } from '../conversations-store.js';
import type { TurnEndings } from '../end-turn.js';
import { canBeJudged } from '../permission-rules/rule-match.js';
import type { Permissions } from '../permissions.js';
import { TurnCancelledError } from '../turn-cancelled.js';
import type { Runnable, RunningTurn, TurnFollowers, TurnGate, TurnPlace, TurnPlaces } from '../turn-change.js';
import type { TurnRow, TurnsStore } from '../turns-store.js';
import { callWithoutSecrets } from '../without-secrets.js';
import { AgentSessions } from './agent-sessions.js';
import { RunLimit } from './run-limit.js';
import { readHistory } from './turn-history.js';

/** Prepares a turn before its agent starts. Must not reject. */
export type TurnPreparation = (turn: TurnRow, runnable: Runnable | undefined) => Promise<void>;

export interface TurnRunParts {
  transactions: Transactions;
  conversations: ConversationsStore;
  turns: TurnsStore;
  permissions: Permissions;
  bus: Bus;
  clock: Clock;
  /** Returns the documents that came with a turn's question. */
  listDocuments: (turn: TurnRow) => ContextDoc[];
  /** Prepares the folders in which turns of the operator work. */
  places: Pick<TurnPlaces, 'enter'>;
  /** Opens the daemon's own tools for the agent of an operator's turn. */
  openTools: (turn: string) => { url: string; token: string; end: () => void };
  /** Resolves what a conversation currently runs. Undefined when its member was removed. */
  resolve: (conversation: ConversationRow) => Runnable | undefined;
  /** Checks again which clients are ready. */
  refreshClients: () => Promise<void>;
  /** Checks the citations of the client and those in the text. `dropped` counts places that could not be confirmed. */
  cite: (
    text: string,
    citations: readonly Citation[],
    profile: TurnRow['profile'],
  ) => Promise<{ citations: Citation[]; dropped: number }>;
}

/** What all runs of turns share. */
interface TurnRunShared {
  endings: Pick<TurnEndings, 'endTurn' | 'toEnding'>;
  followers: Pick<TurnFollowers, 'notify'>;
  preparations: readonly TurnPreparation[];
  gate: Pick<TurnGate, 'reported'>;
}

/** The output of a running turn so far. */
export interface LiveTurn {
  turn: string;
  text: string;
  /** How many pieces of text were published. */
  index: number;
  progress: { stage: string; done: number; total: number } | undefined;
  calls: ToolCall[];
}

/** What the agent of a turn is started with. */
interface Start {
  runnable: Runnable | undefined;
  limit: RunLimit;
  tools: { url: string; token: string } | undefined;
}

/**
 * One turn that runs, from its start to its one recorded ending. Publishes `turn.delta`, `turn.tool` and
 * `conversation.updated`.
 */
export class TurnRun {
  readonly controller = new AbortController();
  /** Settles once the ending is recorded; rejects when it could not be. */
  ended: Promise<void> = Promise.resolve();
  limit: RunLimit | undefined;
  private text = '';
  /** Redacts secrets in the text for other programs. */
  private readonly stream: SecretStream | undefined;
  /** How many pieces of text were published. */
  private index = 0;
  private readonly calls = new Map<string, ToolCall>();
  private progress: LiveTurn['progress'];
  /** Where it works, while its agent runs. */
  private place: TurnPlace | undefined;
  private usage: Usage | null = null;
  /** The client has answered: only the exit of its program and the check of its citations are left. */
  private isAnswered = false;

  constructor(
    private readonly parts: TurnRunParts,
    private readonly shared: TurnRunShared,
    readonly turn: TurnRow,
    private readonly conversation: ConversationRow,
  ) {
    this.stream = turn.profile === 'outside' ? new SecretStream() : undefined;
  }

  /** Returns `ended`. */
  start(resolved: Runnable | undefined): Promise<void> {
    this.ended = this.run(resolved);
    return this.ended;
  }

  /** Ends it early, unless its client has answered already. */
  interrupt(reason: TurnCancelledError): void {
    if (!this.isAnswered) this.controller.abort(reason);
  }

  /** Returns its output so far. */
  live(): LiveTurn {
    const { text, index, progress } = this;
    return { turn: this.turn.turn, text, index, progress, calls: [...this.calls.values()] };
  }

  describe(): RunningTurn {
    const { turn, usage, limit } = this;
    return { turn, usage, ranMs: limit?.ranMs ?? 0, isPaused: limit?.isPaused ?? false };
  }

  private async run(resolved: Runnable | undefined): Promise<void> {
    const { turn, controller } = this;
    const { clock } = this.parts;
    const runnable = await this.findWorking(resolved);
    if (!(await this.begin(runnable))) return;
    const minutes = runnable?.member.limits.minutes ?? 1;
    const limit = new RunLimit(clock, minutes * 60_000, () =>
      controller.abort(new TurnCancelledError('deadline', 'deadline', `No answer within the limit of ${minutes} min.`)),
    );
    this.limit = limit;
    const tools = turn.profile === 'operator' ? this.parts.openTools(turn.turn) : undefined;
    try {
      await this.endAnswered(await this.converse({ runnable, limit, tools }), runnable);
    } catch (error) {
      await this.endUnanswered(controller.signal.aborted ? controller.signal.reason : error, runnable);
    } finally {
      limit.end();
      tools?.end();
    }
  }

  /** Checks the clients again before a turn is refused: a model may have been connected since, or during the start. */
  private async findWorking(runnable: Runnable | undefined): Promise<Runnable | undefined> {
    if (runnable?.code !== 'no_working_client') return runnable;
    await this.parts.refreshClients();
    return this.parts.resolve(this.conversation);
  }

  /** Returns false for a turn that has ended meanwhile. */
  private begin(runnable: Runnable | undefined): Promise<boolean> {
    const { turn } = this;
    const { transactions, turns, clock, bus } = this.parts;
    const facts = {
      client: runnable?.client_resolved ?? '',
      model: runnable?.model_resolved ?? '',
      effort: runnable?.effort_resolved ?? '',
      started_ms: clock.now(),
    };
    return transactions.run((transaction) => {
      if (!turns.putStarted(transaction, turn.turn, facts)) return false;
      const { client, model } = facts;
      this.shared.followers.notify({ kind: 'started', turn, client, model }, transaction);
      transaction.afterCommit(() => bus.publish('conversation.updated', { conv: turn.conv }));
      return true;
    });
  }

  private async endAnswered(
    { citations, search: reported, trace }: Extract<TurnEvent, { type: 'end' }>,
    runnable: Runnable | undefined,
  ): Promise<void> {
    const { turn, controller } = this;
    this.say(this.stream?.end({ isCut: false }) ?? '');
    const said = withoutFolder(this.text, this.place);
    await this.leave();
    const checked = await this.parts.cite(said, citations, turn.profile);
    controller.signal.throwIfAborted();
    const search = reported ? { ...reported, total: reported.total - checked.dropped } : null;
    await this.shared.endings.endTurn(
      turn,
      { outcome: 'answered', code: null, reason: null, usage: this.usage, finished_ms: this.parts.clock.now() },
      { text: this.text, ...checked, search, trace: trace ?? null, calls: [...this.calls.values()] },
      runnable,
    );
  }

  /** What it had said and done so far is kept. */
  private async endUnanswered(reason: unknown, runnable: Runnable | undefined): Promise<void> {
    const { endings } = this.shared;
    this.say(this.stream?.end({ isCut: true }) ?? '');
    await this.leave();
    const [text, calls] = [scrubSecrets(this.text), [...this.calls.values()]];
    const hasOutput = this.text !== '' || calls.length > 0;
    const partial = hasOutput ? { text, citations: [], dropped: 0, search: null, trace: null, calls } : null;
    await endings.endTurn(this.turn, { ...endings.toEnding(reason), usage: this.usage }, partial, runnable);
  }

  private async converse({ runnable, limit, tools }: Start): Promise<Extract<TurnEvent, { type: 'end' }>> {
    const { controller, conversation, turn } = this;
    // Reading the documents and sending them to the client takes milliseconds, and several turns may start at once.
    await waitForTick();
    controller.signal.throwIfAborted();
    const { client, member } = requireClient(runnable);
    this.place = await this.enter(client, runnable);
    const sessions = new AgentSessions(conversation.sessions, client.name, turn.profile);
    const input = this.createInput(member, sessions, tools);
    for await (const event of client.run(input, controller.signal, (question) => this.decide(question, limit))) {
      controller.signal.throwIfAborted();
      if (event.type === 'end') {
        // Before the client is left, which waits until its program has exited.
        this.isAnswered = true;
        return event;
      }
      await this.take(event, sessions);
    }
    throw new MeshError('internal', `The client ${client.name} ended without an answer.`);
  }

  private async take(event: Exclude<TurnEvent, { type: 'end' }>, sessions: AgentSessions): Promise<void> {
    const { turn } = this;
    const { transactions, bus, conversations } = this.parts;
    switch (event.type) {
      case 'text':
        this.say(this.stream ? this.stream.push(event.text) : event.text);
        break;
      case 'progress':
        this.progress = { stage: event.stage, done: event.done, total: event.total };
        break;
      case 'tool': {
        const call = callWithoutSecrets(withoutFolderIn(event.call, this.place));
        this.calls.set(call.id, call);
        bus.publish('turn.tool', { conv: turn.conv, turn: turn.turn, call });
        break;
      }
      case 'session':
        sessions.keep(event);
        await transactions.run((transaction) =>
          conversations.putChange(transaction, turn.conv, { sessions: sessions.toStored() }),
        );
        break;
      case 'usage':
        this.usage = { ...this.usage, ...event.usage };
        this.shared.gate.reported(turn, this.usage);
        break;
    }
  }

  private createInput(member: Turn['member'], sessions: AgentSessions, tools: Start['tools']): Turn {
    const { turn, place } = this;
    return {
      conv: turn.conv,
      turn: turn.turn,
      member,
      text: turn.text,
      context_docs: this.parts.listDocuments(turn),
      profile: turn.profile,
      session: sessions.session,
      session_cost_usd: sessions.cost,
      history: readHistory(this.parts, turn),
      ...(place ? { folder: place.folder, environment: place.environment } : {}),
      ...(tools ? { tool_server: { url: tools.url, token: tools.token } } : {}),
    };
  }

  /** Prepares where the agent works. The built-in search reads the index of the project, wherever that is. */
  private async enter(client: Client, runnable: Runnable | undefined): Promise<TurnPlace | undefined> {
    const { turn, controller, limit, conversation } = this;
    if (turn.profile === 'outside' || client.name === 'builtin' || !runnable) return undefined;
    limit?.pause();
    try {
      const { isolation, member } = runnable;
      // A turn before this one may have fixed the place.
      const row = this.parts.conversations.find(turn.conv) ?? conversation;
      const wishes = { tools: member.tools, isolation };
      const place = await this.parts.places.enter(row, wishes, turn.turn, controller.signal);
      for (const prepare of this.shared.preparations) await prepare(turn, runnable);
      return place;
    } catch (error) {
      throw new TurnCancelledError('failed', 'worktree_failed', getErrorMessage(error));
    } finally {
      limit?.resume();
    }
  }

  /** Called once no program of the turn runs. */
  private async leave(): Promise<void> {
    const { place } = this;
    this.place = undefined;
    await place?.leave();
  }

  /** Requests the operator's decision on an action of the agent. The time limit is paused meanwhile. */
  private async decide(question: PermissionQuestion, limit: RunLimit): Promise<Decision> {
    const { turn, controller } = this;
    const { transactions, permissions, bus } = this.parts;
    const { conv } = turn;
    if (!canBeJudged(question)) return 'deny';
    limit.pause();
    let answer: { decision: Decision; hasExpired: boolean } = { decision: 'allow_always', hasExpired: false };
    if (!(await permissions.findRule(turn, question))) {
      const asked = await transactions.run((transaction) => {
        const put = permissions.putQuestion(transaction, turn, question, controller.signal);
        this.shared.followers.notify({ kind: 'waiting', turn }, transaction);
        transaction.afterCommit(() => bus.publish('conversation.updated', { conv }));
        return put;
      });
      answer = await asked.answer;
    }
    limit.resume();
    await transactions.run((transaction) => this.shared.followers.notify({ kind: 'resumed', turn }, transaction));
    if (answer.hasExpired && turn.profile === 'outside') {
      const message = `It needed permission to use ${question.tool}, which was not granted within a minute.`;
      controller.abort(new TurnCancelledError('needs_permission', 'needs_permission', message));
    }
    return answer.decision;
  }

  /** Publishes text of the turn. */
  private say(text: string): void {
    if (text === '') return;
    const { conv, turn } = this.turn;
    this.text += text;
    this.parts.bus.publish('turn.delta', { conv, turn, index: this.index, text });
    this.index += 1;
  }
}

/** Paths in a worktree are reported as those of the project, which has the same files. */
const withoutFolder = (text: string, place: TurnPlace | undefined) =>
  place === undefined ? text : text.replaceAll(`${place.folder}/`, '');

const withoutFolderIn = (call: ToolCall, place: TurnPlace | undefined): ToolCall => ({
  ...call,
  target: withoutFolder(call.target, place),
});

/** Returns the client of a turn and its member. Throws the ending of a turn that cannot run. */
function requireClient(runnable: Runnable | undefined): { client: Client; member: Turn['member'] } {
  if (!runnable) throw new TurnCancelledError('failed', 'member_gone', 'The member is gone.');
  const { client, member, code = 'client_failed', problem = 'Its client is not ready.' } = runnable;
  if (!client) throw new TurnCancelledError('failed', code, problem);
  return { client, member };
}
