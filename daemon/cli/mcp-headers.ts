import type { RpcMessage } from './mcp-exchange.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** What of its parameters names the subject of a request. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** The revision of the protocol that a message says of itself, as those of the current one do; undefined for any other. */
export function revisionOf({ params }: RpcMessage): string | undefined {
  const meta = params?.['_meta'];
  const version =
    typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** The headers that repeat what a message of the current protocol says, as its HTTP transport wants them. */
export function headersOf(message: RpcMessage): Record<string, string> {
  const revision = revisionOf(message);
  const { method, params } = message;
  if (revision === undefined || method === undefined) return {};
  const name = params?.[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': encoded(revision),
    'mcp-method': encoded(method),
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  };
}

/** A value as a header can carry it. */
function encoded(value: string): string {
  if (PLAIN.test(value) && !value.startsWith('=?base64?')) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
