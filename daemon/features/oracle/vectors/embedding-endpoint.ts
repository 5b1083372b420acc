import { getErrorMessage } from '../../../lib/errors.js';

/** A configured embedding endpoint. */
export interface EmbeddingSettings {
  /** Without a trailing slash. Plain http is allowed only for this machine. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

const DIMENSIONS_MAX = 4_096;
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;

/**
 * An OpenAI-compatible endpoint that converts texts to vectors. Calls only the configured address, follows no redirect
 * and logs nothing.
 */
export class EmbeddingEndpoint {
  constructor(readonly settings: EmbeddingSettings) {}

  /**
   * Returns the vectors of `texts` in their order, all of the same length. Throws an Error with the reason when the
   * endpoint does not respond within `withinMs` or sends an unusable response. The message contains neither the key nor
   * a text.
   */
  async embed(texts: readonly string[], withinMs: number, signal: AbortSignal): Promise<Float32Array[]> {
    const { baseUrl, model, apiKey } = this.settings;
    let answer: unknown;
    try {
      const response = await fetch(`${baseUrl}/embeddings`, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`it answered with status ${response.status}`);
      }
      answer = JSON.parse(await limitedText(response));
    } catch (error) {
      throw new Error(`The embedding endpoint could not be used: ${getErrorMessage(error)}.`);
    }
    return parseVectors(answer, texts.length);
  }
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error('its answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Reads the vectors of a response, each placed by its `index`. Throws unless there are `count` vectors of finite
 * numbers and of the same length.
 */
export function parseVectors(answer: unknown, count: number): Float32Array[] {
  const wrong = (what: string) => new Error(`The embedding endpoint's answer is not usable: ${what}.`);
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) throw wrong(`it must hold ${count} vectors in "data"`);
  const vectors: Float32Array[] = [];
  data.forEach((entry: { index?: unknown; embedding?: unknown } | null, at) => {
    const place = typeof entry?.index === 'number' ? entry.index : at;
    const numbers = entry?.embedding;
    if (!Array.isArray(numbers) || numbers.length < 2 || numbers.length > DIMENSIONS_MAX)
      throw wrong(`vectors must have 2 to ${DIMENSIONS_MAX} numbers`);
    if (!numbers.every((value) => typeof value === 'number' && Number.isFinite(value)))
      throw wrong('vectors must be finite numbers');
    if (!Number.isInteger(place) || place < 0 || place >= count || vectors[place])
      throw wrong('every "index" must come once');
    vectors[place] = Float32Array.from(numbers as number[]);
  });
  if (vectors.some((vector) => vector.length !== vectors[0]?.length)) throw wrong('all vectors must be of one length');
  return vectors;
}
