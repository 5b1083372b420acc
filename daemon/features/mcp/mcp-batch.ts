/** Messages of one request of the previous protocol. */
const BATCH_MAX = 100;

type Message = { id?: unknown; method?: unknown } | null;

/**
 * Why a batch of the previous protocol is not carried out; undefined for one message and for a batch that is. Answers go by id: of two calls under one id both would
 * be made, and one of them answered.
 */
export function batchFault(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  if (body.length === 0 || body.length > BATCH_MAX) return `A batch has 1 to ${BATCH_MAX} messages.`;
  const ids = (body as Message[]).flatMap((message) =>
    message?.method === undefined || message.id === undefined ? [] : [message.id],
  );
  return new Set(ids).size < ids.length ? 'Each call of a batch has an id of its own.' : undefined;
}
