import type { ToolCall, Usage } from '../../../contract/conversations.js';
import { AnswerText } from '../agent-program-answer.js';
import type { ToolCalls } from '../agent-program-calls.js';
import { turnCost } from '../agent-program-cost.js';
import { type JsonObject, toCount, toList, toObject, toText } from '../agent-program-json.js';
import type { TurnEvent } from '../client.js';
import { readCommand } from '../permission-detail.js';

const MAY_READ = new Set(['read', 'search', 'think']);
/** Tool kinds that change something or use the network. `other` and `switch_mode` are too unspecific to count. */
const ACTS = new Set(['edit', 'delete', 'move', 'execute', 'fetch']);

/** Limit of recorded paths per tool use. Further paths are dropped. */
const PATHS_MAX = 200;

interface KnownUse {
  name: string;
  target: string;
  kind: string;
  paths: readonly string[];
  /** The last content and input that were reported: an agent need not repeat them in a permission request. */
  content: unknown;
  input: JsonObject;
}

/** Translates an agent's `session/update` notifications into turn events. */
export class AcpUpdates {
  private readonly answer = new AnswerText();
  private readonly known = new Map<string, KnownUse>();
  private lastMessage = '';
  private costBefore = 0;
  private sessionCost: number | undefined;

  constructor(private readonly calls: ToolCalls) {}

  /** Sets what the session had cost before this turn: agents report the cost of the whole session. */
  startFrom(costUsd: number): void {
    this.costBefore = costUsd;
  }

  /** What the whole session has cost, as last reported in this turn. */
  get costOfSession(): number | undefined {
    return this.sessionCost;
  }

  /** The cost of this turn. */
  private get cost(): number | undefined {
    return this.sessionCost === undefined ? undefined : turnCost(this.sessionCost, this.costBefore);
  }

  /** Yields the events of one update. Throws an Error when the answer exceeds the maximum length. */
  *take(update: JsonObject): Generator<TurnEvent, void, void> {
    switch (update['sessionUpdate']) {
      case 'agent_message_chunk':
        yield* this.say(update);
        return;
      case 'tool_call':
      case 'tool_call_update':
        // Text after a tool use starts a new paragraph.
        this.answer.startBlock();
        yield* this.tool(update);
        return;
      case 'usage_update': {
        const amount = getCost(update);
        if (amount === undefined) return;
        this.sessionCost = amount;
        if (this.cost !== undefined) yield { type: 'usage', usage: { cost_usd: this.cost } };
      }
    }
  }

  /** The kind of a tool use as reported so far; empty while the agent has not reported one. */
  getKind(toolCall: JsonObject): string {
    return toText(toolCall['kind']) || (this.known.get(toText(toolCall['toolCallId']))?.kind ?? '');
  }

  /** Whether the update reports a completed action that is forbidden in a run for another program. */
  isForbiddenOutside(update: JsonObject, isIn: (path: string) => boolean): boolean {
    if (update['status'] !== 'completed') return false;
    const paths = this.known.get(toText(update['toolCallId']))?.paths ?? [];
    return isAct(this.getKind(update)) || !paths.every(isIn);
  }

  /** Returns the agent's name for the tool, the target of the use, and what was last reported of it. */
  describe(toolCall: JsonObject): Omit<KnownUse, 'kind' | 'paths'> {
    const id = toText(toolCall['toolCallId']);
    const before = this.known.get(id);
    const input = toObject(toolCall['rawInput']);
    const title = toText(toolCall['title']);
    const path = toText(toObject(toList(toolCall['locations'])[0])['path']);
    const fields = ['file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'member'];
    const said = [readCommand(input['command']), ...fields.map((field) => toText(input[field]))];
    const kind = this.getKind(toolCall);
    const name = toText(toolCall['name']) || before?.name || kind || title || 'tool';
    const target = said.find((text) => text !== '') || (title === name ? '' : title) || before?.target || path;
    const reported = toolCall['content'];
    const use: KnownUse = {
      name,
      target,
      kind,
      paths: [...(before?.paths ?? []), ...namedPaths(toolCall)].slice(0, PATHS_MAX),
      content: Array.isArray(reported) ? reported : before?.content,
      input: Object.keys(input).length > 0 ? input : (before?.input ?? input),
    };
    this.known.set(id, use);
    return use;
  }

  /** Returns the usage that the agent reported, from the prompt response and the last cost update. */
  usage(response: JsonObject): Usage | undefined {
    const reported = toObject(response['usage']);
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, totalTokens } = reported;
    const read = [inputTokens, cachedReadTokens, cachedWriteTokens].map(toCount);
    const input = read.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const output = toCount(outputTokens);
    const usage: Usage = {
      ...(read.every((count) => count === undefined) ? {} : { input_tokens: input }),
      // Some agents count the thoughts in the total only.
      ...(output === undefined ? {} : { output_tokens: Math.max(output, (toCount(totalTokens) ?? 0) - input) }),
      ...(this.cost === undefined ? {} : { cost_usd: this.cost }),
    };
    return Object.keys(usage).length === 0 ? undefined : usage;
  }

  private *say(update: JsonObject): Generator<TurnEvent, void, void> {
    const message = toText(update['messageId']);
    if (message !== this.lastMessage) this.answer.startBlock();
    this.lastMessage = message;
    const text = this.answer.add(toText(toObject(update['content'])['text']));
    if (text !== '') yield { type: 'text', text };
  }

  private *tool(update: JsonObject): Generator<TurnEvent, void, void> {
    const id = toText(update['toolCallId']);
    if (id === '') return;
    const { name, target } = this.describe(update);
    const status = update['status'];
    const begun = this.calls.begin(id, name, target);
    const hasEnded = status === 'completed' || status === 'failed';
    const use = this.known.get(id);
    // The texts of a use that has ended are not needed again.
    if (hasEnded && use) this.known.set(id, { ...use, content: undefined, input: {} });
    const call: ToolCall | undefined = hasEnded
      ? this.calls.end(id, status === 'failed' ? 'failed' : 'done', getOutput(update))
      : begun;
    if (call) yield { type: 'tool', call };
  }
}

/** Returns the cost in US dollars that an update reports; undefined for any other update. */
export function getCost(update: JsonObject): number | undefined {
  const { amount, currency } = toObject(update['cost']);
  const isCost = update['sessionUpdate'] === 'usage_update' && typeof amount === 'number' && amount >= 0;
  return isCost && Number.isFinite(amount) && currency === 'USD' ? amount : undefined;
}

/** Returns the paths that a tool use names in its locations and its input. */
export function namedPaths(toolCall: JsonObject): string[] {
  const input = toObject(toolCall['rawInput']);
  return [
    ...toList(toolCall['locations']).map((location) => toText(toObject(location)['path'])),
    ...['file_path', 'filePath', 'absolute_path', 'path', 'dir_path', 'filepath'].map((field) => toText(input[field])),
  ].filter((path) => path !== '');
}

/** Whether a tool of this kind changes something or uses the network. */
export const isAct = (kind: string) => ACTS.has(kind);

/** Whether a tool of this kind only reads. */
export const onlyReads = (kind: string) => MAY_READ.has(kind);

function getOutput(update: JsonObject): string {
  const texts = toList(update['content']).map((part) => toText(toObject(toObject(part)['content'])['text']));
  return texts.filter(Boolean).join('\n');
}
