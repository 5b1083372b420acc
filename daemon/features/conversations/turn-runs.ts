import type { Citation } from '../../contract/asks.js';
import type { Message, ToolCall, Usage } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { isMeshError, MeshError, messageOf } from '../../lib/errors.js';
import { newMessageId } from '../../lib/ids.js';
import { scrubSecrets } from '../../lib/secrets.js';
import type { Client, Decide, Turn } from '../clients/client.js';
import { CalledOff, restarted } from './called-off.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import { historyFor } from './history.js';
import type { Permissions } from './permissions.js';
import { RunLimit } from './run-limit.js';
import type { TurnEnding, TurnRow, TurnsStore } from './turns-store.js';

/** Turns of outside asks that run at once, over all members; the operator's own never wait for them. */
const OUTSIDE_MAX = 4;
const STORE_RETRY_MS = 5_000;

/** A member, or the prompt of an agent type, as a turn needs it: what to run, on which client, how long. */
export interface Runnable {
  member: Turn['member'];
  /** Version of the member's file; empty without a member. */
  revision: string;
  /** At most one turn runs for each: a conversation's id, or a singleton's. */
  key: string;
  client_resolved: string;
  model_resolved: string;
  effort_resolved: string;
  /** Absent when its client is not there or not ready. */
  client?: Client | undefined;
  /** Why it cannot run. */
  problem?: string | undefined;
}

/** A turn has begun, waits for a person, goes on, or has ended. */
export type TurnChange =
  | { kind: 'started'; turn: TurnRow; client: string; model: string }
  | { kind: 'waiting' | 'resumed'; turn: TurnRow }
  | {
      kind: 'ended';
      turn: TurnRow;
      ending: TurnEnding;
      answer: { text: string; citations: Citation[] } | null;
      runnable: Runnable | undefined;
    };

/** Runs inside the transaction that records the change; what it returns runs once that is durable. */
export type TurnHook = (change: TurnChange) => (() => void) | undefined;

export interface TurnRunsParts {
  conversations: ConversationsStore;
  turns: TurnsStore;
  permissions: Permissions;
  bus: Bus;
  clock: Clock;
  /** What runs a conversation now; undefined when its member is gone. */
  resolve: (conversation: ConversationRow) => Runnable | undefined;
  /** The citations of an answer, the client's own and those in its words, checked; how many named places do not stand. */
  cite: (text: string, citations: readonly Citation[]) => Promise<{ citations: Citation[]; dropped: number }>;
  onLost: (turn: string, error: unknown) => void;
}

interface Running {
  turn: TurnRow;
  key: string;
  controller: AbortController;
  text: string;
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
  private isStopping = false;

  constructor(private readonly parts: TurnRunsParts) {}

  onTurn(hook: TurnHook): void {
    this.hooks.push(hook);
  }

  /** Ends turns that the last daemon left running as `daemon_restarted` and goes on with queued ones. */
  async start(): Promise<void> {
    for (const turn of this.parts.turns.listOpen())
      if (turn.state === 'running') await this.end(turn, this.endingOf(restarted()), null, undefined);
    this.pump();
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
    const busy = new Set([...this.running.values()].map(({ key }) => key));
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
      this.launch(turn, conversation, runnable, key);
    }
  }

  /** Ends a turn early, running or queued; one that is over stays as it is. Resolves once the ending is recorded. */
  async callOff(turn: TurnRow, reason: CalledOff): Promise<void> {
    const running = this.running.get(turn.conv);
    if (running?.turn.turn === turn.turn) {
      running.controller.abort(reason);
      await running.ended;
    } else await this.end(turn, this.endingOf(reason), null, undefined);
  }

  private launch(turn: TurnRow, conversation: ConversationRow, runnable: Runnable | undefined, key: string): void {
    const running: Running = {
      turn,
      key,
      controller: new AbortController(),
      text: '',
      index: 0,
      calls: new Map(),
      progress: undefined,
      ended: Promise.resolve(),
    };
    this.running.set(turn.conv, running);
    running.ended = this.run(running, conversation, runnable)
      .catch((error: unknown) => this.parts.onLost(turn.turn, error))
      .finally(() => {
        this.running.delete(turn.conv);
        this.pump();
      });
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
      if (turn.profile === 'outside') running.text = scrubSecrets(running.text);
      const checked = await this.parts.cite(running.text, citations);
      controller.signal.throwIfAborted();
      const ending: TurnEnding = { outcome: 'answered', code: null, reason: null, usage: report.usage, finished_ms: clock.now() };
      await this.end(turn, ending, { text: running.text, ...checked, calls: [...running.calls.values()] }, runnable);
    } catch (error) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
      const said = running.text !== '' || running.calls.size > 0;
      const partial = said ? { text: scrubSecrets(running.text), citations: [], dropped: 0, calls: [...running.calls.values()] } : null;
      await this.end(turn, { ...this.endingOf(reason), usage: report.usage }, partial, runnable);
    } finally {
      limit.end();
      if (conversation.member !== null) bus.publish('team.instance.ended', { id: conversation.member, conv: turn.conv });
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
      turns.putStarted(turn.turn, facts) ? this.tell({ kind: 'started', turn, client: facts.client, model: facts.model }) : undefined,
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
    if (!runnable) throw new CalledOff('failed', 'member_gone', 'The member is gone.');
    if (!runnable.client) throw new CalledOff('failed', 'client_failed', runnable.problem ?? 'Its client is not ready.');
    const sessions = JSON.parse(conversation.sessions) as Record<string, string>;
    const said: Turn = {
      conv,
      turn: turn.turn,
      member: runnable.member,
      text: turn.text,
      context_docs: turn.context_docs,
      profile: turn.profile,
      session: sessions[runnable.client.name] ?? null,
      history: historyFor(conversations.page(conv, undefined, 200) ?? [], turn.turn),
    };
    const decide: Decide = async (question) => {
      limit.pause();
      const answer = await this.parts.permissions.ask(turn, question, controller.signal, () => this.tell({ kind: 'waiting', turn }));
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
          running.text += event.text;
          bus.publish('turn.delta', { conv, turn: turn.turn, index: running.index, text: event.text });
          running.index += 1;
          break;
        case 'progress':
          running.progress = { stage: event.stage, done: event.done, total: event.total };
          break;
        case 'tool':
          running.calls.set(event.call.id, event.call);
          bus.publish('turn.tool', { conv, turn: turn.turn, call: event.call });
          break;
        case 'session':
          sessions[runnable.client.name] = event.session;
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

  private endingOf(reason: unknown): TurnEnding {
    const finished_ms = this.parts.clock.now();
    if (reason instanceof CalledOff)
      return { outcome: reason.outcome, code: reason.code, reason: reason.message, usage: null, finished_ms };
    if (isMeshError(reason, 'deadline')) return { outcome: 'deadline', code: 'deadline', reason: reason.message, usage: null, finished_ms };
    return {
      outcome: 'failed',
      code: 'client_failed',
      reason: `The client failed: ${scrubSecrets(messageOf(reason))}`,
      usage: null,
      finished_ms,
    };
  }

  /** Records the ending with the answer and all that follows from it in one transaction, then tells. Tries again while the disk is full. */
  private async end(
    turn: TurnRow,
    ending: TurnEnding,
    said: { text: string; citations: Citation[]; dropped: number; calls: ToolCall[] } | null,
    runnable: Runnable | undefined,
  ): Promise<void> {
    const { turns, conversations, bus, clock } = this.parts;
    let recorded: { message: Message | undefined; after: (() => void)[] } | undefined;
    try {
      recorded = await turns.write(() => {
        if (!turns.putEnded(turn.turn, ending)) return undefined;
        turns.putDenied(turn.turn, ending.code === 'daemon_restarted' ? 'restart' : 'deadline');
        const message =
          said === null
            ? undefined
            : conversations.putMessage({
                id: newMessageId(),
                conv: turn.conv,
                turn: turn.turn,
                role: 'assistant',
                text: said.text,
                calls: said.calls,
                citations: said.citations,
                dropped_citations: said.dropped,
                created_ms: ending.finished_ms,
              });
        conversations.putChange(turn.conv, { updated_ms: ending.finished_ms });
        const answer = ending.outcome === 'answered' && said ? { text: said.text, citations: said.citations } : null;
        return { message, after: this.tell({ kind: 'ended', turn, ending, answer, runnable }) };
      });
    } catch (error) {
      if (!isMeshError(error, 'no_space') || this.isStopping) throw error;
      await new Promise<void>((resolve) => void clock.after(STORE_RETRY_MS, resolve));
      return this.end(turn, ending, said, runnable);
    }
    if (!recorded) return;
    const { conv } = turn;
    if (recorded.message) bus.publish('message.added', { conv, message: recorded.message });
    bus.publish('turn.ended', { conv, turn: turn.turn, outcome: ending.outcome, ...(ending.usage ? { usage: ending.usage } : {}) });
    for (const run of recorded.after) run();
    bus.publish('conversation.updated', { conv });
  }

  private tell(change: TurnChange): (() => void)[] {
    return this.hooks.flatMap((hook) => hook(change) ?? []);
  }
}
