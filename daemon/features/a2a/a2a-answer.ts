/** A call over HTTP with JSON, as it came. */
export interface RestRequest {
  method: string;
  /** Below the mount, without slashes at its ends. */
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** What a call over HTTP is answered with. */
export type A2aAnswer =
  | { kind: 'json'; status: number; body: unknown; contentType: string; retryAfterSeconds?: number | undefined }
  | { kind: 'nothing'; status: number }
  /** JSON texts, one after the other; what goes wrong once it has begun is one of them. */
  | { kind: 'stream'; events: AsyncGenerator<string, void, undefined> };

export const JSON_TYPE = 'application/json; charset=utf-8';
export const A2A_TYPE = 'application/a2a+json; charset=utf-8';

/**
 * A stream whose first event has come, so that what goes wrong before it is answered as any other call. `asText` writes an event; `onError` what is answered
 * when there is no first one, `lastWords` what is said when it breaks later.
 */
export async function openedStream<T>(
  stream: AsyncIterable<T>,
  asText: (event: T) => string,
  onError: (error: unknown) => A2aAnswer,
  lastWords: (error: unknown) => string,
): Promise<A2aAnswer> {
  const events = stream[Symbol.asyncIterator]();
  let first: IteratorResult<T>;
  try {
    first = await events.next();
  } catch (error) {
    return onError(error);
  }
  return { kind: 'stream', events: told(first, events, asText, lastWords) };
}

async function* told<T>(
  first: IteratorResult<T>,
  events: AsyncIterator<T>,
  asText: (event: T) => string,
  lastWords: (error: unknown) => string,
): AsyncGenerator<string, void, undefined> {
  try {
    for (let next = first; !next.done; next = await events.next()) yield asText(next.value);
  } catch (error) {
    yield lastWords(error);
  } finally {
    await events.return?.();
  }
}
