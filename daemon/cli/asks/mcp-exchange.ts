import { type IncomingMessage, request } from 'node:http';

/** A JSON-RPC message, with the fields that the bridge reads. */
export interface RpcMessage {
  jsonrpc?: unknown;
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
}

/** The daemon did not respond. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(
    /** Whether the daemon may have received the request. */
    readonly mayHaveArrived: boolean,
    reason: string,
  ) {
    super(`The daemon did not answer: ${reason}.`);
  }
}

export interface McpReply {
  status: number;
  session: string | undefined;
  /** The messages of the response; those of a stream as they arrive. Anything that is not a message is skipped. */
  messages(): AsyncIterable<RpcMessage>;
  /** The complete body of a response that is not a stream. */
  text(): Promise<string>;
  /** Discards the unread part of the response. */
  drop(): void;
}

interface McpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: RpcMessage;
  signal: AbortSignal;
}

/**
 * One HTTP exchange of the protocol. Resolves with the head of the response, without a timeout. Throws
 * `UnansweredError`.
 */
export function exchange({ method, url, headers, body, signal }: McpRequest): Promise<McpReply> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const outgoing = request(
      url,
      {
        method,
        agent: false,
        signal,
        headers: {
          accept: 'application/json, text/event-stream',
          'user-agent': 'meshd-mcp',
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
          ...headers,
        },
      },
      (response) => resolve(readReply(response)),
    );
    outgoing.on('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true;
      }),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      reject(new UnansweredError(isConnected, error.code ?? error.message)),
    );
    outgoing.end(payload);
  });
}

function readReply(response: IncomingMessage): McpReply {
  const { statusCode = 0, headers } = response;
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  const session = headers['mcp-session-id'];
  const text = () => readText(response);
  return {
    status: statusCode,
    session: typeof session === 'string' ? session : undefined,
    messages: () => (isStream ? streamed(response) : whole(text)),
    text,
    drop: () => void response.destroy(),
  };
}

async function* whole(text: () => Promise<string>): AsyncIterable<RpcMessage> {
  const value = parsed(await text());
  if (value) yield value;
}

/** The messages of a stream of server-sent events. A stream that breaks ends. */
async function* streamed(response: IncomingMessage): AsyncIterable<RpcMessage> {
  response.setEncoding('utf8');
  let rest = '';
  try {
    for await (const piece of response) {
      const events = (rest + String(piece)).split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event
          .split(/\r?\n/)
          .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []));
        const value = data.length === 0 ? undefined : parsed(data.join('\n'));
        if (value) yield value;
      }
    }
  } catch {
    // The reader detects an incomplete stream from the messages received.
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) parts.push(part as Buffer);
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Parses a text as a message, or returns undefined. */
export function parsed(text: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcMessage) : undefined;
  } catch {
    return undefined;
  }
}
