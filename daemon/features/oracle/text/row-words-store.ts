import type { RowWord } from './card-text.js';

const CAPABILITY_BIT = 0x80;

/**
 * The words of every row by slot, packed into one array: term, weight, and whether a capability contains it. A slot is
 * written once.
 */
export class RowWordsStore {
  private starts: Uint32Array = new Uint32Array(1024);
  private packed: Uint32Array = new Uint32Array(16_384);
  private filled = 0;
  private slots = 0;

  get size(): number {
    return this.slots;
  }

  /** Appends a row and returns its slot. `terms` are the terms of `words`, in the same order. */
  append(words: readonly RowWord[], terms: readonly number[]): number {
    const slot = this.slots;
    if (slot + 2 > this.starts.length) this.starts = grown(this.starts, slot + 2);
    if (this.filled + words.length > this.packed.length) this.packed = grown(this.packed, this.filled + words.length);
    words.forEach(({ weight, isCapability }, index) => {
      this.packed[this.filled] = ((terms[index] as number) << 8) | weight | (isCapability ? CAPABILITY_BIT : 0);
      this.filled += 1;
    });
    this.slots += 1;
    this.starts[this.slots] = this.filled;
    return slot;
  }

  /**
   * Returns the position of the slot's first word, for `termAt`, `weightAt` and `isCapabilityAt`. `end` is exclusive.
   */
  start(slot: number): number {
    return this.starts[slot] as number;
  }

  end(slot: number): number {
    return this.starts[slot + 1] as number;
  }

  termAt(at: number): number {
    return (this.packed[at] as number) >>> 8;
  }

  weightAt(at: number): number {
    return (this.packed[at] as number) & 0x7f;
  }

  isCapabilityAt(at: number): boolean {
    return ((this.packed[at] as number) & CAPABILITY_BIT) !== 0;
  }
}

/** Returns a copy of `array` with room for at least `length` elements, which are more than it has, plus half. */
function grown(array: Uint32Array, length: number): Uint32Array {
  const next = new Uint32Array(Math.ceil(length * 1.5));
  next.set(array);
  return next;
}
