import {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import { A2A_TYPE, type A2aAnswer, openedStream, type RestRequest } from './a2a-answer.js';
import { A2aRequestError, versionNotSupported } from './a2a-errors.js';
import { answerLegacyRest } from './legacy-rest.js';
import { type A2aCall, MemberTasks, type MemberTasksParts } from './member-tasks.js';
import { checkPushConfig, checkSend } from './message-shape.js';
import { listRequestIn, numberIn } from './task-query.js';

type Json = Record<string, unknown>;
type Operation = (tasks: MemberTasks, request: RestRequest, ids: string[]) => Promise<A2aAnswer>;

const json = (body: unknown, status = 200): A2aAnswer => ({ kind: 'json', status, body, contentType: A2A_TYPE });
const getBody = ({ body }: RestRequest): Json => {
  if (isObject(body)) return body;
  throw new MeshError('bad_request', 'The body must be a JSON object.', { details: { path: '' } });
};
function sendIn(request: RestRequest): SendMessageRequest {
  const body = getBody(request);
  checkSend(body);
  return SendMessageRequest.fromJSON(body);
}

const streamed = (tasks: MemberTasks, stream: AsyncGenerator<StreamResponse>): Promise<A2aAnswer> =>
  openedStream(
    stream,
    (event) => JSON.stringify(StreamResponse.toJSON(event)),
    (error) => refusal(error, tasks),
    (error) => JSON.stringify(toRestErrorBody(error, statusFor(error))),
  );

const subscribe: Operation = (tasks, _request, [id = '']) => streamed(tasks, tasks.resubscribe({ tenant: '', id }));

/** Adds an empty list of artifacts to tasks without any, when artifacts were requested. */
function listed(response: ListTasksResponse, withArtifacts: boolean): Json {
  const { tasks, ...rest } = ListTasksResponse.toJSON(response) as { tasks?: Json[] };
  const { nextPageToken, pageSize, totalSize } = response;
  return {
    ...rest,
    tasks: (tasks ?? []).map((task) => (withArtifacts ? { artifacts: [], ...task } : task)),
    nextPageToken,
    pageSize,
    totalSize,
  };
}

/** The operations of A2A 1.0 over HTTP with JSON. */
const OPERATIONS: readonly [method: string, path: RegExp, run: Operation][] = [
  [
    'POST',
    /^message:send$/,
    async (tasks, request) => json({ task: Task.toJSON(await tasks.sendMessage(sendIn(request))) }),
  ],
  ['POST', /^message:stream$/, async (tasks, request) => streamed(tasks, tasks.sendMessageStream(sendIn(request)))],
  ['GET', /^tasks$/, listTasks],
  [
    'POST',
    /^tasks\/([^/:]+):cancel$/,
    async (tasks, _request, [id = '']) =>
      json(Task.toJSON(await tasks.cancelTask({ tenant: '', id, metadata: undefined }))),
  ],
  ['GET', /^tasks\/([^/:]+):subscribe$/, subscribe],
  ['POST', /^tasks\/([^/:]+):subscribe$/, subscribe],
  [
    'GET',
    /^tasks\/([^/:]+)$/,
    async (tasks, { query }, [id = '']) =>
      json(Task.toJSON(await tasks.getTask({ tenant: '', id, historyLength: numberIn(query, 'historyLength') }))),
  ],
  ['POST', /^tasks\/([^/:]+)\/pushNotificationConfigs$/, putPush],
  [
    'GET',
    /^tasks\/([^/:]+)\/pushNotificationConfigs$/,
    async (tasks, _request, [taskId = '']) => {
      const found = await tasks.listTaskPushNotificationConfigs({ tenant: '', taskId, pageSize: 0, pageToken: '' });
      return json({ configs: [], ...(ListTaskPushNotificationConfigsResponse.toJSON(found) as Json) });
    },
  ],
  [
    'GET',
    /^tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (tasks, _request, [taskId = '', id = '']) =>
      json(TaskPushNotificationConfig.toJSON(await tasks.getTaskPushNotificationConfig({ tenant: '', taskId, id }))),
  ],
  [
    'DELETE',
    /^tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (tasks, _request, [taskId = '', id = '']) => {
      await tasks.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
      return { kind: 'nothing', status: 204 };
    },
  ],
  [
    'GET',
    /^extendedAgentCard$/,
    async (tasks) => json(AgentCard.toJSON(await tasks.getAuthenticatedExtendedAgentCard())),
  ],
];

async function listTasks(tasks: MemberTasks, { query }: RestRequest): Promise<A2aAnswer> {
  const request = listRequestIn(query);
  return json(listed(await tasks.listTasks(request), request.includeArtifacts === true));
}

async function putPush(tasks: MemberTasks, request: RestRequest, [taskId = '']: string[]): Promise<A2aAnswer> {
  const body = getBody(request);
  checkPushConfig(body, 'body');
  const config = TaskPushNotificationConfig.fromJSON({ ...body, taskId } as never);
  return json(TaskPushNotificationConfig.toJSON(await tasks.createTaskPushNotificationConfig(config)), 201);
}

const statusFor = (error: unknown): number => (error instanceof A2aRequestError ? error.status : restStatusFor(error));

function refusal(error: unknown, tasks: Pick<MemberTasks, 'recordThrown'>): A2aAnswer {
  const known = tasks.recordThrown(error);
  const status = statusFor(known);
  const retryAfterSeconds = known instanceof A2aRequestError ? known.retryAfterSeconds : undefined;
  return { kind: 'json', status, body: toRestErrorBody(known, status), contentType: A2A_TYPE, retryAfterSeconds };
}

const UNKNOWN: A2aAnswer = {
  kind: 'json',
  status: 404,
  body: { error: { code: 404, status: 'NOT_FOUND', message: 'A2A has no such operation.', details: [] } },
  contentType: A2A_TYPE,
};

/**
 * Handles a call over HTTP with JSON: the operations of 1.0, and below `v1` those of 0.3. `unknownVersion` is the
 * version that the caller requested when it is neither.
 */
export async function answerRest(
  parts: MemberTasksParts,
  request: RestRequest,
  call: Omit<A2aCall, 'version'>,
  unknownVersion?: string,
): Promise<A2aAnswer> {
  const isLegacy = request.path.startsWith('v1/');
  const tasks = new MemberTasks(parts, { ...call, version: isLegacy ? '0.3' : '1.0' });
  try {
    if (unknownVersion !== undefined) throw versionNotSupported(unknownVersion);
    if (isLegacy)
      return (await answerLegacyRest(tasks, { ...request, path: request.path.slice('v1/'.length) })) ?? UNKNOWN;
    for (const [method, path, run] of OPERATIONS) {
      const found = method === request.method ? path.exec(request.path) : null;
      if (found) return await run(tasks, request, found.slice(1));
    }
    return UNKNOWN;
  } catch (error) {
    return refusal(error, tasks);
  }
}
