import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
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
  private readonly sessions: McpSessions;
  private readonly answerNode: ReturnType<McpLibrary['toNodeHandler']>;

  constructor(private readonly parts: McpEndpointParts) {
    const { library, surface, onFault } = parts;
    const make = () => serverOf({ library, surface, ended: this.ended.signal, onFault });
    this.handler = library.createMcpHandler(make);
    this.sessions = new McpSessions(library, make);
    this.answerNode = library.toNodeHandler(
      { fetch: (request, options) => this.fetch(request, options?.parsedBody) },
      { onerror: (error) => onFault(error, 'transport') },
    );
  }

  /** Answers one request, whose body has been read already. */
  answer(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    return this.answerNode(request, response, body);
  }

  /** Tells whoever listens that tools and prompts have changed. */
  listsChanged(): void {
    this.handler.notify.toolsChanged();
    this.handler.notify.promptsChanged();
    this.sessions.listsChanged();
  }

  /** Lets go of everybody at once. What was asked goes on. */
  async close(): Promise<void> {
    this.ended.abort();
    await Promise.all([this.handler.close(), this.sessions.close()]);
  }

  private async fetch(request: Request, body: unknown): Promise<Response> {
    const isPrevious = await this.parts.library.isLegacyRequest(request, body);
    if (isPrevious && this.sessions.concerns(request, body)) return this.sessions.answer(request, body);
    return this.handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  }
}
