import { emptyMessage } from './empty-message.js';

/** One response of the model. */
export interface ModelReply {
  /** What the model thought before the text, in the OpenAI-compatible dialect only. */
  reasoning?: string;
  /** Text chunks that precede the tool calls. */
  text?: readonly string[];
  calls?: readonly { name: string; input: unknown; id?: string; extra_content?: object }[];
  /** `reasoning`: tokens that the output leaves out and the total has, in the OpenAI-compatible dialect only. */
  usage?: { input: number; output: number; reasoning?: number };
  /** Why the response stops, in a form common to both dialects. */
  stop?: 'length';
  /** HTTP error status; `body` is its body. */
  status?: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /**
   * After the text: `cut` breaks the connection, `ends` closes it properly without the end of the stream, `hang` sends
   * nothing more.
   */
  ending?: 'cut' | 'ends' | 'hang';
  /** Sent unchanged in place of a stream. */
  raw?: string;
  /** An error within the stream, after the text. */
  error?: { type: string; message: string };
}

const DEFAULT_USAGE: NonNullable<ModelReply['usage']> = { input: 11, output: 7 };

/**
 * Returns `reply` as server-sent events of OpenAI-compatible chat completions. The arguments of a tool call arrive in
 * two chunks, as real ones do.
 */
export function* chatEvents(reply: ModelReply, model: string): Generator<string> {
  const chunk = (delta: object, finish: string | null = null) =>
    'data: ' +
    `${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  yield chunk({ role: 'assistant', content: '' });
  if (reply.reasoning !== undefined) yield chunk({ reasoning_content: reply.reasoning });
  for (const text of reply.text ?? []) yield chunk({ content: text });
  if (reply.error) return yield `data: ${JSON.stringify({ error: reply.error })}\n\n`;
  if (reply.ending !== undefined) return;
  for (const [index, { name, input, id, ...extra }] of (reply.calls ?? []).entries()) {
    const [start, end] = halves(JSON.stringify(input));
    const call = { index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: start } };
    yield chunk({ tool_calls: [{ ...call, ...extra }] });
    yield chunk({ tool_calls: [{ index, function: { arguments: end } }] });
  }
  yield chunk({}, reply.stop ?? (reply.calls ? 'tool_calls' : 'stop'));
  const { input, output, reasoning = 0 } = reply.usage ?? DEFAULT_USAGE;
  yield `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output + reasoning,
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  })}\n\n`;
  yield 'data: [DONE]\n\n';
}

/** Returns `reply` as server-sent events of Anthropic's Messages API. */
export function* anthropicEvents(reply: ModelReply, model: string): Generator<string> {
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const { input, output } = reply.usage ?? DEFAULT_USAGE;
  const message = emptyMessage('msg_1', model);
  yield event('message_start', { message: { ...message, usage: { input_tokens: input, output_tokens: 1 } } });
  yield event('ping', {});
  let index = 0;
  if (reply.text) {
    yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    for (const text of reply.text) yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
  }
  if (reply.error) return yield event('error', { error: reply.error });
  if (reply.ending !== undefined) return;
  if (reply.text) {
    yield event('content_block_stop', { index });
    index += 1;
  }
  for (const { name, input: given, id } of reply.calls ?? []) {
    const [start, end] = halves(JSON.stringify(given));
    yield event('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: id ?? `toolu_${index}`, name, input: {} },
    });
    yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: start } });
    yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: end } });
    yield event('content_block_stop', { index });
    index += 1;
  }
  const stop = reply.stop === 'length' ? 'max_tokens' : reply.calls ? 'tool_use' : 'end_turn';
  yield event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } });
  yield event('message_stop', {});
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
