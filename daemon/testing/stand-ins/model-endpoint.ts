import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { anthropicEvents, chatEvents, type ModelReply } from './model-endpoint-dialects.js';

interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: ModelRequestBody;
}

interface ModelRequestBody {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
  tools?: unknown[];
  tool_choice?: unknown;
  system?: unknown;
  [field: string]: unknown;
}

/** The replies of the model in order, or a function that returns the reply to each request. */
type ModelScenario = readonly ModelReply[] | ((request: ModelRequest, index: number) => ModelReply);

/**
 * A model endpoint on the loopback interface that follows a scenario, in the OpenAI-compatible dialect and in
 * Anthropic's, over real HTTP. Stopped when the test ends.
 */
export class ModelEndpoint {
  readonly requests: ModelRequest[] = [];
  readonly modelRequests: ModelRequest['headers'][] = [];
  models: readonly string[] = ['stand-in-1', 'stand-in-0'];
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.answer(request, response));
  private waiting: (() => void)[] = [];

  private constructor(private readonly scenario: ModelScenario) {}

  static async start(scenario: ModelScenario): Promise<ModelEndpoint> {
    const endpoint = new ModelEndpoint(scenario);
    endpoint.server.on('connection', (socket) => {
      endpoint.sockets.add(socket);
      socket.on('close', () => {
        endpoint.sockets.delete(socket);
        endpoint.wake();
      });
    });
    await new Promise<void>((resolve) => endpoint.server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => endpoint.stop());
    return endpoint;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.sockets.size;
  }

  /** Resolves when no connection is open. */
  async untilClosed(): Promise<void> {
    while (this.sockets.size > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Resolves when `count` requests in total have arrived. */
  async untilAsked(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Closes every connection, and resolves when a new one is refused. Idempotent. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const { port } = this.server.address() as AddressInfo;
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    while ((await connecting(port)) !== 'ECONNREFUSED');
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/v1/models') {
      this.modelRequests.push(request.headers);
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: this.models.map((id) => ({ id })) }));
      return;
    }
    const asked = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(await toText(request)) as ModelRequestBody,
    };
    this.requests.push(asked);
    const index = this.requests.length - 1;
    const reply = typeof this.scenario === 'function' ? this.scenario(asked, index) : this.scenario[index];
    if (!reply) refuse(response, 500, { error: { message: 'The scenario has no further reply.' } }, {});
    else if (reply.status !== undefined) refuse(response, reply.status, reply.body ?? {}, reply.headers ?? {});
    else this.stream(response, reply, asked);
    this.wake();
  }

  private stream(response: ServerResponse, reply: ModelReply, { path, body }: ModelRequest): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers });
    if (reply.raw !== undefined) return void response.end(reply.raw);
    const events = path.endsWith('/messages') ? anthropicEvents(reply, body.model) : chatEvents(reply, body.model);
    for (const event of events) response.write(event);
    if (reply.ending === 'cut') return void setImmediate(() => response.socket?.destroy());
    if (reply.ending !== 'hang') response.end();
  }
}

/**
 * Returns the error code of an attempt to connect to a port, or undefined. Shortly after `close` the system may still
 * accept a connection and then break it: a child process that another thread is starting holds the listening socket
 * until it executes its program.
 */
function connecting(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).on('close', () => resolve(undefined));
  });
}

function refuse(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

async function toText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
