import type { AnyReply } from './route-types.js';

/** A signal that fires when the caller has hung up before its answer was sent. */
export function whenGone(reply: AnyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}
