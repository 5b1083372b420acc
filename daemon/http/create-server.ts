import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { BODY_LIMIT } from '../contract/limits.js';
import { MeshError } from '../lib/errors.js';
import { LineBudget } from '../lib/line-budget.js';
import { scrubSecrets } from '../lib/secrets.js';
import type { Access } from './access.js';
import { answerError } from './error-handler.js';
import type { Guard } from './guard.js';
import { COMMON_HEADERS } from './headers.js';
import { acceptOnlyJson } from './json-body.js';
import { lazySerializers, lazyValidators, type Precompiled } from './lazy-compilers.js';
import { NamedSchemas } from './named-schemas.js';
import { RequestLog } from './request-log.js';
import { cutUnread } from './unread-answer.js';
import { refuseUnread } from './unread-request.js';
import { closeWaitingAnswers } from './waiting-answers.js';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A route as it was added: a line of the policy. */
export interface RouteRow {
  method: string;
  url: string;
  access: Access;
  isSocket: boolean;
}

export interface ServerOptions {
  guard: Guard;
  /** Whether the process at the other end of a loopback connection is another user's. */
  isForeignPeer: (socket: Socket) => boolean;
  /** Told of every route as it is added. */
  onRoute?: ((route: RouteRow) => void) | undefined;
  precompiled?: Precompiled | undefined;
  /** Where log lines go; false for none. */
  log: { level: string; stream: { write(line: string): void } } | false;
}

const MAX_FRAME_BYTES = 65_536;
/** The levels at which each answer has its line in the log. */
const TELLING_LEVELS: ReadonlySet<string> = new Set(['debug', 'trace']);

/**
 * The server that every route lives on: strict bodies, the guard before anything else on every route, upgrade and miss, fixed headers, one
 * error shape, logs without secrets. Knows no feature.
 */
export async function createServer({ guard, isForeignPeer, onRoute, precompiled, log }: ServerOptions): Promise<App> {
  const warnings = new LineBudget(() => performance.now());
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: false,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: {
      bucket: (inherited) => new NamedSchemas(inherited as Record<string, unknown>) as never,
      compilersFactory: { buildSerializer: lazySerializers(precompiled) },
    },
    childLoggerFactory: (server, bindings) => new RequestLog(server, bindings, warnings) as never,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false },
    http: { headersTimeout: 5_000, maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000 },
    logger: log && {
      level: log.level,
      base: undefined,
      redact: ['req.headers.authorization', 'headers.authorization', '*.token', '*.secret'],
      hooks: { streamWrite: scrubSecrets },
      stream: log.stream,
    },
    clientErrorHandler: refuseUnread,
    // A path that cannot be decoded is refused before any hook runs, so the guard is asked here.
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('finish', () => dropRefusedUpgrade(request));
      void reply.headers(COMMON_HEADERS);
      const refusal = guard.check(request.raw, 'public');
      answerError(refusal ? new MeshError(refusal.code, refusal.message) : error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;

  app.server.maxHeadersCount = 0;
  cutUnread(app.server);
  closeWaitingAnswers(app.server);
  app.setValidatorCompiler(lazyValidators(precompiled));

  app.addHook('onRoute', ({ method, url, config }) => {
    const row = { url, access: config?.access ?? 'operator', isSocket: config?.socket === true };
    for (const one of [method].flat()) onRoute?.({ ...row, method: one });
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    const isMiss = request.is404;
    const access = isMiss ? 'public' : (config.access ?? 'operator');
    const isUpgrade = request.raw.headers.upgrade !== undefined;
    if (isUpgrade) reply.raw.once('finish', () => dropRefusedUpgrade(request as unknown as FastifyRequest));
    void reply.headers(COMMON_HEADERS);
    const refusal = guard.check(request.raw, access);
    if (refusal) return done(new MeshError(refusal.code, refusal.message));
    if (isUpgrade && config.socket !== true) return done(new MeshError('not_found', 'There is no such route.'));
    if ((access === 'operator' || access === 'page') && isForeignPeer(request.raw.socket)) {
      return done(
        new MeshError('forbidden', 'Only the user who runs this daemon may call it; other users need a member token.'),
      );
    }
    return done();
  });
  // A hook costs every request, so there is none where its line would not be written.
  if (log && TELLING_LEVELS.has(log.level)) {
    app.addHook('onResponse', (request, reply, done) => {
      request.log.debug(
        {
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
        },
        'answered',
      );
      done();
    });
  }
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    answerError(new MeshError('not_found', 'There is no such route.'), request, reply),
  );

  await app.register(websocket, {
    options: { maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false },
    errorHandler: (error, socket, request) => {
      request.log.debug({ err: error }, 'socket failed');
      socket.terminate();
    },
    preClose: (done) => done(),
  });
  acceptOnlyJson(app as unknown as FastifyInstance);
  return app;
}

/** A refused upgrade is not a request of the HTTP server's any more, so nobody else would let go of its socket. */
function dropRefusedUpgrade(request: FastifyRequest): void {
  if (request.raw.headers.upgrade !== undefined) request.raw.socket.destroySoon();
}
