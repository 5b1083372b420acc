import { randomUUID } from 'node:crypto';
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { isMeshError, type MeshError } from '../../lib/errors.js';
import { CallRefusedError } from './call-refused.js';
import type { McpCall, McpSurface } from './mcp-surface.js';

export type McpLibrary = typeof import('./mcp-library.js');

interface McpServerParts {
  library: McpLibrary;
  /**
   * The caller's current surface. Evaluated per request, since a session outlives its initial state.
   * Throws `not_found`.
   */
  surface: () => McpSurface;
  /** Aborts when the daemon stops or the token is revoked, after which no caller is to receive a result. */
  ended: AbortSignal;
  /** Called with every running call, to track it until its response is ready. */
  runs(call: Promise<unknown>): void;
  /** Receives an unexpected error with the id that the response reports. */
  onFault(error: unknown, id: string): void;
}

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const CLIENT_CHARS = 180;

/** Converts what the handlers of a server throw to protocol errors. */
class ProtocolErrors {
  constructor(
    private readonly library: McpLibrary,
    private readonly onFault: McpServerParts['onFault'],
  ) {}

  /** Reports an unexpected error and returns its id. */
  report(error: unknown): string {
    const id = randomUUID();
    this.onFault(error, id);
    return id;
  }

  /** Returns what `answer` resolves to. Throws only protocol errors. */
  async convert<T>(answer: () => Promise<T>, uri?: string): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      throw this.toProtocolError(error, uri);
    }
  }

  private toProtocolError(error: unknown, uri: string | undefined) {
    const { library } = this;
    if (error instanceof library.ProtocolError) return error;
    if (!isMeshError(error))
      return new library.ProtocolError(INTERNAL, 'The daemon failed.', { error: 'internal', id: this.report(error) });
    if (uri !== undefined && IS_ABSENT.has(error.code)) return new library.ResourceNotFoundError(uri, error.message);
    return new library.ProtocolError(INVALID_PARAMS, error.message, getBody(error));
  }
}

/**
 * Creates a protocol server for a surface: for one request of the current protocol or one session of the previous one.
 */
export function createServer(parts: McpServerParts): Server {
  const { library, surface, onFault } = parts;
  const { info, capabilities, instructions, more } = surface();
  const server = new library.Server(info, { capabilities, ...(instructions === undefined ? {} : { instructions }) });
  const errors = new ProtocolErrors(library, onFault);
  if (capabilities.tools) addToolHandlers(server, parts, errors);
  if (capabilities.resources) addResourceHandlers(server, surface, errors);
  if (capabilities.prompts) addPromptHandlers(server, surface, errors);
  if (capabilities.completions) {
    server.setRequestHandler('completion/complete', ({ params }) => errors.convert(() => surface().complete(params)));
  }
  more?.(server);
  return server;
}

function addToolHandlers(
  server: Server,
  { library, surface, ended, runs }: McpServerParts,
  errors: ProtocolErrors,
): void {
  server.setRequestHandler('tools/list', () =>
    errors.convert(async () => ({ tools: surface().tools.map(({ definition }) => definition) })),
  );
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { tools } = await errors.convert(async () => surface());
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (!tool) {
      throw new library.ProtocolError(
        INVALID_PARAMS,
        `There is no tool "${params.name.slice(0, 128)}": tools/list names those there are.`,
      );
    }
    try {
      const call = tool.call(params.arguments ?? {}, getCall(server, context, ended));
      runs(call);
      return await call;
    } catch (error) {
      if (error instanceof library.ProtocolError) throw error;
      if (error instanceof CallRefusedError) return refused(error.body);
      return isMeshError(error) ? refused(getBody(error)) : refused({ error: 'internal', id: errors.report(error) });
    }
  });
}

function addResourceHandlers(server: Server, surface: () => McpSurface, errors: ProtocolErrors): void {
  server.setRequestHandler('resources/list', ({ params }) =>
    errors.convert(() => surface().listResources(params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () =>
    errors.convert(async () => surface().listResourceTemplates()),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    errors.convert(() => surface().readResource(uri, context), uri),
  );
}

function addPromptHandlers(server: Server, surface: () => McpSurface, errors: ProtocolErrors): void {
  server.setRequestHandler('prompts/list', () => errors.convert(async () => surface().listPrompts()));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    errors.convert(() => surface().getPrompt(params.name, params.arguments ?? {}, context)),
  );
}

const IS_ABSENT: ReadonlySet<string> = new Set(['not_found', 'board_not_found', 'post_not_found']);

/** The error body of the HTTP API. */
const getBody = ({ code, message, details }: MeshError) => ({ error: code, message, ...details });

/** The result of a refused or failed call, with the error body of the HTTP API. */
const refused = (body: object): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(body) }],
});

function getCall(server: Server, context: ServerContext, ended: AbortSignal): McpCall {
  const { _meta, signal, notify } = context.mcpReq;
  const token = _meta?.progressToken;
  const client = server.getClientVersion();
  return {
    signal,
    ended,
    client: client ? `mcp ${client.name}/${client.version}`.slice(0, CLIENT_CHARS) : null,
    progress:
      token === undefined
        ? undefined
        : (progress, message) =>
            notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }),
    context,
  };
}
