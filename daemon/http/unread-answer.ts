import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const TAKEN_WITHIN_MS = 4_000;

/** What Node.js keeps of the answer that is under way on a connection: nothing else tells whether there is one. */
export type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null };

/**
 * Cuts a connection on which nothing moves for four seconds (twice that when a part was taken before) while a part of its answer lies there untaken, or between two requests. One whose answer is still to come, a poll or a silent stream,
 * is spared while it could still be sent, and one that has not asked yet: a head has its own time, and is told when it is over.
 */
export function cutUnread(server: Server, afterMs = TAKEN_WITHIN_MS): void {
  server.setTimeout(afterMs, (socket: Answering) => {
    const isAwaited = socket._httpMessage != null && socket.writableLength === 0 && socket.writable;
    const hasAsked = socket.bytesWritten > 0;
    if (hasAsked && !isAwaited) socket.destroy();
  });
}
