import type { FastifyReply } from 'fastify';

/** Returns a signal that fires when the caller disconnects before its response is complete. */
export function whenGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}
