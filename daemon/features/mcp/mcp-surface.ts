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

/** The context of one tool call. */
export interface McpCall {
  /** Aborts when the caller has cancelled the call, or has disconnected where that means the same. */
  signal: AbortSignal;
  /** Aborts when the daemon stops or the caller's token is revoked. Started requests continue. */
  ended: AbortSignal;
  /** Name and version that the calling program reports. */
  client: string | null;
  /**
   * Sends a progress notification; `progress` must increase with each call. Undefined when the caller did not
   * request any.
   */
  progress: ((progress: number, message: string) => Promise<void>) | undefined;
  /** The request context of the protocol library. */
  context: ServerContext;
}

type ToolAnswer = HandlerResultTypeMap['tools/call'];
type ReadAnswer = HandlerResultTypeMap['resources/read'];
type PromptAnswer = HandlerResultTypeMap['prompts/get'];

export interface McpTool {
  definition: Tool;
  /** The call may take minutes, so its response is a stream from the start, with keep-alive messages. */
  mayTakeMinutes?: boolean;
  /** Thrown MeshErrors become results with `isError`. Errors of the protocol library become protocol errors. */
  call(args: Record<string, unknown>, call: McpCall): Promise<ToolAnswer>;
}

/** The tools, resources and prompts that one caller sees. Thrown MeshErrors become protocol errors. */
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
  /** Registers handlers for further requests. */
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
