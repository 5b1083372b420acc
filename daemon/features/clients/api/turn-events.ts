import type { LanguageModelUsage, TextStreamPart, ToolSet } from 'ai';
import type { ToolCall, Usage } from '../../../contract/conversations.js';
import { scrubSecrets } from '../../../lib/secrets/secrets.js';
import type { TurnEvent } from '../client.js';
import { CUT_ANSWER, NO_ROOM } from '../cut-answer.js';
import { ENDED_EARLY } from './failure.js';
import { type ApiTool, Fields } from './tool.js';
import type { ToolRuns } from './tool-runs.js';
import { TurnError } from './turn-failure.js';

const SHOWN_MAX_CHARS = 2_000;
const ANSWER_MAX_CHARS = 1024 * 1024;

interface Running {
  tools: readonly ApiTool[];
  runs: ToolRuns;
}

/**
 * Converts the model's stream into the events of a turn: text, tool calls and, after each step, the usage so far.
 * Throws the stream's error, and a `TurnError` when the stream ends without an answer.
 */
export async function* turnEvents(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  running: Running,
): AsyncGenerator<TurnEvent, void, void> {
  const calls = new Calls(running);
  const spent = new Spent();
  let chars = 0;
  let charsOfStep = 0;
  let isAnswered = false;
  let finish: Extract<TextStreamPart<ToolSet>, { type: 'finish' }> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta': {
        if (part.text === '') break;
        // Text before and after a tool use is separated by a paragraph break.
        const text = charsOfStep === 0 && chars > 0 ? `\n\n${part.text}` : part.text;
        chars += text.length;
        charsOfStep += text.length;
        if (chars > ANSWER_MAX_CHARS)
          throw new TurnError('The model said more than 1 MiB in one turn: it was stopped.');
        yield { type: 'text', text };
        break;
      }
      case 'tool-call':
        yield { type: 'tool', call: calls.begun(part) };
        break;
      case 'tool-result':
        yield { type: 'tool', call: calls.ended(part.toolCallId, 'done', String(part.output)) };
        break;
      case 'tool-error':
        yield {
          type: 'tool',
          call: calls.ended(
            part.toolCallId,
            'failed',
            part.error instanceof Error ? part.error.message : String(part.error),
          ),
        };
        break;
      case 'finish-step':
        if (spent.add(part.usage)) yield { type: 'usage', usage: spent.usage };
        refuseCutStep(part);
        calls.nextStep();
        isAnswered = charsOfStep > 0;
        charsOfStep = 0;
        break;
      case 'finish':
        finish = part;
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw new TurnError('The turn was called off.');
    }
  }
  if (!finish) throw new TurnError(ENDED_EARLY);
  if (!isAnswered) throw new TurnError(noAnswer(finish.finishReason));
  if (finish.finishReason === 'length') yield { type: 'text', text: CUT_ANSWER };
}

/** Throws for a step that was cut off: a stream without a finish reason was interrupted, even if it closed normally. */
function refuseCutStep({
  finishReason,
  rawFinishReason,
}: {
  finishReason: string;
  rawFinishReason: string | undefined;
}): void {
  if (finishReason === 'other' && rawFinishReason === undefined) throw new TurnError(ENDED_EARLY);
  if (finishReason === 'content-filter')
    throw new TurnError('The provider refused to answer this (its content filter).');
}

function noAnswer(finishReason: string): string {
  if (finishReason === 'length') return NO_ROOM;
  return 'The model ended its turn without an answer: ask again, or choose another model.';
}

/** Sums the usage that the model reported, over all steps. */
class Spent {
  usage: Usage = {};

  /** Returns whether there was anything to add. */
  add(step: LanguageModelUsage): boolean {
    const { inputTokens, outputTokens } = step;
    const { input_tokens, output_tokens } = this.usage;
    this.usage = {
      ...sum('input_tokens', input_tokens, inputTokens),
      ...sum('output_tokens', output_tokens, withReasoning(step)),
    };
    return inputTokens !== undefined || outputTokens !== undefined;
  }
}

/** Returns the output of a step. Some services (xAI) count the reasoning in the total only. */
function withReasoning({ inputTokens, outputTokens, raw }: LanguageModelUsage): number | undefined {
  const total = raw?.['total_tokens'];
  if (outputTokens === undefined || typeof total !== 'number' || !Number.isSafeInteger(total)) return outputTokens;
  return Math.max(outputTokens, total - (inputTokens ?? 0));
}

function sum(name: keyof Usage, before: number | undefined, more: number | undefined): Usage {
  const isCount = more !== undefined && Number.isSafeInteger(more) && more >= 0;
  return before === undefined && !isCount ? {} : { [name]: (before ?? 0) + (isCount ? more : 0) };
}

/** The tool calls of a turn by their ids, which some endpoints reuse in every step. */
class Calls {
  private readonly begunAt = new Map<string, { call: ToolCall; at: number }>();
  private step = 1;

  constructor(private readonly running: Running) {}

  begun({ toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown }): ToolCall {
    const tool = this.running.tools.find(({ name }) => name === toolName);
    const target = tool ? scrubSecrets(tool.target(new Fields(input))) : '';
    const call: ToolCall = {
      id: `${this.step}-${toolCallId}`.slice(0, 128),
      name: toolName.slice(0, 64),
      target,
      state: 'running',
    };
    this.begunAt.set(toolCallId, { call, at: this.running.runs.elapsed() });
    return call;
  }

  ended(toolCallId: string, state: 'done' | 'failed', output: string): ToolCall {
    const begun = this.begunAt.get(toolCallId);
    const call = begun?.call ?? { id: `${this.step}-${toolCallId}`.slice(0, 128), name: 'tool', target: '', state };
    const ms = Math.max(0, Math.round(this.running.runs.elapsed() - (begun?.at ?? this.running.runs.elapsed())));
    return { ...call, state, ms, output: scrubSecrets(output).slice(0, SHOWN_MAX_CHARS) };
  }

  nextStep(): void {
    this.step += 1;
    this.begunAt.clear();
  }
}
