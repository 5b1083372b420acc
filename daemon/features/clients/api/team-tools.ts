import { MeshError } from '../../../lib/errors.js';
import { parseObject, toList, toObject, toText } from '../agent-program-json.js';
import type { Decide, Turn } from '../client.js';
import { allowed } from './changing-tools.js';
import { EndpointConnection } from './endpoint-connection.js';
import { type ApiTool, type Fields, OUTPUT_MAX_BYTES } from './tool.js';

/** The daemon's own tools for one turn. `close` ends their connections and running calls. */
interface TeamTools {
  tools: ApiTool[];
  close(): void;
}

/**
 * Returns the daemon's own tools for the turn over the Model Context Protocol; none without a server. Calls that change
 * something need a permission from `decide`, except that members with the `agent` tool ask others without one.
 */
export async function openTeamTools(
  { tool_server, member }: Pick<Turn, 'tool_server' | 'member'>,
  decide: Decide,
  signal: AbortSignal,
): Promise<TeamTools> {
  if (!tool_server) return { tools: [], close: () => undefined };
  const { url, token } = tool_server;
  const connection = new EndpointConnection(url);
  const request = async (method: string, params: object, until: AbortSignal) => {
    const response = await connection.fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: until,
    });
    return readResult(await response.text());
  };
  const listed = await request('tools/list', {}, signal);
  const mayAsk = member.tools.includes('agent');
  const tools = toList(listed['tools']).map((row) => {
    const { name, description, inputSchema, annotations } = toObject(row);
    const tool = toText(name);
    const isFree = toObject(annotations)['readOnlyHint'] === true || (tool === 'ask_member' && mayAsk);
    return {
      name: tool,
      description: toText(description),
      schema: inputSchema as ApiTool['schema'],
      target: getTarget,
      run: async (input: Fields, until: AbortSignal) => {
        if (!isFree) await allowed(decide, { tool, target: getTarget(input), reason: input.shown('text') }, until);
        return readText(await request('tools/call', { name: tool, arguments: input.values }, until));
      },
    };
  });
  return { tools, close: () => connection.close() };
}

const getTarget = (input: Fields) =>
  ['member', 'board', 'name', 'query'].map((field) => input.shown(field)).find((text) => text !== '') ?? '';

/** Reads the result of a response, which is JSON or a stream of events. */
function readResult(body: string): ReturnType<typeof toObject> {
  const events = body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const answers = [body, ...events].map(parseObject);
  const result = answers.find((answer) => answer?.['result'] !== undefined)?.['result'];
  if (result === undefined) throw new MeshError('internal', 'The daemon gave no result: go on without it.');
  return toObject(result);
}

function readText(result: ReturnType<typeof toObject>): string {
  const text = toText(toObject(toList(result['content'])[0])['text']);
  if (result['isError'] !== true) return Buffer.from(text).subarray(0, OUTPUT_MAX_BYTES).toString();
  throw new MeshError('bad_request', toText(parseObject(text)?.['message']) || 'It was refused.');
}
