import { type IncomingMessage, request } from 'node:http';

/** A message of JSON-RPC, as far as a bridge looks into it. */
export interface RpcMessage {
  jsonrpc?: unknown;
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
}

/** The daemon did not answer. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(
    /** It may have taken the request all the same. */
    readonly mayHaveArrived: boolean,
    reason: string,
  ) {
    super(`The daemon did not answer: ${reason}.`);
  }
}

export interface McpReply {
  status: number;
  session: string | undefined;
  /** What came, message by message: those of a stream as they come. Anything that is no message is left out. */
  messages(): AsyncIterable<RpcMessage>;
  /** All that came, where it is no stream. */
  text(): Promise<string>;
  /** Lets go of what has not been read. */
  drop(): void;
}

export interface McpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: RpcMessage;
  signal: AbortSignal;
}

/** One HTTP exchange of the protocol; resolves with the head of the answer, for which it waits as long as it takes. Throws `Unanswered`. */
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
      (response) => resolve(replyOf(response)),
    );
    outgoing.on('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true;
      }),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Unanswered(isConnected, error.code ?? error.message)),
    );
    outgoing.end(payload);
  });
}

function replyOf(response: IncomingMessage): McpReply {
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

/** The messages of a stream of server-sent events. One that breaks ends. */
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
    // Whoever reads sees from what has come whether it was all.
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

/** The message that a text is, or undefined. */
export function parsed(text: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RpcMessage) : undefined;
  } catch {
    return undefined;
  }
}
