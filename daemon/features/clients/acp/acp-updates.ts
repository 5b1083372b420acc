import type { ToolCall, Usage } from '../../../contract/conversations.js';
import { AnswerText } from '../agent-program-answer.js';
import type { ToolCalls } from '../agent-program-calls.js';
import { countOf, type JsonObject, listOf, objectOf, textOf } from '../agent-program-json.js';
import type { TurnEvent } from '../client.js';

const MAY_READ = new Set(['read', 'search', 'think']);
/** Kinds of tools that change something or reach out. `other` and `switch_mode` say too little to be counted. */
const ACTS = new Set(['edit', 'delete', 'move', 'execute', 'fetch']);

/** Of one use of a tool; more are not told apart from none. */
const PATHS_MAX = 200;

/** What an agent's `session/update` notifications come to. */
export class AcpUpdates {
  private readonly answer = new AnswerText();
  private readonly known = new Map<string, { name: string; target: string; kind: string; paths: readonly string[] }>();
  private lastMessage = '';
  private cost: number | undefined;

  constructor(private readonly calls: ToolCalls) {}

  /** The events of one update. Throws an Error when the answer is longer than anything that is kept. */
  *take(update: JsonObject): Generator<TurnEvent, void, void> {
    switch (update['sessionUpdate']) {
      case 'agent_message_chunk':
        yield* this.say(update);
        return;
      case 'tool_call':
      case 'tool_call_update':
        // Words after a tool are a paragraph of their own.
        this.answer.startBlock();
        yield* this.tool(update);
        return;
      case 'usage_update': {
        const { amount, currency } = objectOf(update['cost']);
        if (typeof amount === 'number' && amount >= 0 && currency === 'USD') this.cost = amount;
      }
    }
  }

  /** What a tool is used for, as told so far: `kind` is empty while the agent has not said. */
  kindOf(toolCall: JsonObject): string {
    return textOf(toolCall['kind']) || (this.known.get(textOf(toolCall['toolCallId']))?.kind ?? '');
  }

  /** True when the update says that something was done that a run for another program may not do. */
  isForbiddenOutside(update: JsonObject, isIn: (path: string) => boolean): boolean {
    if (update['status'] !== 'completed') return false;
    const paths = this.known.get(textOf(update['toolCallId']))?.paths ?? [];
    return ACTS.has(this.kindOf(update)) || !paths.every(isIn);
  }

  /** The agent's name for the tool, and what it is used on. */
  describe(toolCall: JsonObject): { name: string; target: string } {
    const id = textOf(toolCall['toolCallId']);
    const before = this.known.get(id);
    const input = objectOf(toolCall['rawInput']);
    const title = textOf(toolCall['title']);
    const path = textOf(objectOf(listOf(toolCall['locations'])[0])['path']);
    const said = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url'].map((field) =>
      textOf(input[field]),
    );
    const kind = this.kindOf(toolCall);
    const name = textOf(toolCall['name']) || before?.name || kind || title || 'tool';
    const target = said.find((text) => text !== '') || (title === name ? '' : title) || before?.target || path;
    this.known.set(id, {
      name,
      target,
      kind,
      paths: [...(before?.paths ?? []), ...namedPaths(toolCall)].slice(0, PATHS_MAX),
    });
    return { name, target };
  }

  /** What the agent reported of its work, from the answer to the prompt. */
  usage(response: JsonObject): Usage | undefined {
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = objectOf(response['usage']);
    const read = [inputTokens, cachedReadTokens, cachedWriteTokens].map(countOf);
    const output = countOf(outputTokens);
    const usage: Usage = {
      ...(read.every((count) => count === undefined)
        ? {}
        : { input_tokens: read.reduce<number>((sum, count) => sum + (count ?? 0), 0) }),
      ...(output === undefined ? {} : { output_tokens: output }),
      ...(this.cost === undefined ? {} : { cost_usd: this.cost }),
    };
    return Object.keys(usage).length === 0 ? undefined : usage;
  }

  private *say(update: JsonObject): Generator<TurnEvent, void, void> {
    const message = textOf(update['messageId']);
    if (message !== this.lastMessage) this.answer.startBlock();
    this.lastMessage = message;
    const text = this.answer.add(textOf(objectOf(update['content'])['text']));
    if (text !== '') yield { type: 'text', text };
  }

  private *tool(update: JsonObject): Generator<TurnEvent, void, void> {
    const id = textOf(update['toolCallId']);
    if (id === '') return;
    const { name, target } = this.describe(update);
    const status = update['status'];
    const begun = this.calls.begin(id, name, target);
    const hasEnded = status === 'completed' || status === 'failed';
    const call: ToolCall | undefined = hasEnded
      ? this.calls.end(id, status === 'failed' ? 'failed' : 'done', outputOf(update))
      : begun;
    if (call) yield { type: 'tool', call };
  }
}

/** The paths that a use of a tool names. */
export function namedPaths(toolCall: JsonObject): string[] {
  const input = objectOf(toolCall['rawInput']);
  return [
    ...listOf(toolCall['locations']).map((location) => textOf(objectOf(location)['path'])),
    ...['file_path', 'filePath', 'absolute_path', 'path', 'dir_path', 'filepath'].map((field) => textOf(input[field])),
  ].filter((path) => path !== '');
}

/** Whether a tool of this kind only looks. */
export const onlyReads = (kind: string) => MAY_READ.has(kind);

function outputOf(update: JsonObject): string {
  const texts = listOf(update['content']).map((part) => textOf(objectOf(objectOf(part)['content'])['text']));
  return texts.filter(Boolean).join('\n');
}
