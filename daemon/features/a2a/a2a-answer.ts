/** A call over HTTP with JSON. */
export interface RestRequest {
  method: string;
  /** Relative to the mount point, without leading or trailing slashes. */
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** The response to a call over HTTP. */
export type A2aAnswer =
  | { kind: 'json'; status: number; body: unknown; contentType: string; retryAfterSeconds?: number | undefined }
  | { kind: 'nothing'; status: number }
  /** A sequence of JSON texts. An error after the stream has begun is one of them. */
  | { kind: 'stream'; events: AsyncGenerator<string, void, undefined> };

export const JSON_TYPE = 'application/json; charset=utf-8';
export const A2A_TYPE = 'application/a2a+json; charset=utf-8';

/**
 * Opens a stream after its first event, so that an error before it is returned like that of any other call. `toText`
 * serializes an event, `onError` builds the response when the first event fails, `lastWords` serializes an error that
 * occurs later.
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
  return { kind: 'stream', events: streamEvents(first, events, asText, lastWords) };
}

async function* streamEvents<T>(
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
