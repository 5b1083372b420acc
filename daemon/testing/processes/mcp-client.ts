import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { TestApp } from '../apps/test-app.js';

/** The supported revisions of the protocol, newest first. */
export const MCP_REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type McpRevision = (typeof MCP_REVISIONS)[number];

/**
 * Returns client options that select a revision: the current one by its name, the previous one without version
 * negotiation.
 */
export const speaking = (revision: McpRevision): ClientOptions => ({
  versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
});

/** Connects the official client with the token of `member`. Closed when the test ends. */
export async function mcpClient(
  app: TestApp,
  revision: McpRevision,
  {
    member = 'consultant',
    path = '/mcp',
    options = {},
  }: { member?: string; path?: string; options?: ClientOptions } = {},
): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { ...speaking(revision), ...options });
  const headers = { authorization: `Bearer ${await app.getToken(member)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(app.address + path), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}
