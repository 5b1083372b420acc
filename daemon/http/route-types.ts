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
 * The server, and the scope of each set of routes. A set of routes is a plugin, `async (app: App, options) => …`, that
 * is registered with `app.register`. The types of its requests and replies are derived from their schemas.
 */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A request of any route, independent of the types of the route's schema. */
export interface AnyRequest
  extends Pick<FastifyRequest, 'body' | 'headers' | 'ip' | 'log' | 'method' | 'params' | 'query' | 'raw' | 'url'> {
  readonly routeOptions: { bodyLimit: number; config: FastifyContextConfig };
}

/**
 * A reply of any route. A helper that sends a reply is generic in its type and returns it, so that a handler can return
 * the result.
 */
export interface AnyReply {
  readonly raw: ServerResponse;
  code(status: number): AnyReply;
  header(name: string, value: string): AnyReply;
  headers(values: Readonly<Record<string, string>>): AnyReply;
  type(contentType: string): AnyReply;
  serializer(serialize: (payload: unknown) => string): AnyReply;
  send(payload?: unknown): AnyReply;
}
