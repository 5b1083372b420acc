import type { RpcMessage } from './mcp-exchange.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** The parameter that names the subject of a request. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** The protocol revision that a message of the current protocol declares; undefined for any other message. */
export function getProtocolVersion({ params }: RpcMessage): string | undefined {
  const meta = params?.['_meta'];
  const version =
    typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** The headers that repeat fields of a message of the current protocol, as its HTTP transport requires. */
export function createHeaders(message: RpcMessage): Record<string, string> {
  const revision = getProtocolVersion(message);
  const { method, params } = message;
  if (revision === undefined || method === undefined) return {};
  const name = params?.[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': encoded(revision),
    'mcp-method': encoded(method),
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

/** Encodes a value for use in a header. */
function encoded(value: string): string {
  if (PLAIN.test(value) && !value.startsWith('=?base64?')) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
