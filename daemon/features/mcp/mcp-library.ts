/**
 * The parts of the official packages in use. Named only here, so that they form a separate chunk that the first request
 * loads and the daemon starts without them.
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
