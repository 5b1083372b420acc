import type { AnyReply } from '../route-types.js';

/** Returns a signal that fires when the caller disconnects before its response is complete. */
export function createDisconnectSignal(reply: AnyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}
