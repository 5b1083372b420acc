/**
 * The weights of a query's words, by term. An array rather than a map, because it is read for every word of every row
 * that is examined. Cleared after each query, so that no query sees the weights of another.
 */
export class AskedWords {
  private weights: Float64Array = new Float64Array(1024);
  private readonly terms: number[] = [];
  private total = 0;

  /** The sum of all weights. */
  get sum(): number {
    return this.total;
  }

  /** Adds a term that was not added since the last `clear`. */
  put(term: number, weight: number): void {
    if (term >= this.weights.length) {
      const grown = new Float64Array(Math.ceil(term * 1.5));
      grown.set(this.weights);
      this.weights = grown;
    }
    this.weights[term] = weight;
    this.terms.push(term);
    this.total += weight;
  }

  /** Returns the weight of a term; 0 if the query does not contain it. */
  of(term: number): number {
    return this.weights[term] ?? 0;
  }

  clear(): void {
    for (const term of this.terms.splice(0)) this.weights[term] = 0;
    this.total = 0;
  }
}
