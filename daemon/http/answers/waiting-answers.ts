import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node.js sets `_closed` on a response whose connection has closed, for listeners that are added later. */
type Closing = ServerResponse & { _closed?: boolean };

/**
 * Closes the responses that wait behind another when their connection closes. Node.js closes only the response in
 * progress, so a file or subscription that a waiting response holds would never be released.
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
        // Node.js closes the response in progress.
        if (answer.socket !== null) continue;
        answer.destroyed = true;
        answer._closed = true;
        answer.emit('close');
      }
    });
    return answers;
  };
  server.prependListener('request', ({ socket }, answer) => {
    // The response already has the connection.
    if (answer.socket !== null) return;
    const answers = waitingOn(socket).add(answer);
    answer.once('close', () => answers.delete(answer));
  });
}
