import { randomUUID } from 'node:crypto';
import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { McpLibrary } from './mcp-server.js';

/**
 * Maximum number of sessions per subject. Beyond it, the least recently used one without an open response is closed:
 * many clients never end their sessions, and what they leave behind must not close the ones that are in use.
 */
const SESSIONS_MAX = 64;
const SESSION_HEADER = 'mcp-session-id';

interface Session {
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Number of its responses that are not closed yet, streams among them. */
  open: number;
}

/**
 * The sessions of the previous protocol version. There, cancellations and change notifications are separate requests
 * that only a session ties together. Sessions are kept in memory only. A request with an unknown session id receives
 * 404, upon which the protocol requires a client to start a new session. Clients that keep their transport name the old
 * one in the `initialize` that does so.
 */
export class McpSessions {
  /** Least recently used first. */
  private readonly sessions = new Map<string, Session>();

  constructor(
    private readonly library: McpLibrary,
    private readonly make: () => Server,
  ) {}

  /** Whether a request of the previous protocol names or begins a session. */
  concerns(request: Request, body: unknown): boolean {
    return request.headers.has(SESSION_HEADER) || this.library.isInitializeRequest(body);
  }

  /** Handles one request, whose session is in use until `closed`, which resolves when the response is closed. */
  async answer(request: Request, body: unknown, closed: Promise<void>): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return this.begin(request, body, closed);
    const session = this.sessions.get(id);
    if (!session)
      return this.library.isInitializeRequest(body) ? this.begin(request, body, closed) : unknownSession(body);
    this.sessions.delete(id);
    this.sessions.set(id, session);
    hold(session, closed);
    return session.transport.handleRequest(request, { parsedBody: body });
  }

  /** Notifies every session that the lists have changed. */
  listsChanged(): void {
    for (const { server } of this.sessions.values()) {
      // A session without an open stream misses the notification. It sees the change the next time it lists.
      for (const told of [server.sendToolListChanged(), server.sendPromptListChanged()]) told.catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    const open = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(open.map(({ server }) => server.close()));
  }

  private async begin(request: Request, body: unknown, closed: Promise<void>): Promise<Response> {
    const server = this.make();
    let isBegun = false;
    const transport = new this.library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        isBegun = true;
        const session = { server, transport, open: 0 };
        hold(session, closed);
        this.sessions.set(id, session);
        this.evictSession();
      },
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (!isBegun) await server.close();
    return response;
  }

  private evictSession(): void {
    if (this.sessions.size <= SESSIONS_MAX) return;
    const all = [...this.sessions];
    const evicted = all.find(([, { open }]) => open === 0) ?? all[0];
    if (!evicted) return;
    const [id, { server }] = evicted;
    this.sessions.delete(id);
    server.close().catch(() => undefined);
  }
}

function hold(session: Session, closed: Promise<void>): void {
  session.open += 1;
  void closed.then(() => {
    session.open -= 1;
  });
}

/** `body` is a valid message, a batch of them, or undefined. */
function unknownSession(body: unknown): Response {
  const { id = null } = (body ?? {}) as { id?: string | number };
  const error = { code: -32001, message: 'Session not found: begin a new one with "initialize".' };
  return Response.json({ jsonrpc: '2.0', error, id }, { status: 404 });
}
