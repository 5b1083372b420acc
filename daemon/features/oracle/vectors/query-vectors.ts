import type { Clock } from '../../../lib/time/clock.js';

/** Maximum wait of a search for the vector of its query; after it, the search uses the catalog's own vectors. */
const WAIT_MS = 1_500;
const CACHED_MAX = 500;

/**
 * The vectors of queries. A request outlives the search that waits for it: a server that loads its model for it would
 * stop loading if it were called off, and each later search would begin the same anew.
 */
export class QueryVectors {
  private vectors = new Map<string, Float32Array>();
  private readonly asked = new Map<string, Promise<Float32Array | undefined>>();
  private late = 0;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly ask: (text: string) => Promise<Float32Array | undefined>,
  ) {}

  known(text: string): Float32Array | undefined {
    return this.vectors.get(text);
  }

  /** Returns the vector of a query, undefined when it is not there in time. Does not wait while another one is late. */
  async find(text: string): Promise<Float32Array | undefined> {
    if (this.late > 0) return undefined;
    const asked = this.asked.get(text) ?? this.begin(text);
    let cancel: () => void = () => undefined;
    const wait = new Promise<undefined>((resolve) => {
      cancel = this.clock.after(WAIT_MS, () => resolve(undefined));
    });
    return await Promise.race([asked, wait]).finally(cancel);
  }

  /** Forgets the vectors of another model. */
  forget(): void {
    this.vectors = new Map();
  }

  private begin(text: string): Promise<Float32Array | undefined> {
    const { vectors } = this;
    let isLate = false;
    const cancel = this.clock.after(WAIT_MS, () => {
      isLate = true;
      this.late += 1;
    });
    const asked = this.ask(text)
      .then((vector) => {
        if (vector) keep(vectors, text, vector);
        return vector;
      })
      .finally(() => {
        cancel();
        if (isLate) this.late -= 1;
        this.asked.delete(text);
      });
    this.asked.set(text, asked);
    return asked;
  }
}

function keep(vectors: Map<string, Float32Array>, text: string, vector: Float32Array): void {
  vectors.set(text, vector);
  for (const oldest of vectors.keys()) {
    if (vectors.size <= CACHED_MAX) break;
    vectors.delete(oldest);
  }
}
