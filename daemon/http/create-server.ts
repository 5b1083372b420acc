import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { BODY_LIMIT, SOCKET_FRAME_LIMIT } from '../contract/limits.js';
import { waitForTick } from '../lib/async/loop-ticks.js';
import { MeshError } from '../lib/errors.js';
import { scrubSecrets } from '../lib/secrets/secrets.js';
import { escapeInvisibleJson } from '../lib/text/display-text.js';
import { LineBudget } from '../lib/text/line-budget.js';
import { closeUnreadAnswers } from './answers/unread-answer.js';
import { refuseUnread } from './answers/unread-request.js';
import { closeWaitingAnswers } from './answers/waiting-answers.js';
import type { Access } from './callers/access.js';
import { type PeerLimits, READING } from './callers/peer-limits.js';
import { answerError } from './error-handler.js';
import type { Guard } from './guard.js';
import { COMMON_HEADERS } from './headers.js';
import { acceptOnlyJson } from './json-body.js';
import { lazySerializers, lazyValidators, type Precompiled } from './lazy-compilers.js';
import { answerRemovalScript, isWorkerScript, LEFT_OVER } from './left-over-worker.js';
import { NamedSchemas } from './named-schemas.js';
import { RequestLog } from './request-log.js';
import type { AnyReply, AnyRequest, App } from './route-types.js';
import { asksUpgrade, PlainMessage } from './upgrades.js';

/** A route as it was added: one row of the access policy. */
export interface RouteRow {
  method: string;
  url: string;
  access: Access;
  isSocket: boolean;
}

/** A call of a program that is answered with 401, 402 or 429. */
export interface RefusedCall {
  request: AnyRequest;
  status: 401 | 402 | 429;
  /** The pattern of the route; undefined for a path without one. */
  route: string | undefined;
}

/** A request that was answered, other than by an upgrade. */
export interface AnsweredRequest {
  method: string;
  /** The pattern of the route; undefined for a path without one. */
  route: string | undefined;
  /** The first tag of the route's description. */
  area: string | undefined;
  status: number;
  /** From the request's headers to the first byte of the answer; 0 when nothing is logged. */
  ms: number;
}

export interface ServerOptions {
  guard: Guard;
  /** Whether the process at the other end of a loopback connection belongs to another user. */
  isForeignPeer: (socket: Socket) => boolean;
  /**
   * Called with every request that the guard admits, before the owner of its connection matters: the request may prove
   * that it is the operator's.
   */
  noteOperator?: ((request: IncomingMessage) => void) | undefined;
  /** Calls `known` when the owner of the connection was looked up. By default `known` is called at once. */
  whenPeerKnown?: ((socket: Socket, known: () => void) => void) | undefined;
  /** Limits what other users may store; no limit if absent. */
  peerLimits?: PeerLimits | undefined;
  /** Called with every route when it is added. */
  onRoute?: ((route: RouteRow) => void) | undefined;
  /** Called with every call that a route for programs answers with 401, 402 or 429, before the answer is sent. */
  onRefused?: ((call: RefusedCall) => void) | undefined;
  /** Called with every answer, before it is sent. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
  precompiled?: Precompiled | undefined;
  /** Where log lines go; false disables logging. */
  log: { level: string; stream: { write(line: string): void } } | false;
}

/** Where Fastify looks for the name of a plugin before it compares the plugin with every module that is loaded. */
const DISPLAY_NAME = Symbol.for('fastify.display-name');
const HALF_CLOSED = 'The connection was half closed before it was known whose it is: keep it open.';
const FOR_OPERATOR = 'Only the user who runs this daemon may call it; other users need a member token.';
/** Per message. A message is delivered only when it is complete, so no rate limit on messages bounds its fragments. */
const MAX_FRAGMENTS = 32;
const LARGE_ANSWER_CHARS = 65_536;
/** The log levels at which each response is logged. */
const TELLING_LEVELS: ReadonlySet<string> = new Set(['debug', 'trace']);

/**
 * Creates the server that every route is added to: strict bodies, the guard before anything else on every route,
 * upgrade and unknown path, fixed headers, one error shape and logs without secrets. It does not depend on any feature.
 */
export async function createServer(options: ServerOptions): Promise<App> {
  const { peerLimits, onRoute, precompiled, log } = options;
  const app = createFastify(options);
  namePlugins(app);
  app.server.maxHeadersCount = 0;
  closeUnreadAnswers(app.server);
  closeWaitingAnswers(app.server);
  app.setValidatorCompiler(lazyValidators(precompiled));

  app.addHook('onRoute', ({ method, url, config }) => {
    const row = { url, access: config?.access ?? 'operator', isSocket: config?.socket === true };
    for (const one of [method].flat()) onRoute?.({ ...row, method: one });
  });
  peerLimits?.cover(app as unknown as FastifyInstance);
  guardRequests(app, options);
  // A hook costs time on every request, so it is added only if its line is written.
  if (log && TELLING_LEVELS.has(log.level)) logAnswers(app);
  escapeAnswers(app, options);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    answerError(new MeshError('not_found', 'There is no such route.'), request, reply),
  );

  await app.register(websocket, {
    options: { maxPayload: SOCKET_FRAME_LIMIT, maxFragments: MAX_FRAGMENTS, perMessageDeflate: false },
    errorHandler: (error, socket, request) => {
      request.log.debug({ err: error }, 'socket failed');
      socket.terminate();
    },
    preClose: (done) => done(),
  });
  acceptOnlyJson(app);
  return app;
}

function createFastify({ guard, precompiled, log }: ServerOptions): App {
  const warnings = new LineBudget(() => performance.now());
  return Fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: false,
    requestTimeout: 10_000,
    // Longer than programs wait between two polls: a connection that closes as the next one is sent fails it.
    keepAliveTimeout: 75_000,
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: {
      bucket: (inherited) => new NamedSchemas(inherited as Record<string, unknown>) as never,
      compilersFactory: { buildSerializer: lazySerializers(precompiled) },
    },
    childLoggerFactory: (server, bindings) => new RequestLog(server, bindings, warnings) as never,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false },
    http: {
      headersTimeout: 5_000,
      maxHeaderSize: 16_384,
      connectionsCheckingInterval: 1_000,
      IncomingMessage: PlainMessage,
    },
    logger: log && {
      level: log.level,
      base: undefined,
      redact: ['req.headers.authorization', 'headers.authorization', '*.token', '*.secret'],
      hooks: { streamWrite: (line) => escapeInvisibleJson(scrubSecrets(line)) },
      stream: log.stream,
    },
    clientErrorHandler: refuseUnread,
    // A path that cannot be decoded is refused before any hook runs, so the guard is called here.
    frameworkErrors: (error, request, reply) => {
      dropRefusedUpgrade(request, reply);
      void reply.headers(COMMON_HEADERS);
      const refusal = guard.check(request.raw, 'public');
      if (refusal === undefined && isWorkerScript(request.raw)) return answerRemovalScript(reply);
      answerError(refusal ? new MeshError(refusal.code, refusal.message) : error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;
}

/** Gives each plugin the name of its function when it is registered. */
function namePlugins(app: App): void {
  const { register } = app as { register: (...given: unknown[]) => unknown };
  const named = function (this: unknown, ...given: unknown[]) {
    const [plugin] = given;
    if (typeof plugin === 'function' && !(DISPLAY_NAME in plugin))
      Object.assign(plugin, { [DISPLAY_NAME]: plugin.name });
    return register.apply(this, given);
  };
  Object.assign(app, { register: named });
}

const NOT_PLAIN = 'This route is a WebSocket: open it with ws:// and the headers of an upgrade.';

/** Adds the checks before every request: the guard, what may be upgraded, and whose the connection is. */
function guardRequests(
  app: App,
  { guard, isForeignPeer, noteOperator, whenPeerKnown = (_socket, known) => known() }: ServerOptions,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    const isMiss = request.is404;
    const access = isMiss ? 'public' : (config.access ?? 'operator');
    const isUpgrade = asksUpgrade(request.raw);
    dropRefusedUpgrade(request, reply);
    void reply.headers(COMMON_HEADERS);
    const refusal = guard.check(request.raw, access);
    if (refusal?.movedTo !== undefined) return void reply.redirect(refusal.movedTo, 308);
    // A browser does not check a cached script of the worker for changes for a day.
    if (refusal === LEFT_OVER) void reply.header('clear-site-data', '"cache"');
    if (refusal) return done(new MeshError(refusal.code, refusal.message));
    if (isWorkerScript(request.raw)) return answerRemovalScript(reply);
    if (isUpgrade && config.socket !== true) return done(new MeshError('not_found', 'There is no such route.'));
    const isForOperator = access === 'operator' || access === 'page';
    noteOperator?.(request.raw);
    if (!isForOperator && !isUpgrade && READING.has(request.method)) return done();
    const { socket } = request.raw;
    return whenPeerKnown(socket, () => {
      // A connection whose peer closed its writable side meanwhile cannot be upgraded.
      if (isUpgrade && !socket.readable) return done(new MeshError('forbidden', HALF_CLOSED));
      return done(isForOperator ? refuseForeign(socket, isForeignPeer) : undefined);
    });
  });
  // Only here, so that a caller learns from a plain request why its upgrade is refused.
  app.addHook('onRoute', (route) => {
    if (route.config?.socket === true) route.preHandler = [requireUpgrade, ...[route.preHandler ?? []].flat()];
  });
}

function requireUpgrade(request: AnyRequest, reply: AnyReply, done: (error?: Error) => void): void {
  if (asksUpgrade(request.raw)) return void done();
  void reply.header('upgrade', 'websocket');
  done(new MeshError('upgrade_required', NOT_PLAIN));
}

function logAnswers(app: App): void {
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

/**
 * Escapes the characters of JSON responses that could control a terminal. A response may be read on one (`curl`) and
 * contains file and member names. The JSON keeps its value. `onRefused` and `onAnswered` are called here because every
 * request passes: a hook of their own would cost time.
 */
function escapeAnswers(app: App, { onRefused, onAnswered }: ServerOptions): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { statusCode: status } = reply;
    if (onAnswered) {
      const { url: route, schema } = request.routeOptions;
      onAnswered({ method: request.method, route, area: schema?.tags?.[0], status, ms: reply.elapsedTime });
    }
    if (status === 401 || status === 402 || status === 429) {
      const { config, url: route } = request.routeOptions;
      if (config.access === 'bearer' || config.access === 'public') onRefused?.({ request, status, route });
    }
    const isJson = typeof payload === 'string' && String(reply.getHeader('content-type')).includes('json');
    if (!isJson) return done(null, payload);
    if (payload.length <= LARGE_ANSWER_CHARS) return done(null, escapeInvisibleJson(payload));
    void serializeInTicks(payload).then((shown) => done(null, shown));
  });
}

/**
 * Escapes a large JSON response in an event loop tick of its own and continues in another, because serializing it took
 * a tick already.
 */
async function serializeInTicks(json: string): Promise<string> {
  await waitForTick();
  const shown = escapeInvisibleJson(json);
  await waitForTick();
  return shown;
}

/** Returns the reason why an operator route refuses the connection, or undefined. */
function refuseForeign(socket: Socket, isForeign: (socket: Socket) => boolean): Error | undefined {
  try {
    return isForeign(socket) ? new MeshError('forbidden', FOR_OPERATOR) : undefined;
  } catch (error) {
    return error as Error;
  }
}

/** The HTTP server does not manage the socket of an upgrade, so it is closed here when the upgrade is refused. */
function dropRefusedUpgrade(request: Pick<AnyRequest, 'raw'>, reply: Pick<AnyReply, 'raw'>): void {
  if (asksUpgrade(request.raw)) reply.raw.once('finish', () => request.raw.socket.destroySoon());
}
