import { type EmbeddingEndpoint, TextsLate, TextsRefused } from './embedding-endpoint.js';

const BATCH_MAX = 64;
/** Maximum number of characters of one request, but for a single text. */
const BATCH_MAX_CHARS = 16_000;
const WITHIN_MS = 60_000;
/** Lengths to which a text refused alone is cut: models take 256 tokens or more, and a token may be one character. */
const SHORTER = [1_000, 250];

/** A text that every model takes. What it is answered tells one model from another. */
export const PROBE = 'A short text about the weather.';

/**
 * Asks an endpoint for the vectors of any number of texts. A request that it refuses is halved; a number of texts that
 * proved too many, or that took too long, is not asked for again. A text that is refused alone is cut, and left out
 * when that does not help.
 */
export class EmbeddingBatches {
  private most = BATCH_MAX;
  private refusedTexts = 0;

  constructor(
    private readonly endpoint: Pick<EmbeddingEndpoint, 'embed'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns the vectors in the order of the texts, none for a text left out. Throws when the endpoint fails. */
  async embed(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const vectors: (Float32Array | undefined)[] = [];
    while (vectors.length < texts.length)
      vectors.push(...(await this.embedPart(this.takePart(texts.slice(vectors.length)))));
    return vectors;
  }

  private takePart(texts: readonly string[]): readonly string[] {
    let chars = 0;
    const end = texts.slice(0, this.most).findIndex((text, at) => {
      chars += text.length;
      return at > 0 && chars > BATCH_MAX_CHARS;
    });
    return texts.slice(0, end < 0 ? this.most : end);
  }

  /** Returns the vector of the probe. Throws when the endpoint fails or refuses even that. */
  async probe(): Promise<Float32Array> {
    const [vector] = await this.ask([PROBE]);
    if (!vector) throw new Error('The embedding endpoint answered without numbers.');
    return vector;
  }

  private async embedPart(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const vectors = await this.unlessRefused(texts);
    if (vectors) return vectors;
    if (texts.length === 1) return [await this.embedRefused(texts[0] as string)];
    const half = Math.ceil(texts.length / 2);
    const before = this.refusedTexts;
    const halves = [...(await this.embed(texts.slice(0, half))), ...(await this.embed(texts.slice(half)))];
    // Each text was taken as it is, so that it was their number.
    if (this.refusedTexts === before) this.most = Math.min(this.most, half);
    return halves;
  }

  private async embedRefused(text: string): Promise<Float32Array | undefined> {
    this.refusedTexts += 1;
    for (const length of SHORTER) {
      const vectors = text.length > length ? await this.unlessRefused([text.slice(0, length)]) : undefined;
      if (vectors) return vectors[0];
    }
    // An endpoint that refuses everything has failed: it must not look as if each text was at fault.
    await this.probe();
    return undefined;
  }

  private async unlessRefused(texts: readonly string[]): Promise<(Float32Array | undefined)[] | undefined> {
    try {
      const vectors = await this.ask(texts);
      // As for a refusal: whether it computes nothing at all.
      if (vectors.every((vector) => !vector)) await this.probe();
      return vectors;
    } catch (error) {
      if (error instanceof TextsRefused) return undefined;
      // Asked again at once, it would compute both: the next attempt is for fewer.
      if (error instanceof TextsLate) this.most = Math.min(this.most, Math.ceil(texts.length / 2));
      throw error;
    }
  }

  private ask(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return this.endpoint.embed(texts, WITHIN_MS, this.signal);
  }
}
