import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { batchFault } from './mcp-batch.js';
import { createServer, type McpLibrary } from './mcp-server.js';
import { McpSessions } from './mcp-sessions.js';
import type { McpSurface } from './mcp-surface.js';

interface McpEndpointParts {
  library: McpLibrary;
  /** The current surface of the subject. Throws `not_found`. */
  surface: () => McpSurface;
  /** Receives an unexpected error with the id that the response reports. */
  onFault(error: unknown, id: string): void;
}

/**
 * The protocol endpoint of one subject: the current revision, which has no sessions, and the previous ones at the same
 * address. Requests of the previous protocol that neither name nor begin a session are handled individually.
 */
export class McpEndpoint {
  private readonly ended = new AbortController();
  private readonly handler: McpHttpHandler;
  /** The same handler with responses that are streams from the start, for calls that may take minutes. */
  private readonly longHandler: McpHttpHandler;
  private readonly sessions: McpSessions;
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly parts: McpEndpointParts) {
    const { library, surface, onFault } = parts;
    const runs = (call: Promise<unknown>) => this.runs(call);
    const make = () => createServer({ library, surface, ended: this.ended.signal, runs, onFault });
    this.handler = library.createMcpHandler(make);
    this.longHandler = library.createMcpHandler(make, { bus: this.handler.bus, responseMode: 'sse' });
    this.sessions = new McpSessions(library, make);
  }

  /** Handles one request whose body has already been read. A client that disconnects is no fault. */
  answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const { library, onFault } = this.parts;
    const closed = new Promise<void>((resolve) => {
      if (response.closed) resolve();
      else response.once('close', resolve);
    });
    const answerNode = library.toNodeHandler(
      { fetch: (asked, options) => this.fetch(asked, options?.parsedBody, closed) },
      { onerror: (error) => error !== request.errored && onFault(error, 'transport') },
    );
    return answerNode(request, headFirst(response), body);
  }

  /** Notifies listening clients that the lists of tools and prompts have changed. */
  listsChanged(): void {
    this.handler.notify.toolsChanged();
    this.handler.notify.promptsChanged();
    this.sessions.listsChanged();
  }

  /**
   * Ends all calls and closes all connections once the waiting callers have received their error. Submitted
   * requests continue.
   */
  async close(): Promise<void> {
    this.ended.abort();
    await Promise.allSettled(this.running);
    // Their responses are written within this event loop tick.
    await turnOfTheLoop();
    // Failures are ignored, since a connection that could not be closed properly ends by itself.
    await Promise.allSettled([this.handler.close(), this.longHandler.close(), this.sessions.close()]);
  }

  private runs(call: Promise<unknown>): void {
    this.running.add(call);
    const forget = () => this.running.delete(call);
    call.then(forget, forget);
  }

  private mayTakeMinutes(body: unknown): boolean {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
    if (method !== 'tools/call') return false;
    return this.parts
      .surface()
      .tools.some(({ definition, mayTakeMinutes }) => mayTakeMinutes === true && definition.name === params?.name);
  }

  private async fetch(request: Request, body: unknown, closed: Promise<void>): Promise<Response> {
    const fault = batchFault(body);
    if (fault !== undefined) return invalidRequest(fault);
    const isPrevious = await this.parts.library.isLegacyRequest(request, body);
    if (isPrevious && this.sessions.concerns(request, body)) return this.sessions.answer(request, body, closed);
    const handler = this.mayTakeMinutes(body) ? this.longHandler : this.handler;
    return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  }
}

function invalidRequest(message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32600, message }, id: null }, { status: 400 });
}

/**
 * A response that sends its headers immediately when a stream follows, so that the client knows that the stream is open
 * before its first event.
 */
function headFirst(response: ServerResponse): Parameters<ReturnType<McpLibrary['toNodeHandler']>>[1] {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      if (headers?.['content-type']?.startsWith('text/event-stream')) response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
