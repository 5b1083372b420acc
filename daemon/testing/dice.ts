/** A pseudo-random generator with a seed: equal seeds give equal sequences. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** Returns a number from 0 to below 1 (mulberry32). */
  readonly random = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  readonly below = (limit: number): number => Math.floor(this.random() * limit);

  /** Returns a shuffled copy. */
  readonly shuffled = <Item>(items: readonly Item[]): Item[] => {
    const list = [...items];
    for (let last = list.length - 1; last > 0; last -= 1) {
      const at = this.below(last + 1);
      [list[last], list[at]] = [list[at] as Item, list[last] as Item];
    }
    return list;
  };

  readonly pick = <Item>(items: readonly Item[]): Item => items[this.below(items.length)] as Item;
}
