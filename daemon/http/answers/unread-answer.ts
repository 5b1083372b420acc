import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const TAKEN_WITHIN_MS = 4_000;

/** The response in progress on a connection, as Node.js stores it. No public interface reports whether there is one. */
export type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null };

/**
 * Cuts a connection without activity for four seconds (twice that when a part was read before) while a part of its
 * response is unread, or between two requests. A connection whose response is not sent yet, a poll or a silent stream,
 * is kept as long as the response could still be sent. A connection that has sent no request is kept as well: Node's
 * header timeout ends it with a response.
 */
export function closeUnreadAnswers(server: Server, afterMs = TAKEN_WITHIN_MS): void {
  server.setTimeout(afterMs, (socket: Answering) => {
    const isAwaited = socket._httpMessage != null && socket.writableLength === 0 && socket.writable;
    const hasAsked = socket.bytesWritten > 0;
    if (hasAsked && !isAwaited) socket.destroy();
  });
}
