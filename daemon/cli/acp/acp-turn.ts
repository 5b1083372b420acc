import { type AgentContext, methods, type PromptResponse, type SessionUpdate } from '@agentclientprotocol/sdk';
import type { Message, MessageAccepted, NewMessage, Permission, ToolCall, Turn } from '../../contract/conversations.js';
import { getErrorMessage } from '../../lib/errors.js';
import {
  conversationPath,
  type LiveConversation,
  type Moment,
  permissionPath,
} from '../conversations/live-conversation.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { turnError } from './acp-errors.js';
import { listChoices } from './acp-permissions.js';
import { agentText, listSources, reportCall, reportQuestion } from './acp-updates.js';

interface TurnPorts {
  conv: string;
  root: string;
  client: HttpClient;
  live: LiveConversation;
  editor: AgentContext;
  /** Prints a remark for the user. */
  note(line: string): void;
}

/** A question that the editor was asked. */
interface Asked {
  permission: Permission;
  /** The tool call by which the editor shows it. */
  call: string;
  /** Aborted when the question is answered elsewhere, or its turn has ended. */
  over: AbortController;
}

/** One prompt: its turn is shown in the editor until it ends, and its questions are put there too. */
export class EditorTurn {
  private turn: string | undefined;
  private isCancelled = false;
  private hasText = false;
  private readonly calls = new Map<string, ToolCall>();
  /** Tool calls that the editor knows by the id of their question, because that was reported first. */
  private readonly ids = new Map<string, string>();
  private readonly asked = new Map<string, Asked>();

  constructor(private readonly ports: TurnPorts) {}

  /**
   * Sends the message and resolves when its turn has ended. Throws the daemon's refusal, `unreachable` when the daemon
   * is gone, and RequestError for a turn that ended without an answer.
   */
  async run(message: NewMessage): Promise<PromptResponse> {
    const { client, live } = this.ports;
    try {
      const path = `${conversationPath(this.ports.conv)}/messages`;
      this.turn = (await client.send<MessageAccepted>('POST', path, { body: message })).turn;
      if (this.isCancelled) await this.stop();
      for await (const moment of live.moments()) {
        const response = await this.take(moment);
        if (response) return response;
      }
      return { stopReason: 'cancelled' };
    } finally {
      for (const { over } of this.asked.values()) over.abort();
    }
  }

  /** Cancels the turn, which then ends. Idempotent. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    await this.stop();
  }

  private async stop(): Promise<void> {
    const { conv, client } = this.ports;
    if (this.turn === undefined) return;
    const path = conversationPath(conv);
    const { running } = await client.get<{ running: string | null }>(path);
    if (running === this.turn) await client.send('POST', `${path}/cancel`, { body: {} });
    else await client.send('DELETE', `${path}/messages/${encodeURIComponent(this.turn)}`).catch(ignoreStarted);
  }

  private async take(moment: Moment): Promise<PromptResponse | undefined> {
    if (moment.kind === 'deleted')
      throw new CommandError(EXIT.notFound, 'The conversation was deleted meanwhile.', 'not_found');
    if (moment.turn !== this.turn) return undefined;
    switch (moment.kind) {
      case 'text':
        this.hasText = true;
        await this.update(agentText(moment.text));
        return undefined;
      case 'call':
        await this.showCall(moment.call);
        return undefined;
      case 'question':
        void this.ask(moment.permission);
        return undefined;
      case 'decided':
        await this.settle(moment.permission);
        return undefined;
      case 'ended':
        return this.end(moment.record, moment.answer);
      default:
        return undefined;
    }
  }

  private async end(record: Turn, answer: Message | undefined): Promise<PromptResponse> {
    if (answer && !this.hasText && answer.text !== '') await this.update(agentText(answer.text));
    const sources = listSources(this.ports.root, answer?.citations ?? []);
    if (sources !== '') await this.update(agentText(sources));
    if (this.isCancelled || record.outcome === 'cancelled') return { stopReason: 'cancelled' };
    if (record.outcome !== 'answered') throw turnError(record);
    return { stopReason: 'end_turn' };
  }

  private async showCall(call: ToolCall): Promise<void> {
    const isNew = !this.calls.has(call.id);
    if (isNew) this.adoptQuestion(call);
    this.calls.set(call.id, call);
    const id = this.ids.get(call.id) ?? call.id;
    const report = reportCall(this.ports.root, call, id);
    if (isNew && id === call.id) await this.update({ sessionUpdate: 'tool_call', ...report });
    else await this.update({ sessionUpdate: 'tool_call_update', ...report });
  }

  /** A tool call that is reported after its question keeps the id by which the editor knows it. */
  private adoptQuestion({ id, name, target }: ToolCall): void {
    const known = new Set(this.ids.values());
    for (const { permission, call } of this.asked.values()) {
      const isIt = permission.tool === name && permission.target === target && call === questionId(permission);
      if (isIt && !known.has(call)) {
        this.ids.set(id, call);
        return;
      }
    }
  }

  /** The tool call that a question is about; the newest one with its tool and target that runs. */
  private findCall({ tool, target }: Permission): string | undefined {
    const fits = [...this.calls.values()].filter(
      (call) => call.state === 'running' && call.name === tool && call.target === target,
    );
    const id = fits.at(-1)?.id;
    return id && (this.ids.get(id) ?? id);
  }

  /** Asks the editor for the decision. What is decided elsewhere first is withdrawn from the editor. */
  private async ask(permission: Permission): Promise<void> {
    const { root, conv, client, editor, note } = this.ports;
    const call = this.findCall(permission) ?? questionId(permission);
    const over = new AbortController();
    this.asked.set(permission.pid, { permission, call, over });
    const choices = listChoices(permission);
    const options = choices.map(({ option }) => option);
    const toolCall = reportQuestion(root, permission, call);
    try {
      // An editor shows a call that it knows; one that the agent has not reported yet is known from here on.
      if (call === questionId(permission)) await this.update({ sessionUpdate: 'tool_call', ...toolCall });
      const { outcome } = await editor.request(
        methods.client.session.requestPermission,
        { sessionId: conv, toolCall, options },
        { cancellationSignal: over.signal, stopWaitingOnCancel: true },
      );
      if (over.signal.aborted || this.isCancelled) return;
      const chosen =
        outcome.outcome === 'selected' ? choices.find(({ option }) => option.optionId === outcome.optionId) : undefined;
      if (chosen) await client.send<Permission>('POST', permissionPath(permission), { body: chosen.decision });
      else note(waiting(permission, 'The editor gave no decision'));
    } catch (error) {
      if (!over.signal.aborted) note(waiting(permission, getErrorMessage(error)));
    }
  }

  /** The question was answered, here or elsewhere. */
  private async settle({ pid, decision }: Permission): Promise<void> {
    const asked = this.asked.get(pid);
    if (!asked) return;
    asked.over.abort();
    if (asked.call !== questionId(asked.permission)) return;
    const status = decision === 'deny' ? 'failed' : 'completed';
    await this.update({ sessionUpdate: 'tool_call_update', toolCallId: asked.call, status });
  }

  private update(update: SessionUpdate): Promise<void> {
    const { editor, conv } = this.ports;
    return editor.notify(methods.client.session.update, { sessionId: conv, update });
  }
}

const questionId = ({ pid }: Permission) => `question-${pid}`;

const waiting = ({ pid }: Permission, why: string) =>
  `${why.replace(/\.$/, '')}; the question waits: \`meshd inbox allow|always|deny ${pid}\`, or the dashboard.`;

/** The queued message may have started or ended in the meantime: then there is nothing to remove. */
function ignoreStarted(error: unknown): void {
  if (!(error instanceof CommandError && error.exit === EXIT.conflict)) throw error;
}
