import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  SessionUpdate,
  ToolCallContent,
  ToolCall as ToolCallReport,
  ToolCallStatus,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Citation } from '../../contract/asks.js';
import type { Message, Permission, ToolCall, Turn } from '../../contract/conversations.js';
import { callLine, endingLine } from '../conversations/conversation-format.js';

/** The kind of a tool by its name in lower case. Agents of the protocol report the kind itself as the name. */
const KINDS: readonly (readonly [ToolKind, RegExp])[] = [
  ['read', /^(?:read|view|cat|open|notebookread)(?:_?file|_?many_?files)?$/],
  ['edit', /^(?:edit|multiedit|write|create|patch|apply_?patch|replace|str_?replace|notebookedit)(?:_?file)?$/],
  ['delete', /^(?:delete|remove|rm)(?:_?file)?$/],
  ['move', /^(?:move|rename|mv)(?:_?file)?$/],
  ['search', /^(?:search|grep|glob|ls|list|find|search_project|list_?directory)(?:_?files?)?$/],
  ['execute', /^(?:execute|bash|shell|run|terminal|powershell|run_?shell_?command|exec)$/],
  ['fetch', /^(?:fetch|web_?fetch|web_?search)$/],
  ['think', /^(?:think|task|todowrite|plan)$/],
];
const HAS_PATH: ReadonlySet<ToolKind> = new Set(['read', 'edit', 'delete', 'move']);
const STATUS: Readonly<Record<ToolCall['state'], ToolCallStatus>> = {
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
};

export function getToolKind(name: string): ToolKind {
  return KINDS.find(([, pattern]) => pattern.test(name.toLowerCase()))?.[0] ?? 'other';
}

const toAbsolute = (root: string, path: string) => (isAbsolute(path) ? path : join(root, path));
const text = (words: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text: words } });

function getLocations(root: string, { name, target }: Pick<ToolCall, 'name' | 'target'>): { path: string }[] {
  const isPath = HAS_PATH.has(getToolKind(name)) && target !== '' && !/[\n\0]/.test(target);
  return isPath ? [{ path: toAbsolute(root, target) }] : [];
}

/** The report of a tool call. `id` is the one that the editor knows it by. */
export function reportCall(root: string, call: ToolCall, id: string): ToolCallReport {
  const locations = getLocations(root, call);
  return {
    toolCallId: id,
    title: callLine(call),
    kind: getToolKind(call.name),
    status: STATUS[call.state],
    ...(locations.length > 0 && { locations }),
    ...(call.output !== undefined && call.output !== '' && { content: [text(call.output)] }),
  };
}

/** What would happen if the permission was given: diffs for changes of files, else the whole command or input. */
function describeDetail(root: string, { detail }: Permission): ToolCallContent[] {
  switch (detail?.kind) {
    case 'edit': {
      const changes = detail.changes ?? [];
      const isWhole = changes.every(({ cut }) => !cut) && !detail.changes_left_out;
      return [
        ...changes.map(
          ({ path, old_text, new_text }): ToolCallContent => ({
            type: 'diff',
            path: toAbsolute(root, path),
            oldText: old_text,
            newText: new_text,
          }),
        ),
        ...(isWhole ? [] : [text('There is more than is shown here: it is too long.')]),
      ];
    }
    case 'command':
      return [text(`$ ${detail.command ?? ''}\nin ${detail.folder ?? root}`)];
    case 'fetch':
      return [text(`${detail.method ?? 'GET'} ${detail.url ?? ''}`)];
    case 'input':
      return [text(`${detail.text ?? ''}${detail.cut ? '\n[cut: too long]' : ''}`)];
    default:
      return [];
  }
}

/** The tool call of a permission request, waiting for its decision. */
export function reportQuestion(root: string, permission: Permission, id: string): ToolCallReport {
  const call = { name: permission.tool, target: permission.target };
  const locations = getLocations(root, call);
  const reason = permission.reason === '' ? [] : [text(permission.reason)];
  const content = [...reason, ...describeDetail(root, permission)];
  return {
    toolCallId: id,
    title: callLine(call),
    kind: getToolKind(permission.tool),
    status: 'pending',
    ...(locations.length > 0 && { locations }),
    ...(content.length > 0 && { content }),
  };
}

export const agentText = (words: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: words },
});

/** The verified places of an answer as Markdown links; empty without any. */
export function listSources(root: string, citations: readonly Citation[]): string {
  const places = citations.filter(({ status }) => status === 'checked' || status === 'moved');
  if (places.length === 0) return '';
  const lines = places.map(({ path, start_line, end_line }) => {
    const url = `${pathToFileURL(join(root, path)).href}#L${start_line}:${end_line}`;
    return `- [${path}:${start_line}-${end_line}](${url})`;
  });
  return `\n\nVerified sources:\n${lines.join('\n')}\n`;
}

/** The updates that show a stored message again. `turn` is the record of its turn, if it has ended. */
export function* replayMessage(root: string, message: Message, turn: Turn | undefined): Generator<SessionUpdate> {
  const { role, calls, citations } = message;
  if (role === 'user') {
    yield { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: message.text } };
    return;
  }
  for (const call of calls) yield { sessionUpdate: 'tool_call', ...reportCall(root, call, call.id) };
  const ending = role === 'assistant' && turn ? endingLine(turn) : '';
  const words = `${message.text}${listSources(root, citations)}${ending === '' ? '' : `\n\n${ending}`}`;
  if (words !== '') yield agentText(words);
}
