import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node.js marks of an answer whose connection has gone, for those who ask later. */
type Closing = ServerResponse & { _closed?: boolean };

/**
 * Closes the answers that wait behind another on their connection when that has gone, as Node.js does with the one under way alone: whatever they hold, a file or a
 * subscription, would be held for good.
 */
export function closeWaitingAnswers(server: Server): void {
  const waiting = new WeakMap<Socket, Set<Closing>>();
  const waitingOn = (socket: Socket): Set<Closing> => {
    const found = waiting.get(socket);
    if (found) return found;
    const answers = new Set<Closing>();
    waiting.set(socket, answers);
    socket.once('close', () => {
      for (const answer of answers) {
        // That one is closed by Node.js.
        if (answer.socket !== null) continue;
        answer.destroyed = true;
        answer._closed = true;
        answer.emit('close');
      }
    });
    return answers;
  };
  server.prependListener('request', ({ socket }, answer) => {
    // It has the connection already.
    if (answer.socket !== null) return;
    const answers = waitingOn(socket).add(answer);
    answer.once('close', () => answers.delete(answer));
  });
}
