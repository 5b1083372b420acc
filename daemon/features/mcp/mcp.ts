import { McpEndpoint } from './mcp-endpoint.js';
import type { McpSurface } from './mcp-surface.js';

interface McpParts {
  /** The surface of a subject, built for each request or session. */
  getSurface: (subject: string) => McpSurface;
  /** Receives an unexpected error with the id that the response reports. */
  onFault(error: unknown, id: string): void;
}

/**
 * The Model Context Protocol, with one endpoint per subject that has called, so that notifications never reach another
 * subject. The official packages are loaded on the first call. Contract: Machine interfaces.
 */
export class Mcp {
  private readonly endpoints = new Map<string, McpEndpoint>();
  private isStopped = false;

  constructor(private readonly parts: McpParts) {}

  async endpoint(subject: string): Promise<McpEndpoint> {
    const library = await import('./mcp-library.js');
    const known = this.endpoints.get(subject);
    if (known) return known;
    const { getSurface, onFault } = this.parts;
    const endpoint = new McpEndpoint({ library, surface: () => getSurface(subject), onFault });
    if (this.isStopped) await endpoint.close();
    else this.endpoints.set(subject, endpoint);
    return endpoint;
  }

  /** Notifies the clients of `subject` that its lists have changed. */
  changed(subject: string): void {
    this.endpoints.get(subject)?.listsChanged();
  }

  /** Closes all connections of `subject` after its token was revoked. */
  async close(subject: string): Promise<void> {
    const endpoint = this.endpoints.get(subject);
    this.endpoints.delete(subject);
    await endpoint?.close();
  }

  /** Closes all connections. Must be called before the components that calls wait for stop. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.endpoints.keys()].map((subject) => this.close(subject)));
  }
}
