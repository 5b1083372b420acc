import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import type { Access } from '../../http/callers/access.js';
import { requireBearer, type WrongCredentials } from '../../http/callers/bearer.js';
import { getCaller } from '../../http/callers/caller.js';
import { answerError } from '../../http/error-handler.js';
import { acceptJson } from '../../http/json-body.js';
import type { AnyReply, AnyRequest, App } from '../../http/route-types.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import type { Clock } from '../../lib/time/clock.js';
import type { AgentHost } from '../agent-host/agent-host.js';
import type { Exposure } from '../exposure/exposure.js';
import type { A2aAnswer } from './a2a-answer.js';
import { eventStream } from './event-stream.js';
import type { A2aCall, MemberTasksParts } from './member-tasks.js';
import { refusedBody } from './refused-body.js';

type Protocol = typeof import('./a2a-protocol.js');

interface A2aRoutesParts {
  host: Pick<AgentHost, 'agent' | 'ready'>;
  exposure: Pick<Exposure, 'verify' | 'onRevoked'>;
  wrong: WrongCredentials;
  clock: Clock;
  tasks: MemberTasksParts;
  /** Loads the A2A implementation. */
  protocol: () => Promise<Protocol>;
}

const VERSION = /^(?:0\.3|1\.0)(?:\.\d{1,4})?$/;
const access: Access = 'bearer';
const tags = ['agent'];
const getId = (request: AnyRequest) => (request.params as { id: string }).id;

/**
 * The protocol version that the caller requests when it is neither 1.0 nor 0.3. Without a version header or parameter,
 * method and path determine it.
 */
function unknownVersionIn(request: AnyRequest): string | undefined {
  const said = request.headers['a2a-version'] ?? (request.query as Record<string, unknown>)['A2A-Version'];
  if (said === undefined || said === '') return undefined;
  const text = String(said).trim();
  return VERSION.test(text) ? undefined : text;
}

/** A signal that aborts when the caller has disconnected or its token was revoked. */
function createEndSignal(exposure: A2aRoutesParts['exposure'], id: string, reply: AnyReply): AbortSignal {
  const revoked = new AbortController();
  const stop = exposure.onRevoked((one) => {
    if (one === id) revoked.abort();
  });
  reply.raw.once('close', stop);
  return AbortSignal.any([createDisconnectSignal(reply), revoked.signal]);
}

function sendAnswer<Reply extends AnyReply>(reply: Reply, answer: A2aAnswer, clock: Clock): Reply {
  switch (answer.kind) {
    case 'nothing':
      void reply.code(answer.status).send();
      break;
    case 'stream':
      void reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
      void reply.send(eventStream(answer.events, clock));
      break;
    case 'json':
      if (answer.retryAfterSeconds !== undefined)
        void reply.header('retry-after', String(Math.max(1, Math.ceil(answer.retryAfterSeconds))));
      void reply
        .code(answer.status)
        .type(answer.contentType)
        .serializer((payload: unknown) => String(payload))
        .send(JSON.stringify(answer.body));
  }
  return reply;
}

/**
 * The A2A routes of every exposed member, 1.0 and 0.3: JSON-RPC of both at one address, REST below it (that of 0.3
 * under `v1`). JSON-RPC is also available at the agent's own address, where 0.3 clients send it. Every call needs the
 * member's token. Trailing slashes are ignored.
 */
export async function a2aRoutes(
  app: App,
  { host, exposure, wrong, clock, tasks, protocol }: A2aRoutesParts,
): Promise<void> {
  const requireToken = (request: AnyRequest, _reply: unknown, done: (error?: Error) => void) => {
    const id = getId(request);
    requireBearer(request, wrong, `member ${id}`, (token) => exposure.verify(id, token));
    done();
  };

  const getCall = (request: AnyRequest, reply: AnyReply): Omit<A2aCall, 'version'> => ({
    agent: host.agent(getId(request)),
    caller: getCaller(request),
    address: request.ip,
    signal: createEndSignal(exposure, getId(request), reply),
  });

  const rpc = async <Reply extends AnyReply>(request: AnyRequest, reply: Reply): Promise<Reply> => {
    const { answerRpc } = await protocol();
    const answer = await answerRpc(tasks, request.body, getCall(request, reply), unknownVersionIn(request));
    return sendAnswer(reply, answer, clock);
  };

  const rest = async <Reply extends AnyReply>(request: AnyRequest, reply: Reply): Promise<Reply> => {
    const path = withoutTrailingSlashes((request.params as { '*': string })['*']);
    if (path === '' && request.method === 'POST') return rpc(request, reply);
    const { answerRest } = await protocol();
    const { method, body } = request;
    const query = request.query as Record<string, unknown>;
    const call = getCall(request, reply);
    const answer = await answerRest(tasks, { method, path, query, body }, call, unknownVersionIn(request));
    return sendAnswer(reply, answer, clock);
  };

  acceptJson(app, ['application/json', 'application/a2a+json']);
  app.setErrorHandler((error, request, reply) => {
    // An invalid body gets an error in A2A's own format; any other error is handled as on other routes.
    const isRpc = ((request.params as { '*'?: string })['*'] ?? '') === '';
    const refused = refusedBody(error, isRpc);
    if (refused) return sendAnswer(reply, refused, clock);
    return answerError(error, request, reply);
  });

  const options = (summary: string) => ({ config: { access }, schema: { summary, tags }, onRequest: requireToken });
  app.post('/team/:id/a2a', options('A2A over JSON-RPC, 1.0 and 0.3'), rpc);
  app.post('/team/:id', options('A2A over JSON-RPC, where clients of 0.3 post to'), rpc);
  app.get('/team/:id/a2a/*', options('A2A over REST: read, list and subscribe to tasks'), rest);
  app.post('/team/:id/a2a/*', options('A2A over REST: send messages, cancel tasks, ask to be told of them'), rest);
  app.delete('/team/:id/a2a/*', options('A2A over REST: forget a push notification configuration'), rest);
}
