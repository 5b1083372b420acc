import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { type AgentContext, methods, type PromptResponse, RequestError } from '@agentclientprotocol/sdk';
import type { Conversation, Message, MessageList, Turn } from '../../contract/conversations.js';
import { conversationPath, LiveConversation } from '../conversations/live-conversation.js';
import { dropIfEmpty, type Opened } from '../conversations/talk-conversation.js';
import type { RunningDaemon } from '../daemon/project.js';
import type { HttpClient } from '../http-client.js';
import { invalidParams } from './acp-errors.js';
import { readPrompt } from './acp-prompt.js';
import { EditorTurn } from './acp-turn.js';
import { agentText, replayMessage, reportCall } from './acp-updates.js';

/** How long a prompt waits for a daemon that is gone. */
const RETURN_MS = 20_000;
const PAGE_MESSAGES = 200;
/** A longer transcript is replayed from this many messages before its end. */
const REPLAY_MESSAGES_MAX = 2_000;

interface SessionPorts {
  /** The real path of the session's project. */
  root: string;
  /** Finds the project's daemon. Throws `unreachable`. */
  reach(): Promise<RunningDaemon>;
  /** Prints a remark for the user. */
  note(line: string): void;
}

interface Transcript {
  messages: Message[];
  turns: Map<string, Turn>;
  live: MessageList['live'];
  isCut: boolean;
}

async function readTranscript(client: HttpClient, conv: string): Promise<Transcript> {
  const turns = new Map<string, Turn>();
  const pages: Message[][] = [];
  let live: MessageList['live'] = null;
  let before = '';
  for (let count = 0; ; ) {
    const path = `${conversationPath(conv)}/messages?limit=${PAGE_MESSAGES}${before}`;
    const page = await client.get<MessageList>(path);
    if (before === '') live = page.live;
    pages.unshift(page.messages);
    for (const turn of page.turns) turns.set(turn.turn, turn);
    count += page.messages.length;
    const first = page.messages[0];
    const isCut = page.has_more && count >= REPLAY_MESSAGES_MAX;
    if (!page.has_more || isCut || !first) return { messages: pages.flat(), turns, live, isCut };
    before = `&before=${encodeURIComponent(first.id)}`;
  }
}

interface RunningPrompt {
  /** Absent until the conversation is followed. */
  turn: EditorTurn | undefined;
  isCancelled: boolean;
}

/** A conversation that an editor has open as a session. */
export class EditorSession {
  private current: RunningPrompt | undefined;
  private title: string;

  constructor(
    private readonly opened: Opened,
    private readonly ports: SessionPorts,
  ) {
    this.title = opened.conversation.title;
  }

  get root(): string {
    return this.ports.root;
  }

  get conv(): string {
    return this.opened.conversation.conv;
  }

  /** Runs one prompt. Throws -32600 while another one runs. */
  async prompt(blocks: readonly ContentBlock[], editor: AgentContext): Promise<PromptResponse> {
    if (this.current)
      throw RequestError.invalidRequest({ code: 'busy' }, 'A prompt of this session runs: wait for it, or cancel it.');
    const current: RunningPrompt = { turn: undefined, isCancelled: false };
    this.current = current;
    let live: LiveConversation | undefined;
    try {
      const { root, reach, note } = this.ports;
      const message = readPrompt(blocks, { root, note });
      const { client } = await reach();
      live = await LiveConversation.open(root, client, this.conv, RETURN_MS);
      if (current.isCancelled) return { stopReason: 'cancelled' };
      current.turn = new EditorTurn({ conv: this.conv, root, client, live, editor, note });
      const response = await current.turn.run(message);
      await this.sendTitle(client, editor);
      return response;
    } finally {
      this.current = undefined;
      live?.close();
    }
  }

  /** Cancels the prompt that runs, if any. */
  async cancel(): Promise<void> {
    if (!this.current) return;
    this.current.isCancelled = true;
    await this.current.turn?.cancel();
  }

  /** Sends the whole transcript to the editor, and what a running turn has said so far. */
  async replay(editor: AgentContext): Promise<void> {
    const { root, reach, note } = this.ports;
    const { client } = await reach();
    const { messages, turns, live, isCut } = await readTranscript(client, this.conv);
    if (isCut) note(`Only the newest ${messages.length} messages of ${this.conv} are shown: see the dashboard.`);
    for (const message of messages) {
      for (const update of replayMessage(root, message, turns.get(message.turn))) await this.update(editor, update);
    }
    if (!live) return;
    for (const call of live.calls)
      await this.update(editor, { sessionUpdate: 'tool_call', ...reportCall(root, call, call.id) });
    if (live.text !== '') await this.update(editor, agentText(live.text));
  }

  /** Cancels what runs, and removes the conversation when it was made for this session and holds no message. */
  async close(): Promise<void> {
    await this.cancel();
    await this.drop();
  }

  /** As `close`, but a running turn continues. */
  async drop(): Promise<void> {
    await dropIfEmpty((await this.ports.reach()).client, this.opened);
  }

  /** The daemon names a conversation after its first message. A failure is ignored: the editor keeps its own title. */
  private async sendTitle(client: HttpClient, editor: AgentContext): Promise<void> {
    try {
      const { title, updated_at } = await client.get<Conversation>(conversationPath(this.conv));
      if (title === this.title) return;
      this.title = title;
      await this.update(editor, { sessionUpdate: 'session_info_update', title, updatedAt: updated_at });
    } catch {
      // The prompt was answered all the same.
    }
  }

  private update(editor: AgentContext, update: SessionUpdate): Promise<void> {
    return editor.notify(methods.client.session.update, { sessionId: this.conv, update });
  }
}

/** Throws -32602 when the conversation is with another member than the one that is served. */
export function requireMember({ conv, member }: Conversation, served: string): void {
  if (member === served) return;
  throw invalidParams(`${conv} is a conversation with ${member ?? 'no member'}, not with ${served}.`, 'member_bound');
}
