import { BODY_LIMIT } from '../../contract/limits.js';
import { isMeshError } from '../../lib/errors.js';
import { A2A_TYPE, type A2aAnswer, JSON_TYPE } from './a2a-answer.js';

interface Refusal {
  status: number;
  /** Whether it is about the body. A request that the guard refuses never came as far as JSON-RPC. */
  isOfBody?: boolean;
  /** JSON-RPC error code. */
  code: number;
  message: string;
}

function toRefusal(error: unknown): Refusal | undefined {
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (isMeshError(error, 'bad_request')) {
    const isOfBody = error.details['path'] !== undefined;
    return { status: 400, isOfBody, code: -32600, message: error.message };
  }
  if (isMeshError(error, 'too_large')) return { status: 413, code: -32600, message: error.message };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return { status: 415, code: -32005, message: 'Send the body as application/json or application/a2a+json.' };
  }
  if (statusCode === 413) return { status: 413, code: -32600, message: `The body is larger than ${BODY_LIMIT} bytes.` };
  if (error instanceof SyntaxError || statusCode === 400) {
    return {
      status: 400,
      isOfBody: true,
      code: -32700,
      message: `The body is no JSON: ${(message ?? '').slice(0, 120)}`,
    };
  }
  return undefined;
}

/**
 * The response for an unreadable body: in REST's format, or in JSON-RPC's envelope, which has HTTP status 200 unless the
 * body is too large or of another media type. Undefined for any other error.
 */
export function refusedBody(error: unknown, isRpc: boolean): A2aAnswer | undefined {
  const refusal = toRefusal(error);
  if (!refusal) return undefined;
  const { status, isOfBody, code, message } = refusal;
  if (isRpc)
    return {
      kind: 'json',
      status: isOfBody ? 200 : status,
      body: { jsonrpc: '2.0', id: null, error: { code, message } },
      contentType: JSON_TYPE,
    };
  return {
    kind: 'json',
    status,
    body: { error: { code: status, status: 'INVALID_ARGUMENT', message, details: [] } },
    contentType: A2A_TYPE,
  };
}
