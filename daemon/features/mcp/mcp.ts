import { McpEndpoint } from './mcp-endpoint.js';
import type { McpLibrary } from './mcp-server.js';
import type { McpSurface } from './mcp-surface.js';

export interface McpParts {
  /** What a subject sees, made anew for each request or session. */
  surfaceOf: (subject: string) => McpSurface;
  /** Told of what was thrown that is no answer, with the id under which the caller hears of it. */
  onFault(error: unknown, id: string): void;
}

/**
 * The Model Context Protocol, one end for each subject that has called, so that what one hears is no other's. The official packages are loaded by the first
 * call. Contract: Machine interfaces.
 */
export class Mcp {
  private readonly endpoints = new Map<string, McpEndpoint>();
  private library: Promise<McpLibrary> | undefined;
  private isStopped = false;

  constructor(private readonly parts: McpParts) {}

  async endpoint(subject: string): Promise<McpEndpoint> {
    this.library ??= import('./mcp-library.js');
    const library = await this.library;
    const known = this.endpoints.get(subject);
    if (known) return known;
    const { surfaceOf, onFault } = this.parts;
    const endpoint = new McpEndpoint({ library, surface: () => surfaceOf(subject), onFault });
    if (this.isStopped) await endpoint.close();
    else this.endpoints.set(subject, endpoint);
    return endpoint;
  }

  /** Tells those who listen as `subject` that its lists have changed. */
  changed(subject: string): void {
    this.endpoints.get(subject)?.listsChanged();
  }

  /** Lets go of everybody who calls as `subject`: its token is dead. */
  async close(subject: string): Promise<void> {
    const endpoint = this.endpoints.get(subject);
    this.endpoints.delete(subject);
    await endpoint?.close();
  }

  /** Lets go of everybody. To be called before whoever is waited for stops. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.endpoints.keys()].map((subject) => this.close(subject)));
  }
}
