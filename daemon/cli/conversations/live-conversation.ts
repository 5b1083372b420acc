import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation, Message, MessageList, Permission, ToolCall, Turn } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { EventStream, PATIENCE_MS, RECONNECT_PAUSE_MS } from './event-stream.js';

/** The maximum number of messages in one page of the daemon: more than can be queued in one conversation. */
const PAGE_MESSAGES = 200;

/** A change of a conversation that is shown to its viewer. */
export type Moment =
  | { kind: 'said'; turn: string; message: Message }
  | { kind: 'text'; turn: string; text: string }
  | { kind: 'call'; turn: string; call: ToolCall }
  | { kind: 'question' | 'decided'; turn: string; permission: Permission }
  | { kind: 'ended'; turn: string; record: Turn; answer: Message | undefined }
  | { kind: 'deleted' };

/** The path of a conversation. */
export const conversationPath = (conv: string) => `/conversations/${encodeURIComponent(conv)}`;

/** The path of a permission request. */
export const permissionPath = ({ conv, pid }: Pick<Permission, 'conv' | 'pid'>) =>
  `${conversationPath(conv)}/permissions/${encodeURIComponent(pid)}`;

/**
 * A conversation in real time, with every change reported once. Events that were lost or repeated by a reconnect are
 * reconciled with the conversation itself.
 */
export class LiveConversation {
  private readonly texts = new Map<string, string>();
  /** For a turn whose text was read as a whole: deltas below this index are already included. */
  private readonly nextIndex = new Map<string, number>();
  private readonly callStates = new Map<string, ToolCall['state']>();
  private readonly questions = new Map<string, Permission>();
  private readonly messages = new Set<string>();
  private readonly ended = new Set<string>();
  private readonly unread: Moment[] = [];
  private isClosed = false;

  private constructor(
    private readonly root: string,
    private client: HttpClient,
    readonly conv: string,
    private readonly stream: EventStream,
    private readonly patienceMs: number,
  ) {}

  /**
   * Watches a conversation. Turns that have already ended are not reported; they are in the transcript. A daemon that is
   * gone is looked for again for `patienceMs` milliseconds, about 1.5 s when absent. Throws `unreachable`, `not_found`.
   */
  static async open(
    root: string,
    client: HttpClient,
    conv: string,
    patienceMs = PATIENCE_MS,
  ): Promise<LiveConversation> {
    const live = new LiveConversation(root, client, conv, await EventStream.open(root, patienceMs), patienceMs);
    try {
      await live.stream.next();
      const { messages, turns } = await live.page();
      for (const { id } of messages) live.messages.add(id);
      for (const { turn, state } of turns) if (state === 'ended') live.ended.add(turn);
      for await (const moment of live.catchUp()) live.unread.push(moment);
      return live;
    } catch (error) {
      live.close();
      throw error;
    }
  }

  /** Pending permission requests, oldest first. */
  get waiting(): Permission[] {
    return [...this.questions.values()];
  }

  close(): void {
    this.isClosed = true;
    this.stream.close();
  }

  /** All changes since `open`, beginning with the running turn and the queued ones. Ends when closed. */
  async *moments(): AsyncIterable<Moment> {
    yield* this.unread.splice(0);
    for (;;) {
      const frame = await this.stream.next();
      if (!frame) return;
      if (frame.type === 'hello') {
        // A restarted daemon may listen at another address.
        this.client = (await getDaemon(this.root)).client;
        yield* this.catchUp();
      } else yield* this.follow(frame);
    }
  }

  private async *follow(frame: EventFrame): AsyncIterable<Moment> {
    if (!('conv' in frame) || frame.conv !== this.conv) return;
    switch (frame.type) {
      case 'message.added':
        if (frame.message.role === 'user') yield* this.said(frame.message);
        break;
      case 'turn.delta':
        if (frame.index >= (this.nextIndex.get(frame.turn) ?? 0)) yield* this.text(frame.turn, frame.text);
        break;
      case 'turn.tool':
        yield* this.call(frame.turn, frame.call);
        break;
      case 'turn.permission':
        yield* this.permission(frame.permission);
        break;
      case 'turn.ended':
        yield* this.endings(await this.patiently(() => this.page()));
        break;
      case 'conversation.deleted':
        yield { kind: 'deleted' };
        break;
    }
  }

  /** Yields the current state that has not been reported. */
  private async *catchUp(): AsyncIterable<Moment> {
    const [conversation, page] = await this.patiently(() =>
      Promise.all([this.client.get<Conversation>(conversationPath(this.conv)), this.page()]),
    );
    const { messages, live } = page;
    for (const message of messages) if (message.role === 'user') yield* this.said(message);
    yield* this.endings(page);
    if (live) {
      this.nextIndex.set(live.turn, live.next_index);
      for (const call of live.calls) yield* this.call(live.turn, call);
      yield* this.rest(live.turn, live.text);
    }
    const open = new Set(conversation.permissions.map(({ pid }) => pid));
    for (const permission of this.waiting)
      if (!open.has(permission.pid)) yield* this.permission({ ...permission, decision: 'deny' });
    for (const permission of conversation.permissions) yield* this.permission(permission);
  }

  /**
   * Runs `read`, again and with the daemon of then while it is gone: it reports the ends of its turns and stops before
   * they can be read.
   */
  private async patiently<T>(read: () => Promise<T>): Promise<T> {
    const giveUpMs = performance.now() + this.patienceMs;
    for (let isFirst = true; ; isFirst = false) {
      try {
        if (!isFirst) this.client = (await getDaemon(this.root)).client;
        return await read();
      } catch (error) {
        const isGone = error instanceof CommandError && error.exit === EXIT.unreachable;
        if (!isGone || this.isClosed || performance.now() > giveUpMs) throw error;
        await pause(RECONNECT_PAUSE_MS);
      }
    }
  }

  private page(): Promise<MessageList> {
    return this.client.get<MessageList>(`${conversationPath(this.conv)}/messages?limit=${PAGE_MESSAGES}`);
  }

  private *said(message: Message): Iterable<Moment> {
    if (this.messages.has(message.id)) return;
    this.messages.add(message.id);
    yield { kind: 'said', turn: message.turn, message };
  }

  private *text(turn: string, text: string): Iterable<Moment> {
    if (this.ended.has(turn) || text === '') return;
    this.texts.set(turn, (this.texts.get(turn) ?? '') + text);
    yield { kind: 'text', turn, text };
  }

  /** Yields the part of `whole` that has not been reported; nothing when the reported text is not a prefix of it. */
  private *rest(turn: string, whole: string): Iterable<Moment> {
    const told = this.texts.get(turn) ?? '';
    if (whole.startsWith(told)) yield* this.text(turn, whole.slice(told.length));
  }

  private *call(turn: string, call: ToolCall): Iterable<Moment> {
    const key = `${turn} ${call.id}`;
    if (this.ended.has(turn) || this.callStates.get(key) === call.state) return;
    this.callStates.set(key, call.state);
    yield { kind: 'call', turn, call };
  }

  private *permission(permission: Permission): Iterable<Moment> {
    const { pid, turn, decision } = permission;
    const isKnown = this.questions.has(pid);
    if (decision === null) {
      if (isKnown || this.ended.has(turn)) return;
      this.questions.set(pid, permission);
      yield { kind: 'question', turn, permission };
    } else if (this.questions.delete(pid)) yield { kind: 'decided', turn, permission };
  }

  /** Yields the turns of `page` that have ended without a reported end. */
  private *endings({ turns, messages }: MessageList): Iterable<Moment> {
    for (const record of turns) {
      const { turn, state } = record;
      if (state !== 'ended' || this.ended.has(turn)) continue;
      const answer = messages.find((message) => message.turn === turn && message.role === 'assistant');
      if (answer) {
        for (const call of answer.calls) yield* this.call(turn, call);
        yield* this.rest(turn, answer.text);
      }
      for (const permission of this.waiting)
        if (permission.turn === turn) yield* this.permission({ ...permission, decision: 'deny' });
      this.ended.add(turn);
      this.texts.delete(turn);
      yield { kind: 'ended', turn, record, answer };
    }
  }
}
