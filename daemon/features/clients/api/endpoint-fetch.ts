import { TurnFailure } from './turn-failure.js';

const REFUSAL_MAX_BYTES = 64 * 1024;
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;

/**
 * A `fetch` that talks to one origin and no other: redirects are not followed, since they would carry the conversation and perhaps the key elsewhere, and
 * what comes back is bounded. Throws `TurnFailure`.
 */
export function endpointFetch(baseUrl: string, send: typeof fetch = fetch): typeof fetch {
  const { origin } = new URL(baseUrl);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new TurnFailure(`Only ${origin} is called, and this was for ${url.origin}.`);
    const response = await send(input, { ...init, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new TurnFailure(
        `The endpoint at ${origin} answered with a redirect (${response.status}), which is not followed: set MESHD_API_BASE_URL to its final address.`,
      );
    }
    if (!response.body) return response;
    const body = response.body.pipeThrough(atMost(response.ok ? ANSWER_MAX_BYTES : REFUSAL_MAX_BYTES, origin));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function atMost(maxBytes: number, origin: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        controller.error(new TurnFailure(`The endpoint at ${origin} sent more than ${maxBytes / 1024} KiB in one answer.`));
      else controller.enqueue(chunk);
    },
  });
}
