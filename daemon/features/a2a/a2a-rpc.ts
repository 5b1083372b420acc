import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isObject } from '../../lib/is-object.js';
import { type A2aAnswer, JSON_TYPE, openedStream } from './a2a-answer.js';
import {
  A2aRequestError,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  malformed,
  toA2aError,
  versionNotSupported,
} from './a2a-errors.js';
import { type A2aCall, MemberTasks, type MemberTasksParts } from './member-tasks.js';
import { checkPushConfig, checkSend } from './message-shape.js';
import { olderParams } from './older-params.js';

const SENDS = new Set(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream']);
const PUSH_SET = 'CreateTaskPushNotificationConfig';
const LEGACY_PUSH_SET = 'tasks/pushNotificationConfig/set';

type Id = string | number | null;
interface Envelope extends Record<string, unknown> {
  jsonrpc: '2.0';
  method: string;
  id?: Id;
}
interface RpcError {
  code: number;
  message: string;
}

function isEnvelope(body: unknown): body is Envelope {
  if (!isObject(body)) return false;
  const { jsonrpc, method, id } = body;
  const isId = id === undefined || id === null || typeof id === 'string' || Number.isSafeInteger(id);
  return jsonrpc === '2.0' && typeof method === 'string' && method !== '' && isId;
}

const rpcError = (id: Id, error: RpcError) => ({ jsonrpc: '2.0', id, error });

/** Throws for parameters that could not be decoded or that would be slow to decode. */
function checkParams({ method, params }: Envelope): void {
  if (SENDS.has(method)) checkSend(params);
  if (method === PUSH_SET) checkPushConfig(params, 'params');
  if (method === LEGACY_PUSH_SET)
    checkPushConfig(isObject(params) ? params['pushNotificationConfig'] : undefined, 'pushNotificationConfig');
}

/** HTTP statuses that say what to do before the call is repeated; every other error has status 200. */
const OWN_STATUS: ReadonlySet<number> = new Set([401, 402, 413, 415, 429]);

/**
 * Handles a call over JSON-RPC of either version: a method name with a slash belongs to 0.3, any other to 1.0. Errors
 * are returned in the envelope with HTTP status 200, whatever their code, except 401, 402, 413, 415 and 429.
 * `unknownVersion` is the version that the caller requested when it is neither.
 */
export async function answerRpc(
  parts: MemberTasksParts,
  body: unknown,
  call: Omit<A2aCall, 'version'>,
  unknownVersion?: string,
): Promise<A2aAnswer> {
  if (!isEnvelope(body)) {
    const said = {
      code: INVALID_REQUEST,
      message: 'Send one JSON-RPC 2.0 request: {"jsonrpc": "2.0", "id", "method", "params"}.',
    };
    return { kind: 'json', status: 200, body: rpcError(null, said), contentType: JSON_TYPE };
  }
  const isLegacy = body.method.includes('/');
  const id = body.id ?? null;
  const version = isLegacy ? ('0.3' as const) : ('1.0' as const);
  const tasks = new MemberTasks(parts, { ...call, version });
  const toError = (error: unknown): RpcError => {
    const known = toA2aError(error, parts.onFault);
    return isLegacy ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(known) : toJsonRpcError(known);
  };
  const refused = (error: unknown): A2aAnswer => ({
    kind: 'json',
    status: error instanceof A2aRequestError && OWN_STATUS.has(error.status) ? error.status : 200,
    body: rpcError(id, toError(error)),
    contentType: JSON_TYPE,
    retryAfterSeconds: error instanceof A2aRequestError ? error.retryAfterSeconds : undefined,
  });
  if (unknownVersion !== undefined) return refused(versionNotSupported(unknownVersion));
  try {
    checkParams(body);
  } catch (error) {
    return refused(malformed(error instanceof Error ? error.message : 'The parameters are malformed.'));
  }
  const context = new ServerCallContext({ requestedVersion: version });
  const handler = isLegacy ? new LegacyJsonRpcTransportHandler(tasks) : new JsonRpcTransportHandler(tasks);
  const answer = await handler.handle({ ...body, params: olderParams(body.method, body.params) }, context);
  if (Symbol.asyncIterator in answer) {
    return openedStream<unknown>(
      answer,
      (event) => JSON.stringify(event),
      (error) => refused(error),
      (error) => JSON.stringify(rpcError(id, toError(error))),
    );
  }
  const error = answer.error as RpcError | undefined;
  if (error === undefined) return { kind: 'json', status: 200, body: answer, contentType: JSON_TYPE };
  if (tasks.thrown) return refused(tasks.thrown);
  // An internal error that the operations did not throw comes from decoding the parameters.
  const isUndecodable = error.code === INTERNAL_ERROR;
  const said = isUndecodable ? { code: INVALID_PARAMS, message: 'The parameters are malformed.' } : error;
  return { kind: 'json', status: 200, body: rpcError(id, said), contentType: JSON_TYPE };
}
