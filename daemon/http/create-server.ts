import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { BODY_LIMIT } from '../contract/limits.js';
import { escapeInvisibleJson } from '../lib/display-text.js';
import { MeshError } from '../lib/errors.js';
import { LineBudget } from '../lib/line-budget.js';
import { nextTurn } from '../lib/loop-turns.js';
import { scrubSecrets } from '../lib/secrets.js';
import type { Access } from './access.js';
import { answerError } from './error-handler.js';
import type { Guard } from './guard.js';
import { COMMON_HEADERS } from './headers.js';
import { acceptOnlyJson } from './json-body.js';
import { lazySerializers, lazyValidators, type Precompiled } from './lazy-compilers.js';
import { answerRemovalScript, isWorkerScript, LEFT_OVER } from './left-over-worker.js';
import { NamedSchemas } from './named-schemas.js';
import { type PeerLimits, READING } from './peer-limits.js';
import { RequestLog } from './request-log.js';
import type { AnyRequest, App } from './route-types.js';
import { cutUnread } from './unread-answer.js';
import { refuseUnread } from './unread-request.js';
import { closeWaitingAnswers } from './waiting-answers.js';

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
  /** Told of every request that the guard lets in, before whose connection it is matters: it may prove that it is the operator's. */
  noteOperator?: ((request: IncomingMessage) => void) | undefined;
  /** Calls `known` when that was looked up; at once without it. */
  whenPeerKnown?: ((socket: Socket, known: () => void) => void) | undefined;
  /** What other users may store; no limit without it. */
  peerLimits?: PeerLimits | undefined;
  /** Told of every route as it is added. */
  onRoute?: ((route: RouteRow) => void) | undefined;
  precompiled?: Precompiled | undefined;
  /** Where log lines go; false for none. */
  log: { level: string; stream: { write(line: string): void } } | false;
}

const HALF_CLOSED = 'The connection was half closed before it was known whose it is: keep it open.';
const FOR_OPERATOR = 'Only the user who runs this daemon may call it; other users need a member token.';
const MAX_FRAME_BYTES = 65_536;
/** Of one message. Nobody hears of a message before it is whole, so that no rate of messages bounds them. */
const MAX_FRAGMENTS = 32;
const LARGE_ANSWER_CHARS = 65_536;
/** The levels at which each answer has its line in the log. */
const TELLING_LEVELS: ReadonlySet<string> = new Set(['debug', 'trace']);

/**
 * The server that every route lives on: strict bodies, the guard before anything else on every route, upgrade and miss, fixed headers, one
 * error shape, logs without secrets. Knows no feature.
 */
export async function createServer({
  guard,
  isForeignPeer,
  noteOperator,
  whenPeerKnown = (_socket, known) => known(),
  peerLimits,
  onRoute,
  precompiled,
  log,
}: ServerOptions): Promise<App> {
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
      hooks: { streamWrite: (line) => escapeInvisibleJson(scrubSecrets(line)) },
      stream: log.stream,
    },
    clientErrorHandler: refuseUnread,
    // A path that cannot be decoded is refused before any hook runs, so the guard is asked here.
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('finish', () => dropRefusedUpgrade(request));
      void reply.headers(COMMON_HEADERS);
      const refusal = guard.check(request.raw, 'public');
      if (refusal === undefined && isWorkerScript(request.raw)) return answerRemovalScript(reply);
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
  peerLimits?.cover(app as unknown as FastifyInstance);
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    const isMiss = request.is404;
    const access = isMiss ? 'public' : (config.access ?? 'operator');
    const isUpgrade = request.raw.headers.upgrade !== undefined;
    if (isUpgrade) reply.raw.once('finish', () => dropRefusedUpgrade(request));
    void reply.headers(COMMON_HEADERS);
    const refusal = guard.check(request.raw, access);
    if (refusal?.movedTo !== undefined) return void reply.redirect(refusal.movedTo, 308);
    // A cached script of the worker is not checked for changes for a day.
    if (refusal === LEFT_OVER) void reply.header('clear-site-data', '"cache"');
    if (refusal) return done(new MeshError(refusal.code, refusal.message));
    if (isWorkerScript(request.raw)) return answerRemovalScript(reply);
    if (isUpgrade && config.socket !== true) return done(new MeshError('not_found', 'There is no such route.'));
    const isForOperator = access === 'operator' || access === 'page';
    noteOperator?.(request.raw);
    if (!isForOperator && !isUpgrade && READING.has(request.method)) return done();
    const { socket } = request.raw;
    return whenPeerKnown(socket, () => {
      // Nothing can be upgraded for a program that has said its last word meanwhile.
      if (isUpgrade && !socket.readable) return done(new MeshError('forbidden', HALF_CLOSED));
      return done(isForOperator ? refuseForeign(socket, isForeignPeer) : undefined);
    });
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
  // An answer may be read on a terminal (`curl`), and holds names of files and members: the same JSON, with nothing in it that commands a screen.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isJson = typeof payload === 'string' && String(reply.getHeader('content-type')).includes('json');
    if (!isJson) return done(null, payload);
    if (payload.length <= LARGE_ANSWER_CHARS) return done(null, escapeInvisibleJson(payload));
    void inOwnTurns(payload).then((shown) => done(null, shown));
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    answerError(new MeshError('not_found', 'There is no such route.'), request, reply),
  );

  await app.register(websocket, {
    options: { maxPayload: MAX_FRAME_BYTES, maxFragments: MAX_FRAGMENTS, perMessageDeflate: false },
    errorHandler: (error, socket, request) => {
      request.log.debug({ err: error }, 'socket failed');
      socket.terminate();
    },
    preClose: (done) => done(),
  });
  acceptOnlyJson(app);
  return app;
}

/** A large answer to be shown, which took a turn of the event loop to make, takes one to escape and is written in another. */
async function inOwnTurns(json: string): Promise<string> {
  await nextTurn();
  const shown = escapeInvisibleJson(json);
  await nextTurn();
  return shown;
}

/** Why a route of the operator is closed to the connection, if it is. */
function refuseForeign(socket: Socket, isForeign: (socket: Socket) => boolean): Error | undefined {
  try {
    return isForeign(socket) ? new MeshError('forbidden', FOR_OPERATOR) : undefined;
  } catch (error) {
    return error as Error;
  }
}

/** A refused upgrade is not a request of the HTTP server's any more, so nobody else would let go of its socket. */
function dropRefusedUpgrade(request: Pick<AnyRequest, 'raw'>): void {
  if (request.raw.headers.upgrade !== undefined) request.raw.socket.destroySoon();
}
