import { sha256Hex } from '../../../lib/crypto/digests.js';
import type { EmbeddingSettings } from './embedding-endpoint.js';
import { unit } from './vector-space.js';

/** Vectors by key, kept across restarts. A vector that cannot be read is absent. */
export interface VectorCache {
  find(key: string): Float32Array | undefined;
  put(vectors: readonly (readonly [key: string, vector: Float32Array])[]): void;
}

/** Computations of one model differ a little by hardware and batch; those of two models differ much more. */
const SAME_MODEL = 0.999;

/**
 * The model that an endpoint serves, whatever its name says: many servers ignore the name, and tags move to new
 * weights. It is known again by its vector of the probe.
 */
export class EmbeddingModel {
  private readonly prefix: string;

  constructor(
    { baseUrl, model }: EmbeddingSettings,
    private readonly probed: Float32Array,
  ) {
    this.prefix = sha256Hex(`${baseUrl}\n${model}\n${probed.join(' ')}`);
  }

  /** Returns the model that answered `probed`: the one in the cache if it answered the same. */
  static known(settings: EmbeddingSettings, probed: Float32Array, cache: VectorCache): EmbeddingModel {
    const key = sha256Hex(`${settings.baseUrl}\n${settings.model}`);
    const before = cache.find(key);
    if (before && isSame(before, probed)) return new EmbeddingModel(settings, before);
    cache.put([[key, probed]]);
    return new EmbeddingModel(settings, probed);
  }

  get dimensions(): number {
    return this.probed.length;
  }

  /** The key of a text's vector in the cache. */
  keyOf(text: string): string {
    return sha256Hex(`${this.prefix}\n${text}`);
  }

  is(other: EmbeddingModel | undefined): boolean {
    return this.prefix === other?.prefix;
  }
}

function isSame(one: Float32Array, other: Float32Array): boolean {
  const [a, b] = [unit(one), unit(other)];
  if (!a || !b || a.length !== b.length) return false;
  return a.reduce((sum, value, at) => sum + value * (b[at] as number), 0) >= SAME_MODEL;
}
