import type { Turn } from '../../features/clients/client.js';

/** The outcome of a tool call: its text, its structured result, and whether it is an error. */
export interface ToolResult {
  status: number;
  text: string;
  isError: boolean;
  structured: Record<string, unknown> | undefined;
}

/** Calls a tool of the daemon as the agent of a running turn does. */
export async function callTurnTool(
  { url, token }: NonNullable<Turn['tool_server']>,
  name: string,
  input: object = {},
  signal?: AbortSignal,
): Promise<ToolResult> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
    ...(signal ? { signal } : {}),
  });
  const body = await response.text();
  const data = /^data: (\{.*"id":1.*)$/m.exec(body)?.[1] ?? body;
  const { result } = JSON.parse(data) as {
    result?: { content: { text: string }[]; isError?: boolean; structuredContent?: Record<string, unknown> };
  };
  return {
    status: response.status,
    text: result?.content[0]?.text ?? data,
    isError: result === undefined || result.isError === true,
    structured: result?.structuredContent,
  };
}
