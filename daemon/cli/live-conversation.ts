import type { Conversation, Message, MessageList, Permission, ToolCall, Turn } from '../contract/conversations.js';
import type { EventFrame } from '../contract/events.js';
import { EventStream } from './event-stream.js';
import type { HttpClient } from './http-client.js';

/** Messages that one page of the daemon's may hold: more than can wait in one conversation. */
const PAGE_MESSAGES = 200;

/** Something that a person who watches a conversation wants to know. */
export type Moment =
  | { kind: 'said'; turn: string; message: Message }
  | { kind: 'text'; turn: string; text: string }
  | { kind: 'call'; turn: string; call: ToolCall }
  | { kind: 'question' | 'decided'; turn: string; permission: Permission }
  | { kind: 'ended'; turn: string; record: Turn; answer: Message | undefined }
  | { kind: 'deleted' };

/** Where the daemon keeps a conversation. */
export const conversationPath = (conv: string) => `/conversations/${encodeURIComponent(conv)}`;

/** Where a question is answered. */
export const permissionPath = ({ conv, pid }: Pick<Permission, 'conv' | 'pid'>) =>
  `${conversationPath(conv)}/permissions/${encodeURIComponent(pid)}`;

/**
 * One conversation as it happens, each thing told once: what the line to the daemon lost, or told twice, is made good from the conversation itself.
 */
export class LiveConversation {
  private readonly texts = new Map<string, string>();
  /** For a turn whose text was read whole: pieces before this index are in it already. */
  private readonly nextIndex = new Map<string, number>();
  private readonly callStates = new Map<string, ToolCall['state']>();
  private readonly questions = new Map<string, Permission>();
  private readonly messages = new Set<string>();
  private readonly ended = new Set<string>();
  private readonly unread: Moment[] = [];

  private constructor(
    private readonly client: HttpClient,
    readonly conv: string,
    private readonly stream: EventStream,
  ) {}

  /** Watches from now on: what is over by then is the transcript's to tell. Throws `unreachable`, `not_found`. */
  static async open(root: string, client: HttpClient, conv: string): Promise<LiveConversation> {
    const live = new LiveConversation(client, conv, await EventStream.open(root));
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

  /** Questions that wait for an answer, oldest first. */
  get waiting(): Permission[] {
    return [...this.questions.values()];
  }

  close(): void {
    this.stream.close();
  }

  /** Everything from now on, begun with what runs and what waits; ends when closed. */
  async *moments(): AsyncIterable<Moment> {
    yield* this.unread.splice(0);
    for (;;) {
      const frame = await this.stream.next();
      if (!frame) return;
      if (frame.type === 'hello') yield* this.catchUp();
      else yield* this.follow(frame);
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
        yield* this.endings(await this.page());
        break;
      case 'conversation.deleted':
        yield { kind: 'deleted' };
        break;
    }
  }

  /** What is there and was not told. */
  private async *catchUp(): AsyncIterable<Moment> {
    const [conversation, page] = await Promise.all([
      this.client.get<Conversation>(conversationPath(this.conv)),
      this.page(),
    ]);
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

  /** What of `whole` was not told; nothing when what was told is not its beginning. */
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

  /** Turns of `page` that have ended and were not told to. */
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
