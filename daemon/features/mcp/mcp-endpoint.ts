import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { batchFault } from './mcp-batch.js';
import { type McpLibrary, serverOf } from './mcp-server.js';
import { McpSessions } from './mcp-sessions.js';
import type { McpSurface } from './mcp-surface.js';

export interface McpEndpointParts {
  library: McpLibrary;
  /** What the subject sees now. Throws `not_found`. */
  surface: () => McpSurface;
  /** Told of what was thrown that is no answer, with the id under which the caller hears of it. */
  onFault(error: unknown, id: string): void;
}

/**
 * One subject's end of the protocol: the current revision, which knows no sessions, and the previous ones on the same address. Requests of the previous
 * protocol that neither name nor begin a session are answered too, each for itself.
 */
export class McpEndpoint {
  private readonly ended = new AbortController();
  private readonly handler: McpHttpHandler;
  /** The same with answers that are streams from the start, for calls that may take minutes. */
  private readonly longHandler: McpHttpHandler;
  private readonly sessions: McpSessions;
  private readonly running = new Set<Promise<unknown>>();
  private readonly answerNode: ReturnType<McpLibrary['toNodeHandler']>;

  constructor(private readonly parts: McpEndpointParts) {
    const { library, surface, onFault } = parts;
    const runs = (call: Promise<unknown>) => this.runs(call);
    const make = () => serverOf({ library, surface, ended: this.ended.signal, runs, onFault });
    this.handler = library.createMcpHandler(make);
    this.longHandler = library.createMcpHandler(make, { bus: this.handler.bus, responseMode: 'sse' });
    this.sessions = new McpSessions(library, make);
    this.answerNode = library.toNodeHandler(
      { fetch: (request, options) => this.fetch(request, options?.parsedBody) },
      { onerror: (error) => onFault(error, 'transport') },
    );
  }

  /** Answers one request, whose body has been read already. */
  answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    return this.answerNode(request, headFirst(response), body);
  }

  /** Tells whoever listens that tools and prompts have changed. */
  listsChanged(): void {
    this.handler.notify.toolsChanged();
    this.handler.notify.promptsChanged();
    this.sessions.listsChanged();
  }

  /** Lets go of everybody, as soon as those who wait have been told so. What was asked goes on. */
  async close(): Promise<void> {
    this.ended.abort();
    await Promise.allSettled(this.running);
    // Their answers are written in this turn of the loop.
    await turnOfTheLoop();
    // Whoever could not be told is gone by itself.
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

  private async fetch(request: Request, body: unknown): Promise<Response> {
    const fault = batchFault(body);
    if (fault !== undefined) return invalidRequest(fault);
    const isPrevious = await this.parts.library.isLegacyRequest(request, body);
    if (isPrevious && this.sessions.concerns(request, body)) return this.sessions.answer(request, body);
    const handler = this.mayTakeMinutes(body) ? this.longHandler : this.handler;
    return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  }
}

function invalidRequest(message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32600, message }, id: null }, { status: 400 });
}

/** A response whose head goes out at once where a stream follows: whoever opens one learns so before there is anything to hear. */
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
