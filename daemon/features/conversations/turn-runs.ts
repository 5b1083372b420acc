import type { Citation, ContextDoc } from '../../contract/asks.js';
import type { ToolCall, Usage } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import { nextTurn } from '../../lib/loop-turns.js';
import { SecretStream } from '../../lib/secret-stream.js';
import { scrubSecrets } from '../../lib/secrets.js';
import type { Decide, Turn } from '../clients/client.js';
import { CalledOff, restarted } from './called-off.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import { historyFor } from './history.js';
import type { Permissions } from './permissions.js';
import { RunLimit } from './run-limit.js';
import type { Runnable, TurnChange, TurnHook } from './turn-change.js';
import { type Said, TurnEndings } from './turn-endings.js';
import type { TurnEnding, TurnRow, TurnsStore } from './turns-store.js';
import { callWithoutSecrets } from './without-secrets.js';

/** Turns of outside asks that run at once, over all members; the operator's own never wait for them. */
const OUTSIDE_MAX = 4;
const STORE_RETRY_MS = 5_000;
const HISTORY_MESSAGES = 200;

export interface TurnRunsParts {
  conversations: ConversationsStore;
  turns: TurnsStore;
  permissions: Permissions;
  bus: Bus;
  clock: Clock;
  /** The documents that came with a turn's question. */
  documentsOf: (turn: TurnRow) => ContextDoc[];
  /** What runs a conversation now; undefined when its member is gone. */
  resolve: (conversation: ConversationRow) => Runnable | undefined;
  /** The citations of an answer, the client's own and those in its words, checked; how many named places do not stand. */
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
  /** Keeps secrets out of what other programs are answered. */
  stream: SecretStream | undefined;
  index: number;
  calls: Map<string, ToolCall>;
  progress: { stage: string; done: number; total: number } | undefined;
  ended: Promise<void>;
}

export type Live = Pick<Running, 'text' | 'index' | 'progress'> & { turn: string; calls: ToolCall[] };

/**
 * Runs queued turns: in order within a conversation, one at a time there, each to exactly one recorded ending with its reason. Publishes `turn.*`,
 * `message.added`, `conversation.updated` and `team.instance.*`.
 */
export class TurnRuns {
  private readonly running = new Map<string, Running>();
  private readonly hooks: TurnHook[] = [];
  private readonly endings: TurnEndings;
  private isStopping = false;

  constructor(private readonly parts: TurnRunsParts) {
    this.endings = new TurnEndings(parts, (change) => this.tell(change));
  }

  onTurn(hook: TurnHook): void {
    this.hooks.push(hook);
  }

  /** Ends turns that the last daemon left running as `daemon_restarted`. To be called before the first `pump`, which goes on with queued ones. */
  async endInterrupted(): Promise<void> {
    for (const turn of this.parts.turns.listOpen())
      if (turn.state === 'running') await this.end(turn, this.endings.endingOf(restarted()), null, undefined);
  }

  /** Calls every running turn off and waits until each is recorded as ended. Queued ones go on at the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const running = [...this.running.values()];
    for (const { controller } of running) controller.abort(restarted());
    await Promise.all(running.map(({ ended }) => ended));
  }

  get isStopped(): boolean {
    return this.isStopping;
  }

  /** What the running turn of a conversation has said and done so far. */
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

  /** Starts what may run now. */
  pump(): void {
    if (this.isStopping) return;
    const busy = new Set([...this.running.values()].map(({ turn }) => this.keyOf(turn.conv)));
    let outside = [...this.running.values()].filter(({ turn }) => turn.profile === 'outside').length;
    for (const turn of this.parts.turns.listOpen()) {
      if (turn.state !== 'queued' || this.running.has(turn.conv)) continue;
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

  /** Ends a turn early, running or queued; one that is over stays as it is. Resolves once the ending is recorded. */
  async callOff(turn: TurnRow, reason: CalledOff): Promise<void> {
    const running = this.running.get(turn.conv);
    if (running?.turn.turn === turn.turn) {
      running.controller.abort(reason);
      await running.ended;
    } else await this.end(turn, this.endings.endingOf(reason), null, undefined);
  }

  /** Ends a turn that waits; false, and nothing changes, for one that runs or is over. Resolves once the ending is recorded. Throws `no_space`. */
  async drop(turn: TurnRow, reason: CalledOff): Promise<boolean> {
    // Changes are recorded in the order of asking: a turn that is not being begun by now will find itself ended.
    if (this.running.get(turn.conv)?.turn.turn === turn.turn) return false;
    return this.endings.record(turn, this.endings.endingOf(reason), null, undefined);
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
      ended: Promise.resolve(),
    };
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
        // At once it would fail again, for ever; a store that is read-only stays so until a restart.
        if (!isMeshError(error, 'store_readonly')) this.parts.clock.after(STORE_RETRY_MS, () => this.pump());
      },
    );
  }

  /** What at most one turn runs for at a time, as things are now: a member may have become a singleton since the turn began. */
  private keyOf(conv: string): string {
    const conversation = this.parts.conversations.find(conv);
    return (conversation && this.parts.resolve(conversation)?.key) ?? conv;
  }

  private async run(running: Running, conversation: ConversationRow, runnable: Runnable | undefined): Promise<void> {
    const { turn, controller } = running;
    const { bus, clock } = this.parts;
    if (!(await this.begin(turn, runnable))) return;
    const minutes = runnable?.member.limits.minutes ?? 1;
    const limit = new RunLimit(clock, minutes * 60_000, () =>
      controller.abort(new CalledOff('deadline', 'deadline', `No answer within the limit of ${minutes} min.`)),
    );
    const report: { usage: Usage | null } = { usage: null };
    try {
      const citations = await this.converse(running, conversation, runnable, limit, report);
      this.say(running, running.stream?.end({ isCut: false }) ?? '');
      const checked = await this.parts.cite(running.text, citations, turn.profile);
      controller.signal.throwIfAborted();
      const ending: TurnEnding = {
        outcome: 'answered',
        code: null,
        reason: null,
        usage: report.usage,
        finished_ms: clock.now(),
      };
      await this.end(turn, ending, { text: running.text, ...checked, calls: [...running.calls.values()] }, runnable);
    } catch (error) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      this.say(running, running.stream?.end({ isCut: true }) ?? '');
      const said = running.text !== '' || running.calls.size > 0;
      const partial = said
        ? { text: scrubSecrets(running.text), citations: [], dropped: 0, calls: [...running.calls.values()] }
        : null;
      await this.end(turn, { ...this.endings.endingOf(reason), usage: report.usage }, partial, runnable);
    } finally {
      limit.end();
      if (conversation.member !== null)
        bus.publish('team.instance.ended', { id: conversation.member, conv: turn.conv });
    }
  }

  private async begin(turn: TurnRow, runnable: Runnable | undefined): Promise<boolean> {
    const { turns, clock, bus, conversations } = this.parts;
    const facts = {
      client: runnable?.client_resolved ?? '',
      model: runnable?.model_resolved ?? '',
      effort: runnable?.effort_resolved ?? '',
      started_ms: clock.now(),
    };
    const after = await turns.write(() =>
      turns.putStarted(turn.turn, facts)
        ? this.tell({ kind: 'started', turn, client: facts.client, model: facts.model })
        : undefined,
    );
    if (!after) return false;
    for (const run of after) run();
    const member = conversations.find(turn.conv)?.member;
    if (member) bus.publish('team.instance.started', { id: member, conv: turn.conv });
    bus.publish('conversation.updated', { conv: turn.conv });
    return true;
  }

  private async converse(
    running: Running,
    conversation: ConversationRow,
    runnable: Runnable | undefined,
    limit: RunLimit,
    report: { usage: Usage | null },
  ): Promise<Citation[]> {
    const { turn, controller } = running;
    const { conv } = turn;
    const { bus, conversations } = this.parts;
    // Its documents take milliseconds to read and to hand over, and several turns may begin at once.
    await nextTurn();
    controller.signal.throwIfAborted();
    if (!runnable) throw new CalledOff('failed', 'member_gone', 'The member is gone.');
    if (!runnable.client)
      throw new CalledOff('failed', 'client_failed', runnable.problem ?? 'Its client is not ready.');
    const sessions = JSON.parse(conversation.sessions) as Record<string, string>;
    const said: Turn = {
      conv,
      turn: turn.turn,
      member: runnable.member,
      text: turn.text,
      context_docs: this.parts.documentsOf(turn),
      profile: turn.profile,
      session: sessions[sessionKey(runnable.client.name, turn)] ?? null,
      history: this.historyBefore(turn),
    };
    const decide: Decide = async (question) => {
      limit.pause();
      const answer = await this.parts.permissions.ask(turn, question, controller.signal, () =>
        this.tell({ kind: 'waiting', turn }),
      );
      limit.resume();
      const after = await this.parts.turns.write(() => this.tell({ kind: 'resumed', turn }));
      for (const run of after) run();
      if (answer.hasExpired && turn.profile === 'outside') {
        controller.abort(
          new CalledOff(
            'needs_permission',
            'needs_permission',
            `It needed permission to use ${question.tool}, and nobody gave it within a minute.`,
          ),
        );
      }
      return answer.decision;
    };
    for await (const event of runnable.client.run(said, controller.signal, decide)) {
      controller.signal.throwIfAborted();
      switch (event.type) {
        case 'text':
          this.say(running, running.stream ? running.stream.push(event.text) : event.text);
          break;
        case 'progress':
          running.progress = { stage: event.stage, done: event.done, total: event.total };
          break;
        case 'tool': {
          const call = callWithoutSecrets(event.call);
          running.calls.set(call.id, call);
          bus.publish('turn.tool', { conv, turn: turn.turn, call });
          break;
        }
        case 'session':
          sessions[sessionKey(runnable.client.name, turn)] = event.session;
          await conversations.write(() => conversations.putChange(conv, { sessions: JSON.stringify(sessions) }));
          break;
        case 'usage':
          report.usage = { ...report.usage, ...event.usage };
          break;
        case 'end':
          return event.citations;
      }
    }
    throw new MeshError('internal', `The client ${runnable.client.name} ended without an answer.`);
  }

  /** Passes on what a turn says. */
  private say(running: Running, text: string): void {
    if (text === '') return;
    const { conv, turn } = running.turn;
    running.text += text;
    this.parts.bus.publish('turn.delta', { conv, turn, index: running.index, text });
    running.index += 1;
  }

  /** Earlier turns that an agent has seen; what still waits, or was dropped, it has not. Other programs' turns see none of the operator's. */
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

  private end(turn: TurnRow, ending: TurnEnding, said: Said | null, runnable: Runnable | undefined): Promise<boolean> {
    return this.endings.end(turn, ending, said, runnable, () => !this.isStopping);
  }

  private tell(change: TurnChange): (() => void)[] {
    return this.hooks.flatMap((hook) => hook(change) ?? []);
  }
}

/** A session holds all that its agent has read, so that other programs' turns never go on with one of the operator's. */
const sessionKey = (client: string, { profile }: TurnRow) => (profile === 'outside' ? `${client} outside` : client);
