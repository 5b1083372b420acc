import { randomUUID } from 'node:crypto';
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { isMeshError, type MeshError } from '../../lib/errors.js';
import { CallRefusedError } from './call-refused.js';
import type { McpCall, McpSurface } from './mcp-surface.js';

export type McpLibrary = typeof import('./mcp-library.js');

export interface McpServerParts {
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

/**
 * Creates a protocol server for a surface: for one request of the current protocol or one session of the previous one.
 */
export function createServer({ library, surface, ended, runs, onFault }: McpServerParts): Server {
  const { info, capabilities, instructions, more } = surface();
  const server = new library.Server(info, { capabilities, ...(instructions === undefined ? {} : { instructions }) });
  const faulty = (error: unknown) => {
    const id = randomUUID();
    onFault(error, id);
    return id;
  };
  /** Converts a thrown value to a protocol error. */
  const toProtocolError = (error: unknown, uri?: string) => {
    if (error instanceof library.ProtocolError) return error;
    if (!isMeshError(error))
      return new library.ProtocolError(INTERNAL, 'The daemon failed.', { error: 'internal', id: faulty(error) });
    if (uri !== undefined && IS_ABSENT.has(error.code)) return new library.ResourceNotFoundError(uri, error.message);
    return new library.ProtocolError(INVALID_PARAMS, error.message, getBody(error));
  };
  const orProtocolError = async <T>(answer: () => Promise<T>, uri?: string): Promise<T> => {
    try {
      return await answer();
    } catch (error) {
      throw toProtocolError(error, uri);
    }
  };

  if (capabilities.tools) {
    server.setRequestHandler('tools/list', () =>
      orProtocolError(async () => ({ tools: surface().tools.map(({ definition }) => definition) })),
    );
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { tools } = await orProtocolError(async () => surface());
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
        return isMeshError(error) ? refused(getBody(error)) : refused({ error: 'internal', id: faulty(error) });
      }
    });
  }
  if (capabilities.resources) {
    server.setRequestHandler('resources/list', ({ params }) =>
      orProtocolError(() => surface().listResources(params?.cursor)),
    );
    server.setRequestHandler('resources/templates/list', () =>
      orProtocolError(async () => surface().listResourceTemplates()),
    );
    server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
      orProtocolError(() => surface().readResource(uri, context), uri),
    );
  }
  if (capabilities.prompts) {
    server.setRequestHandler('prompts/list', () => orProtocolError(async () => surface().listPrompts()));
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      orProtocolError(() => surface().getPrompt(params.name, params.arguments ?? {}, context)),
    );
  }
  if (capabilities.completions) {
    server.setRequestHandler('completion/complete', ({ params }) => orProtocolError(() => surface().complete(params)));
  }
  more?.(server);
  return server;
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
