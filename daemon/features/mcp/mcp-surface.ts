import type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  HandlerResultTypeMap,
  Implementation,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Server,
  ServerCapabilities,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';

/** One call of a tool, as it came. */
export interface McpCall {
  /** Fires when the caller has called it off, or has gone where that means the same. */
  signal: AbortSignal;
  /** Fires when the daemon stops or the caller's token is dead: whatever was started goes on without them. */
  ended: AbortSignal;
  /** What the calling program says it is. */
  client: string | null;
  /** Tells a caller who wants to know how far it is; `progress` rises with each. Undefined where nobody does. */
  progress: ((progress: number, message: string) => Promise<void>) | undefined;
  /** The request with everything that the protocol knows of it. */
  context: ServerContext;
}

type ToolAnswer = HandlerResultTypeMap['tools/call'];
type ReadAnswer = HandlerResultTypeMap['resources/read'];
type PromptAnswer = HandlerResultTypeMap['prompts/get'];

export interface McpTool {
  definition: Tool;
  /** Its answer may take minutes: whoever waits for it is given a stream at once, and hears on it that somebody is there. */
  mayTakeMinutes?: boolean;
  /** MeshErrors that it throws are results with `isError`, whatever the protocol itself throws is an error of the protocol. */
  call(args: Record<string, unknown>, call: McpCall): Promise<ToolAnswer>;
}

/** What one caller sees. MeshErrors that it throws are told in the words of the protocol. */
export interface McpSurface {
  info: Implementation;
  instructions?: string;
  capabilities: ServerCapabilities;
  tools: readonly McpTool[];
  listResources(cursor: string | undefined): Promise<ListResourcesResult>;
  listResourceTemplates(): ListResourceTemplatesResult;
  readResource(uri: string, context: ServerContext): Promise<ReadAnswer>;
  listPrompts(): ListPromptsResult;
  getPrompt(name: string, args: Readonly<Record<string, string>>, context: ServerContext): Promise<PromptAnswer>;
  complete(params: CompleteRequest['params']): Promise<CompleteResult>;
  /** Further requests that it answers. */
  more?(server: Server): void;
}

export type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  ListResourcesResult,
  ReadResourceResult,
  Tool,
};
