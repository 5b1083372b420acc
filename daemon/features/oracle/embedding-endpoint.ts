import { messageOf } from '../../lib/errors.js';

/** An embedding endpoint of this machine's own configuration. */
export interface EmbeddingSettings {
  /** Without a slash at its end; plain http only on this machine. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

const DIMENSIONS_MAX = 4_096;
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;

/** An OpenAI-compatible endpoint that turns texts into vectors. Only the configured address is called, no redirect is followed, nothing of it is logged. */
export class EmbeddingEndpoint {
  constructor(readonly settings: EmbeddingSettings) {}

  /**
   * The vectors of `texts`, in their order and all of one length. Throws an Error that says what was wrong: an endpoint that does not answer within `withinMs`
   * or answers something else. Its message holds neither key nor text.
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
      throw new Error(`The embedding endpoint could not be used: ${messageOf(error)}.`);
    }
    return vectorsOf(answer, texts.length);
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

/** The vectors in an endpoint's answer, each at the place that its `index` says. Throws unless there are `count` of one length, of finite numbers. */
export function vectorsOf(answer: unknown, count: number): Float32Array[] {
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
