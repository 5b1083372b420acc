import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { emptyMessage } from './empty-message.js';

/**
 * Output of the model in one step: text and an optional tool call. The next step follows when the tool's result has
 * arrived.
 */
interface ModelStep {
  text: string;
  tool?: { name: string; input: Record<string, unknown> };
}

/** The one model that the service does not have. */
export const NO_MODEL = 'no-such-model-anywhere';

interface Asked {
  model: string;
  stream?: boolean;
  tools?: unknown[];
  messages: { role: string; content: unknown }[];
}

/**
 * A stand-in for a model service on the loopback address. It supports the Anthropic Messages and the OpenAI Chat
 * Completions protocols, streaming, and returns scripted steps. It keeps every request, so that tests can inspect what
 * an agent sent to its model.
 */
export class AgentsModel {
  steps: readonly ModelStep[] = [];
  readonly requests: string[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.answer(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const path = request.url?.split('?')[0] ?? '';
    if (path !== '/v1/messages' && path !== '/v1/chat/completions') {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"type":"not_found_error","message":"not here"}}');
      return;
    }
    this.requests.push(body);
    const asked = JSON.parse(body) as Asked;
    if (asked.model === NO_MODEL) {
      const error = { type: 'not_found_error', message: `model: ${NO_MODEL}` };
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
      return;
    }
    const step = asked.tools?.length ? this.stepFor(asked) : { text: 'A title' };
    response.writeHead(200, { 'content-type': asked.stream === true ? 'text/event-stream' : 'application/json' });
    const isMessages = path === '/v1/messages';
    if (asked.stream !== true)
      response.end(JSON.stringify(isMessages ? wholeMessage(asked, step) : wholeCompletion(asked, step)));
    else if (isMessages) streamMessage(response, asked, step);
    else streamCompletion(response, asked, step);
  }

  /** Selects the step by the number of tool results since the last message of the user. */
  private stepFor({ messages }: Asked): ModelStep {
    let results = 0;
    for (const { role, content } of messages) {
      const parts = Array.isArray(content) ? (content as { type: string }[]) : [];
      const given = role === 'tool' ? 1 : parts.filter(({ type }) => type === 'tool_result').length;
      if (given > 0) results += given;
      else if (role === 'user') results = 0;
    }
    return this.steps[Math.min(results, this.steps.length - 1)] ?? { text: 'Nothing to say.' };
  }
}

const USAGE = { input_tokens: 11, output_tokens: 7 };
const CHAT_USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const callId = () => `call_${Math.random().toString(36).slice(2, 12)}`;
const pieces = (text: string) => text.match(/\S+\s*/g) ?? [];

const wholeMessage = ({ model }: Asked, { text }: ModelStep) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: USAGE,
});

const wholeCompletion = ({ model }: Asked, { text }: ModelStep) => ({
  id: 'c-1',
  object: 'chat.completion',
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: CHAT_USAGE,
});

function streamMessage(response: ServerResponse, { model }: Asked, { text, tool }: ModelStep): void {
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const message = emptyMessage(callId(), model);
  event('message_start', { message: { ...message, usage: { ...USAGE, output_tokens: 1 } } });
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (const piece of pieces(text))
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } });
  event('content_block_stop', { index: 0 });
  if (tool) {
    event('content_block_start', {
      index: 1,
      content_block: { type: 'tool_use', id: callId(), name: tool.name, input: {} },
    });
    event('content_block_delta', {
      index: 1,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) },
    });
    event('content_block_stop', { index: 1 });
  }
  event('message_delta', {
    delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: USAGE.output_tokens },
  });
  event('message_stop', {});
  response.end();
}

function streamCompletion(response: ServerResponse, { model }: Asked, { text, tool }: ModelStep): void {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason }];
    response.write(
      'data: ' +
        `${JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`,
    );
  };
  for (const piece of pieces(text)) chunk({ role: 'assistant', content: piece }, null);
  if (tool) {
    const call = {
      index: 0,
      id: callId(),
      type: 'function',
      function: { name: tool.name, arguments: JSON.stringify(tool.input) },
    };
    chunk({ tool_calls: [call] }, null);
  }
  chunk({}, tool ? 'tool_calls' : 'stop', { usage: CHAT_USAGE });
  response.end('data: [DONE]\n\n');
}
