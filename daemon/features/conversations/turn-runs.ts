import type { Citation, ContextDoc } from '../../contract/asks.js';
import type { Decision, ToolCall, Usage } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import { waitForTick } from '../../lib/async/loop-ticks.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import { SecretStream } from '../../lib/secrets/secret-stream.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transactions } from '../../storage/database/transaction.js';
import type { Client, Decide, PermissionQuestion, Turn, TurnEvent } from '../clients/client.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import { TurnEndings } from './end-turn.js';
import { historyFor } from './history.js';
import { canBeJudged } from './permission-rules/rule-match.js';
import type { Permissions } from './permissions.js';
import { RunLimit } from './run-limit.js';
import { daemonRestarted, TurnCancelledError } from './turn-cancelled.js';
import {
  OPEN_GATE,
  type Runnable,
  type RunningTurn,
  type TurnFollower,
  TurnFollowers,
  type TurnGate,
  type TurnPlace,
  type TurnPlaces,
} from './turn-change.js';
import type { TurnEnding, TurnRow, TurnsStore } from './turns-store.js';
import { callWithoutSecrets } from './without-secrets.js';

/**
 * Maximum number of concurrent turns of outside asks, over all members. The operator's own turns are not limited by it.
 */
const OUTSIDE_MAX = 4;
const STORE_RETRY_MS = 5_000;
const HISTORY_MESSAGES = 200;

export interface TurnRunsParts {
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
  onLost: (turn: string, error: unknown) => void;
}

interface Running {
  turn: TurnRow;
  controller: AbortController;
  text: string;
  /** Redacts secrets in the text for other programs. */
  stream: SecretStream | undefined;
  index: number;
  calls: Map<string, ToolCall>;
  progress: { stage: string; done: number; total: number } | undefined;
  limit: RunLimit | undefined;
  /** Where it works, once that is prepared. */
  place: TurnPlace | undefined;
  usage: Usage | null;
  /** The client has answered: only the check of its citations is left. */
  isAnswered: boolean;
  ended: Promise<void>;
}

/** Prepares a turn before its agent starts. Must not reject. */
type TurnPreparation = (turn: TurnRow, runnable: Runnable | undefined) => Promise<void>;

type Live = Pick<Running, 'text' | 'index' | 'progress'> & { turn: string; calls: ToolCall[] };

/**
 * Runs queued turns: one at a time and in order per conversation, each to exactly one recorded ending with its reason.
 * Publishes `turn.*`, `message.added`, `conversation.updated` and `team.instance.*`.
 */
export class TurnRuns {
  private readonly running = new Map<string, Running>();
  private readonly followers = new TurnFollowers();
  private readonly preparations: TurnPreparation[] = [];
  /** Ends turns. */
  readonly endings: TurnEndings;
  private isStopping = false;
  private gate: TurnGate = OPEN_GATE;

  constructor(private readonly parts: TurnRunsParts) {
    this.endings = new TurnEndings({ ...parts, followers: this.followers, running: this.running });
  }

  /** Registers a follower, which is notified of every change of a turn within its transaction. */
  follow(follower: TurnFollower): void {
    this.followers.add(follower);
  }

  /** Sets what decides which queued turns may start. Must be called before the first `pump`. */
  learnGate(gate: TurnGate): void {
    this.gate = gate;
  }

  /** Returns the turns that run. */
  listRunning(): RunningTurn[] {
    return [...this.running.values()].map(({ turn, limit, usage }) => ({
      ...{ turn, usage },
      ranMs: limit?.ranMs ?? 0,
      isPaused: limit?.isPaused ?? false,
    }));
  }

  /** Ends a running turn early, unless its client has answered already. */
  interrupt(turn: string, reason: TurnCancelledError): void {
    const running = [...this.running.values()].find((one) => one.turn.turn === turn);
    if (running && !running.isAnswered) running.controller.abort(reason);
  }

  /** `find` returns for how many seconds a permission request waits in a turn that nobody attends. */
  learnUnattended(find: (turn: string) => number | undefined): void {
    this.parts.permissions.learnUnattended(find);
  }

  /** Registers what is awaited before the agent of a turn starts, after what was registered earlier. */
  prepare(preparation: TurnPreparation): void {
    this.preparations.push(preparation);
  }

  /**
   * Ends turns that the previous daemon left running, as `daemon_restarted`. Must be called before the first `pump`,
   * which resumes queued ones.
   */
  async endInterrupted(): Promise<void> {
    for (const turn of this.parts.turns.listOpen())
      if (turn.state === 'running')
        await this.endings.endTurn(turn, this.endings.toEnding(daemonRestarted()), null, undefined);
  }

  /** Aborts every running turn and waits until all endings are recorded. Queued turns resume at the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.endings.stop();
    const running = [...this.running.values()];
    for (const { controller } of running) controller.abort(daemonRestarted());
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Pauses the time limit of a running turn, which waits for another one. Returns the function that resumes it. */
  holdLimit(turn: string): () => void {
    const limit = [...this.running.values()].find((running) => running.turn.turn === turn)?.limit;
    limit?.pause();
    return () => limit?.resume();
  }

  get isStopped(): boolean {
    return this.isStopping;
  }

  /** Returns the output of a conversation's running turn so far. */
  live(conv: string): Live | undefined {
    const running = this.running.get(conv);
    return (
      running && {
        turn: running.turn.turn,
        text: running.text,
        index: running.index,
        progress: running.progress,
        calls: [...running.calls.values()],
      }
    );
  }

  /** Starts all turns that may run. */
  pump(): void {
    if (this.isStopping) return;
    const busy = new Set([...this.running.values()].map(({ turn }) => this.createKey(turn.conv)));
    let outside = [...this.running.values()].filter(({ turn }) => turn.profile === 'outside').length;
    for (const turn of this.parts.turns.listOpen()) {
      if (turn.state !== 'queued' || this.running.get(turn.conv)?.turn.turn === turn.turn) continue;
      const gate = this.gate.check(turn);
      if (gate instanceof TurnCancelledError) {
        this.refuse(turn, gate);
        continue;
      }
      if (gate === 'wait' || this.running.has(turn.conv)) continue;
      if (turn.profile === 'outside' && outside >= OUTSIDE_MAX) continue;
      const conversation = this.parts.conversations.find(turn.conv);
      if (!conversation) continue;
      const runnable = this.parts.resolve(conversation);
      const key = runnable?.key ?? turn.conv;
      if (busy.has(key)) continue;
      busy.add(key);
      if (turn.profile === 'outside') outside += 1;
      this.launch(turn, conversation, runnable);
    }
  }

  private launch(turn: TurnRow, conversation: ConversationRow, runnable: Runnable | undefined): void {
    const running: Running = {
      turn,
      controller: new AbortController(),
      text: '',
      stream: turn.profile === 'outside' ? new SecretStream() : undefined,
      index: 0,
      calls: new Map(),
      progress: undefined,
      limit: undefined,
      place: undefined,
      usage: null,
      isAnswered: false,
      ended: Promise.resolve(),
    };
    this.gate.starting(turn);
    this.running.set(turn.conv, running);
    const over = () => this.running.delete(turn.conv);
    running.ended = this.run(running, conversation, runnable).then(
      () => {
        over();
        this.pump();
      },
      (error: unknown) => {
        over();
        this.parts.onLost(turn.turn, error);
        // An immediate retry would fail again. A read-only store stays so until a restart, so there is no retry.
        if (!isMeshError(error, 'store_readonly')) this.parts.clock.after(STORE_RETRY_MS, () => this.pump());
      },
    );
  }

  private refuse(turn: TurnRow, reason: TurnCancelledError): void {
    this.endings.dropQueuedTurn(turn, reason).catch((error: unknown) => this.parts.onLost(turn.turn, error));
  }

  /** Returns the current concurrency key. The member may have become a singleton since the turn started. */
  private createKey(conv: string): string {
    const conversation = this.parts.conversations.find(conv);
    return (conversation && this.parts.resolve(conversation)?.key) ?? conv;
  }

  /** Checks the clients again before a turn is refused: a model may have been connected since, or during the start. */
  private async findWorking(
    conversation: ConversationRow,
    runnable: Runnable | undefined,
  ): Promise<Runnable | undefined> {
    if (runnable?.code !== 'no_working_client') return runnable;
    await this.parts.refreshClients();
    return this.parts.resolve(conversation);
  }

  private async run(running: Running, conversation: ConversationRow, resolved: Runnable | undefined): Promise<void> {
    const { turn, controller } = running;
    const runnable = await this.findWorking(conversation, resolved);
    const { bus, clock } = this.parts;
    if (!(await this.begin(turn, runnable))) return;
    const minutes = runnable?.member.limits.minutes ?? 1;
    const limit = new RunLimit(clock, minutes * 60_000, () =>
      controller.abort(new TurnCancelledError('deadline', 'deadline', `No answer within the limit of ${minutes} min.`)),
    );
    running.limit = limit;
    const tools = turn.profile === 'operator' ? this.parts.openTools(turn.turn) : undefined;
    try {
      const {
        citations,
        search: reported,
        trace = null,
      } = await this.converse(running, conversation, runnable, limit, tools);
      running.isAnswered = true;
      this.say(running, running.stream?.end({ isCut: false }) ?? '');
      const said = withoutFolder(running.text, running.place);
      await this.leave(running);
      const checked = await this.parts.cite(said, citations, turn.profile);
      controller.signal.throwIfAborted();
      const search = reported ? { ...reported, total: reported.total - checked.dropped } : null;
      const ending: TurnEnding = {
        outcome: 'answered',
        code: null,
        reason: null,
        usage: running.usage,
        finished_ms: clock.now(),
      };
      await this.endings.endTurn(
        turn,
        ending,
        { text: running.text, ...checked, search, trace, calls: [...running.calls.values()] },
        runnable,
      );
    } catch (error) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      this.say(running, running.stream?.end({ isCut: true }) ?? '');
      await this.leave(running);
      const output = running.text !== '' || running.calls.size > 0;
      const partial = output
        ? {
            text: scrubSecrets(running.text),
            citations: [],
            dropped: 0,
            search: null,
            trace: null,
            calls: [...running.calls.values()],
          }
        : null;
      await this.endings.endTurn(turn, { ...this.endings.toEnding(reason), usage: running.usage }, partial, runnable);
    } finally {
      limit.end();
      tools?.end();
      if (conversation.member !== null)
        bus.publish('team.instance.ended', { id: conversation.member, conv: turn.conv });
    }
  }

  private begin(turn: TurnRow, runnable: Runnable | undefined): Promise<boolean> {
    const { transactions, turns, clock, bus, conversations } = this.parts;
    const facts = {
      client: runnable?.client_resolved ?? '',
      model: runnable?.model_resolved ?? '',
      effort: runnable?.effort_resolved ?? '',
      started_ms: clock.now(),
    };
    const member = conversations.find(turn.conv)?.member;
    return transactions.run((transaction) => {
      if (!turns.putStarted(transaction, turn.turn, facts)) return false;
      const { client, model } = facts;
      this.followers.notify({ kind: 'started', turn, client, model }, transaction);
      transaction.afterCommit(() => {
        if (member) bus.publish('team.instance.started', { id: member, conv: turn.conv });
        bus.publish('conversation.updated', { conv: turn.conv });
      });
      return true;
    });
  }

  private async converse(
    running: Running,
    conversation: ConversationRow,
    resolved: Runnable | undefined,
    limit: RunLimit,
    tools: { url: string; token: string } | undefined,
  ): Promise<Extract<TurnEvent, { type: 'end' }>> {
    const { turn, controller } = running;
    const { conv } = turn;
    const { transactions, bus, conversations } = this.parts;
    // Reading the documents and sending them to the client takes milliseconds, and several turns may start at once.
    await waitForTick();
    controller.signal.throwIfAborted();
    const { client, member } = requireClient(resolved);
    running.place = await this.enter(running, conversation, client, resolved);
    const sessions = JSON.parse(conversation.sessions) as Record<string, string>;
    const output = this.createInput(running, client, member, sessions, tools);
    const decide: Decide = (question) => this.decide(running, question, limit);
    for await (const event of client.run(output, controller.signal, decide)) {
      controller.signal.throwIfAborted();
      switch (event.type) {
        case 'text':
          this.say(running, running.stream ? running.stream.push(event.text) : event.text);
          break;
        case 'progress':
          running.progress = { stage: event.stage, done: event.done, total: event.total };
          break;
        case 'tool': {
          const call = callWithoutSecrets(withoutFolderIn(event.call, running.place));
          running.calls.set(call.id, call);
          bus.publish('turn.tool', { conv, turn: turn.turn, call });
          break;
        }
        case 'session':
          keepSession(sessions, client.name, turn, event);
          await transactions.run((transaction) =>
            conversations.putChange(transaction, conv, { sessions: JSON.stringify(sessions) }),
          );
          break;
        case 'usage':
          running.usage = { ...running.usage, ...event.usage };
          this.gate.reported(turn, running.usage);
          break;
        case 'end':
          return event;
      }
    }
    throw new MeshError('internal', `The client ${client.name} ended without an answer.`);
  }

  private createInput(
    { turn, place }: Running,
    client: Client,
    member: Turn['member'],
    sessions: Readonly<Record<string, string>>,
    tools: { url: string; token: string } | undefined,
  ): Turn {
    return {
      conv: turn.conv,
      turn: turn.turn,
      member,
      text: turn.text,
      context_docs: this.parts.listDocuments(turn),
      profile: turn.profile,
      session: sessions[sessionKey(client.name, turn)] ?? null,
      session_cost_usd: Number(sessions[costKey(client.name, turn)] ?? 0),
      history: this.historyBefore(turn),
      ...(place ? { folder: place.folder, environment: place.environment } : {}),
      ...(tools ? { tool_server: { url: tools.url, token: tools.token } } : {}),
    };
  }

  /** Prepares where the agent works. The built-in search reads the index of the project, wherever that is. */
  private async enter(
    { turn, controller, limit }: Running,
    conversation: ConversationRow,
    client: Client,
    runnable: Runnable | undefined,
  ): Promise<TurnPlace | undefined> {
    if (turn.profile === 'outside' || client.name === 'builtin' || !runnable) return undefined;
    limit?.pause();
    try {
      const { isolation, member } = runnable;
      // A turn before this one may have fixed the place.
      const row = this.parts.conversations.find(turn.conv) ?? conversation;
      const wishes = { tools: member.tools, isolation };
      const place = await this.parts.places.enter(row, wishes, turn.turn, controller.signal);
      for (const prepare of this.preparations) await prepare(turn, runnable);
      return place;
    } catch (error) {
      controller.signal.throwIfAborted();
      throw new TurnCancelledError('failed', 'worktree_failed', getErrorMessage(error));
    } finally {
      limit?.resume();
    }
  }

  /** Called once no program of the turn runs. */
  private async leave(running: Running): Promise<void> {
    const { place } = running;
    running.place = undefined;
    await place?.leave();
  }

  /** Requests the operator's decision on an action of the agent. The time limit is paused meanwhile. */
  private async decide(
    { turn, controller }: Running,
    question: PermissionQuestion,
    limit: RunLimit,
  ): Promise<Decision> {
    const { transactions, permissions, bus } = this.parts;
    const { conv } = turn;
    if (!canBeJudged(question)) return 'deny';
    limit.pause();
    let answer: { decision: Decision; hasExpired: boolean } = { decision: 'allow_always', hasExpired: false };
    if (!(await permissions.findRule(turn, question))) {
      const asked = await transactions.run((transaction) => {
        const put = permissions.putQuestion(transaction, turn, question, controller.signal);
        this.followers.notify({ kind: 'waiting', turn }, transaction);
        transaction.afterCommit(() => bus.publish('conversation.updated', { conv }));
        return put;
      });
      answer = await asked.answer;
    }
    limit.resume();
    await transactions.run((transaction) => this.followers.notify({ kind: 'resumed', turn }, transaction));
    if (answer.hasExpired && turn.profile === 'outside') {
      const message = `It needed permission to use ${question.tool}, which was not granted within a minute.`;
      controller.abort(new TurnCancelledError('needs_permission', 'needs_permission', message));
    }
    return answer.decision;
  }

  /** Publishes text of a turn. */
  private say(running: Running, text: string): void {
    if (text === '') return;
    const { conv, turn } = running.turn;
    running.text += text;
    this.parts.bus.publish('turn.delta', { conv, turn, index: running.index, text });
    running.index += 1;
  }

  /**
   * Returns the history of turns that have started. Queued and dropped ones are excluded, and the operator's turns are
   * hidden from other programs.
   */
  private historyBefore({ conv, turn, profile }: TurnRow): Turn['history'] {
    const { conversations, turns } = this.parts;
    const messages = conversations.page(conv, undefined, HISTORY_MESSAGES) ?? [];
    const begun = turns
      .listNamed(conv, new Set(messages.map((message) => message.turn)))
      .filter((one) => one.started_ms !== null && (profile === 'operator' || one.profile === 'outside'));
    return historyFor(
      messages,
      begun.map((one) => one.turn).filter((one) => one !== turn),
    );
  }
}

/** Paths in a worktree are told as those of the project, which has the same files. */
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

/** What a session has cost goes with it: another session begins at nothing. */
function keepSession(
  sessions: Record<string, string>,
  client: string,
  turn: TurnRow,
  { session, cost_usd }: { session: string; cost_usd?: number },
): void {
  const [key, cost] = [sessionKey(client, turn), costKey(client, turn)];
  if (sessions[key] !== session) delete sessions[cost];
  sessions[key] = session;
  if (cost_usd !== undefined) sessions[cost] = String(cost_usd);
}

/** A session contains all that its agent has read, so turns of other programs use sessions of their own. */
const sessionKey = (client: string, { profile }: TurnRow) => (profile === 'outside' ? `${client} outside` : client);
const costKey = (client: string, turn: TurnRow) => `${sessionKey(client, turn)} cost`;
