/**
 * What the words of one query count for, by term. An array, and not a map: it is asked for every word of every row that is looked at closely. Emptied after each
 * query, so that it holds nothing of the one before.
 */
export class AskedWords {
  private weights: Float64Array = new Float64Array(1024);
  private readonly terms: number[] = [];
  private total = 0;

  /** Of all that were put. */
  get sum(): number {
    return this.total;
  }

  /** A term that was not put since the last `clear`. */
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

  /** 0 for a term that the query does not name. */
  of(term: number): number {
    return this.weights[term] ?? 0;
  }

  clear(): void {
    for (const term of this.terms.splice(0)) this.weights[term] = 0;
    this.total = 0;
  }
}
