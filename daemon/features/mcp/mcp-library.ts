/**
 * What is used of the official packages. Named here alone, so that they are a chunk of their own which the first request loads: the daemon starts without
 * them.
 */
export { toNodeHandler } from '@modelcontextprotocol/node';
export {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
