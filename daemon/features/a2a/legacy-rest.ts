import { LegacyRestTransportHandler, toLegacyHTTPError } from '@a2a-js/sdk/compat/v0_3/server';
import { restStatusFor } from '@a2a-js/sdk/errors';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import { type A2aAnswer, JSON_TYPE, openedStream, type RestRequest } from './a2a-answer.js';
import { A2aRequestError } from './a2a-errors.js';
import {
  cardToWire,
  eventToWire,
  getPushBody,
  type LegacyPushConfig,
  pushToWire,
  resultToWire,
  sendFromWire,
  taskToLegacy,
  taskToWire,
} from './legacy-rest-wire.js';
import type { MemberTasks } from './member-tasks.js';
import { checkPushConfig, checkSend } from './message-shape.js';
import { listRequestIn } from './task-query.js';

type Operation = (
  handler: LegacyRestTransportHandler,
  request: RestRequest,
  ids: string[],
  context: ServerCallContext,
) => Promise<A2aAnswer>;
type Stream = Awaited<ReturnType<LegacyRestTransportHandler['sendMessageStream']>>;

const json = (body: unknown, status = 200): A2aAnswer => ({ kind: 'json', status, body, contentType: JSON_TYPE });
const getBody = ({ body }: RestRequest): Record<string, unknown> => {
  if (isObject(body)) return body;
  throw new MeshError('bad_request', 'The body must be a JSON object.', { details: { path: '' } });
};
const sendIn = (request: RestRequest) => {
  const body = getBody(request);
  checkSend(body);
  return sendFromWire(body);
};
const streamed = (stream: Stream): Promise<A2aAnswer> =>
  openedStream(
    stream,
    (event) => JSON.stringify(eventToWire(event)),
    legacyRefusal,
    (error) => JSON.stringify(toLegacyHTTPError(error)),
  );

const subscribe: Operation = async (handler, _request, [id = ''], context) =>
  streamed(await handler.resubscribe(id, context));

/** The operations of A2A 0.3 over HTTP with JSON, below `v1`. */
const OPERATIONS: readonly [method: string, path: RegExp, run: Operation][] = [
  [
    'GET',
    /^card$/,
    async (handler, _request, _ids, context) =>
      json(cardToWire(await handler.getAuthenticatedExtendedAgentCard(context))),
  ],
  [
    'POST',
    /^message:send$/,
    async (handler, request, _ids, context) =>
      json(resultToWire(await handler.sendMessage(sendIn(request), context)), 201),
  ],
  [
    'POST',
    /^message:stream$/,
    async (handler, request, _ids, context) => streamed(await handler.sendMessageStream(sendIn(request), context)),
  ],
  [
    'POST',
    /^tasks\/([^/:]+):cancel$/,
    async (handler, _request, [id = ''], context) => json(taskToWire(await handler.cancelTask(id, context))),
  ],
  ['GET', /^tasks\/([^/:]+):subscribe$/, subscribe],
  ['POST', /^tasks\/([^/:]+):subscribe$/, subscribe],
  [
    'GET',
    /^tasks\/([^/:]+)$/,
    async (handler, { query }, [id = ''], context) =>
      json(taskToWire(await handler.getTask(id, context, query['historyLength'] ?? query['history_length']))),
  ],
  [
    'POST',
    /^tasks\/([^/:]+)\/pushNotificationConfigs$/,
    async (handler, request, [taskId = ''], context) => {
      const given = getPushBody(getBody(request));
      checkPushConfig(given, 'pushNotificationConfig');
      const config = { taskId, pushNotificationConfig: given as LegacyPushConfig['pushNotificationConfig'] };
      return json(pushToWire(await handler.setTaskPushNotificationConfig(config, context)), 201);
    },
  ],
  [
    'GET',
    /^tasks\/([^/:]+)\/pushNotificationConfigs$/,
    async (handler, _request, [taskId = ''], context) =>
      json({
        configs: (await handler.listTaskPushNotificationConfigs(taskId, context)).map(pushToWire),
        nextPageToken: '',
      }),
  ],
  [
    'GET',
    /^tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (handler, _request, [taskId = '', id = ''], context) =>
      json(pushToWire(await handler.getTaskPushNotificationConfig(taskId, id, context))),
  ],
  [
    'DELETE',
    /^tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (handler, _request, [taskId = '', id = ''], context) => {
      await handler.deleteTaskPushNotificationConfig(taskId, id, context);
      return { kind: 'nothing', status: 204 };
    },
  ],
];

function legacyRefusal(error: unknown): A2aAnswer {
  const isRefusal = error instanceof A2aRequestError;
  const status = isRefusal ? error.status : restStatusFor(error);
  const retryAfterSeconds = isRefusal ? error.retryAfterSeconds : undefined;
  return { kind: 'json', status, body: toLegacyHTTPError(error), contentType: JSON_TYPE, retryAfterSeconds };
}

async function listTasks(tasks: MemberTasks, { query }: RestRequest): Promise<A2aAnswer> {
  const { tasks: found, ...page } = await tasks.listTasks(listRequestIn(query));
  return json({ tasks: found.map((task) => taskToWire(taskToLegacy(task))), ...page });
}

/** Handles a call of A2A 0.3 over REST. `path` is relative to `v1`. Undefined for an unknown operation. */
export async function answerLegacyRest(tasks: MemberTasks, request: RestRequest): Promise<A2aAnswer | undefined> {
  const handler = new LegacyRestTransportHandler(tasks);
  const context = new ServerCallContext({ requestedVersion: '0.3' });
  try {
    // The SDK's handler of 0.3 cannot list tasks.
    if (request.method === 'GET' && request.path === 'tasks') return await listTasks(tasks, request);
    for (const [method, path, run] of OPERATIONS) {
      const found = method === request.method ? path.exec(request.path) : null;
      if (found) return await run(handler, request, found.slice(1), context);
    }
  } catch (error) {
    return legacyRefusal(tasks.recordThrown(error));
  }
  return undefined;
}
