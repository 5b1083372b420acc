import { getErrorMessage } from '../../../lib/errors.js';
import { scrubSecrets } from '../../../lib/secrets/secrets.js';
import { sanitizeDisplayLine } from '../../../lib/text/display-text.js';

/** A configured embedding endpoint. */
export interface EmbeddingSettings {
  /** Without a trailing slash. Plain http is allowed only for this machine. */
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

const DIMENSIONS_MAX = 4_096;
const ANSWER_MAX_BYTES = 32 * 1024 * 1024;
const WORDS_CHARS = 200;
/** Statuses with which endpoints refuse texts: too many, too long, or such that the model computes no number. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** The endpoint answered, and its refusal may be about the texts. */
export class TextsRefused extends Error {}
/** The endpoint did not answer in time. */
export class TextsLate extends Error {}

/**
 * An OpenAI-compatible endpoint that converts texts to vectors. Calls only the configured address, follows no redirect
 * and logs nothing.
 */
export class EmbeddingEndpoint {
  /** Asked for until the endpoint refuses the parameter. Some answer with base64 without it, others know it not. */
  private encoding: { encoding_format?: 'float' } = { encoding_format: 'float' };

  constructor(readonly settings: EmbeddingSettings) {}

  /**
   * Returns the vectors of `texts` in their order, all of the same length, none for a text for which the model computed
   * no numbers. Throws an Error with the reason when the endpoint sends an unusable response, TextsLate when it does
   * not respond within `withinMs`, and TextsRefused when its refusal may be about the texts. The message contains
   * neither the key nor a text, unless the endpoint quotes a text.
   */
  async embed(texts: readonly string[], withinMs: number, signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    try {
      return await this.ask(texts, withinMs, signal);
    } catch (error) {
      const isRefused = error instanceof TextsRefused && error.message.includes('encoding_format');
      if (!isRefused || !this.encoding.encoding_format) throw error;
      this.encoding = {};
      return await this.ask(texts, withinMs, signal);
    }
  }

  private async ask(
    texts: readonly string[],
    withinMs: number,
    signal: AbortSignal,
  ): Promise<(Float32Array | undefined)[]> {
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
        body: JSON.stringify({ model, input: texts.map((text) => text.toWellFormed()), ...this.encoding }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      });
      if (!response.ok) {
        const words = wordsOf(await limitedText(response), apiKey);
        const Kind = REFUSALS.has(response.status) ? TextsRefused : Error;
        throw new Kind(`it answered with status ${response.status}${words && `: ${words}`}`);
      }
      answer = JSON.parse(await limitedText(response));
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      const Kind = error instanceof TextsRefused ? TextsRefused : isLate ? TextsLate : Error;
      throw new Kind(`The embedding endpoint could not be used: ${getErrorMessage(error)}.`);
    }
    return parseVectors(answer, texts.length);
  }
}

/** What the endpoint says about a refusal, in one of the usual shapes and without the key. */
function wordsOf(body: string, apiKey: string | undefined): string {
  const said = messageIn(body);
  const clean = apiKey ? said.replaceAll(apiKey, '[redacted]') : said;
  return sanitizeDisplayLine(scrubSecrets(clean)).slice(0, WORDS_CHARS).trim().replace(/\.$/, '');
}

/** OpenAI: `{ error: { message } }`; Ollama and TEI: `{ error }`; FastAPI: `{ detail }`. */
function messageIn(body: string): string {
  try {
    const { error, detail, message } = JSON.parse(body) ?? {};
    return [error?.message, error, detail, message].find((words) => typeof words === 'string') ?? '';
  } catch {
    return '';
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
 * Reads the vectors of a response, each placed by its `index`. Models that compute no number for a text answer with
 * nulls or with nothing: it has no vector. Throws unless there are `count` vectors, of numbers and of the same length.
 */
export function parseVectors(answer: unknown, count: number): (Float32Array | undefined)[] {
  const wrong = (what: string) => new Error(`The embedding endpoint's answer is not usable: ${what}.`);
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) throw wrong(`it must hold ${count} vectors in "data"`);
  const vectors: (Float32Array | undefined)[] = [];
  data.forEach((entry: { index?: unknown; embedding?: unknown } | null, at) => {
    const place = typeof entry?.index === 'number' ? entry.index : at;
    const numbers = entry?.embedding === null ? [] : entry?.embedding;
    if (!Array.isArray(numbers) || numbers.length === 1 || numbers.length > DIMENSIONS_MAX)
      throw wrong(`vectors must have 2 to ${DIMENSIONS_MAX} numbers`);
    if (!numbers.every((value) => typeof value === 'number' || value === null))
      throw wrong('vectors must be finite numbers');
    if (!Number.isInteger(place) || place < 0 || place >= count || place in vectors)
      throw wrong('every "index" must come once');
    vectors[place] = numbers.length > 0 && numbers.every(Number.isFinite) ? Float32Array.from(numbers) : undefined;
  });
  const lengths = new Set(vectors.flatMap((vector) => vector?.length ?? []));
  if (lengths.size > 1) throw wrong('all vectors must be of one length');
  return vectors;
}
