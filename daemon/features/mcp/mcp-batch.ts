/** Maximum number of messages in one request of the previous protocol version. */
const BATCH_MAX = 100;

type Message = { id?: unknown; method?: unknown } | null;

/**
 * The reason to reject a batch of the previous protocol version. Undefined for a single message and for a valid batch.
 * Responses are matched by id: with a duplicate id both calls would run and only one would receive a response.
 */
export function batchFault(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  if (body.length === 0 || body.length > BATCH_MAX) return `A batch has 1 to ${BATCH_MAX} messages.`;
  const ids = (body as Message[]).flatMap((message) =>
    message?.method === undefined || message.id === undefined ? [] : [message.id],
  );
  return new Set(ids).size < ids.length ? 'Each call of a batch has an id of its own.' : undefined;
}
