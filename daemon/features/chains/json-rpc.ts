import { BATCH_ANSWER_MAX_CHARS } from '../../contract/limits.js';
import { SlicedWork, waitForTick } from '../../lib/async/loop-ticks.js';
import { isMeshError } from '../../lib/errors.js';

/** Error codes of JSON-RPC 2.0, and those that Solana servers add. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  version: -32015,
  minContextSlot: -32016,
  limitExceeded: -32005,
} as const;

export const BATCH_MAX = 100;

/** An error that is returned as the response of a call. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export type RpcMethod = (params: readonly unknown[]) => unknown;
type Id = string | number | null;

interface RpcAnswer {
  jsonrpc: '2.0';
  id: Id;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export function rpcFailure(id: Id, code: number, message: string, data?: unknown): RpcAnswer {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/**
 * Processes the body of a JSON-RPC 2.0 request and returns the JSON of the response: one call, or a batch of up to 100
 * calls. The calls of a batch run one after the other and yield to the event loop every few milliseconds. Returns
 * undefined when no call needs a response. Never throws; `failed` receives internal errors. After `gone` is aborted, no
 * further call runs.
 */
export async function answerRpc(
  body: unknown,
  methods: ReadonlyMap<string, RpcMethod>,
  failed: (error: unknown) => void,
  gone?: AbortSignal,
): Promise<string | undefined> {
  const work = new SlicedWork();
  const answerOne = async (call: unknown): Promise<string | undefined> => {
    await work.step();
    const answer = await answerCall(call, methods, failed);
    return answer && JSON.stringify(answer);
  };
  if (!Array.isArray(body)) return answerOne(body);
  if (body.length === 0 || body.length > BATCH_MAX) {
    const message = `Invalid request: a batch has 1 to ${BATCH_MAX} calls.`;
    return JSON.stringify(rpcFailure(null, RPC.invalidRequest, message));
  }
  const answers: string[] = [];
  let chars = 0;
  for (const call of body) {
    if (gone?.aborted) return undefined;
    const answer = chars > BATCH_ANSWER_MAX_CHARS ? beyondBatch(call) : await answerOne(call);
    if (answer === undefined) continue;
    chars += answer.length;
    answers.push(answer);
  }
  await waitForTick();
  return answers.length > 0 ? `[${answers.join(',')}]` : undefined;
}

/** Returns the response to a call that is not run because the responses before it exceed the limit of a batch. */
function beyondBatch(call: unknown): string | undefined {
  const { id } = fieldsOf(call);
  if (id === undefined) return undefined;
  const message = `Limit exceeded: the answers before it fill ${BATCH_ANSWER_MAX_CHARS} characters. Send it again alone.`;
  return JSON.stringify(rpcFailure(isId(id) ? id : null, RPC.limitExceeded, message));
}

/** Returns the fields of a call, which may be any JSON value. */
const fieldsOf = (call: unknown) => (call ?? {}) as Record<string, unknown>;

const isId = (value: unknown): value is Id => value === null || typeof value === 'string' || typeof value === 'number';

async function answerCall(
  call: unknown,
  methods: ReadonlyMap<string, RpcMethod>,
  failed: (error: unknown) => void,
): Promise<RpcAnswer | undefined> {
  const { jsonrpc, id, method, params } = fieldsOf(call);
  const known = id === undefined || isId(id);
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !known)
    return rpcFailure(
      known ? (id ?? null) : null,
      RPC.invalidRequest,
      'Invalid request: send {jsonrpc: "2.0", id, method, params}.',
    );
  const answer = await getResult(methods.get(method), method, params).then(
    (result): RpcAnswer => ({ jsonrpc: '2.0', id: id ?? null, result }),
    (error: unknown) => {
      const { code, message, data } = toRpcError(error, failed);
      return rpcFailure(id ?? null, code, message, data);
    },
  );
  return id === undefined ? undefined : answer;
}

async function getResult(method: RpcMethod | undefined, name: string, params: unknown): Promise<unknown> {
  if (!method) throw new RpcError(RPC.methodNotFound, `Method not found: ${name.slice(0, 64)}`);
  if (params !== undefined && !Array.isArray(params))
    throw new RpcError(RPC.invalidParams, 'Invalid params: they must be a list.');
  return method(params ?? []);
}

function toRpcError(error: unknown, failed: (error: unknown) => void): RpcError {
  if (error instanceof RpcError) return error;
  if (isMeshError(error, 'bad_request') || isMeshError(error, 'proof_format'))
    return new RpcError(RPC.invalidParams, `Invalid params: ${error.message}`);
  failed(error);
  return new RpcError(RPC.internal, isMeshError(error) ? error.message : 'Internal error');
}
