import type { ErrorCode } from '../../contract/errors.js';
import type { Answering } from './unread-answer.js';

type BareRefusal = readonly [status: string, code: ErrorCode, message: string];
const MALFORMED: BareRefusal = ['400 Bad Request', 'bad_request', 'The request is malformed.'];
const REFUSED: Readonly<Record<string, BareRefusal>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'too_large',
    'The headers of the request are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'deadline',
    'The request did not arrive whole in time: send it again.',
  ],
};

/**
 * Sends a bare refusal for a request that was never complete, to any client. If another response is in progress, it
 * closes the connection instead, because the client would take the refusal for a part of that response.
 */
export function refuseUnread(this: unknown, error: Error & { code?: string }, socket: Answering): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const [status, code, message] = REFUSED[String(error.code)] ?? MALFORMED;
  const body = JSON.stringify({ error: code, message });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ` +
      `${body.length}\r\n\r\n${body}`,
  );
}
