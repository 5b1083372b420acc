import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';

/**
 * The server, and the scope of each set of routes. A set of routes is a plugin, `async (app: App, options) => …`, attached with `app.register`; the types
 * of its requests and replies come from their schemas.
 */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A request of any route, whatever the types that its schema gives. */
export interface AnyRequest
  extends Pick<FastifyRequest, 'body' | 'headers' | 'ip' | 'log' | 'method' | 'params' | 'query' | 'raw' | 'url'> {
  readonly routeOptions: { bodyLimit: number; config: FastifyContextConfig };
}

/** A reply of any route. A helper that sends one takes and returns its own type, so that a handler can return it. */
export interface AnyReply {
  readonly raw: ServerResponse;
  code(status: number): AnyReply;
  header(name: string, value: string): AnyReply;
  headers(values: Readonly<Record<string, string>>): AnyReply;
  type(contentType: string): AnyReply;
  serializer(serialize: (payload: unknown) => string): AnyReply;
  send(payload?: unknown): AnyReply;
}
