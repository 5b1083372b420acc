/** A named node of a syntax tree, as plain data. Lines count from 1, offsets are of UTF-16 units. */
export class SyntaxNode {
  readonly children: SyntaxNode[] = [];

  constructor(
    readonly type: string,
    /** The name of its place in the parent, as the grammar calls it. */
    readonly field: string | null,
    readonly start: number,
    readonly end: number,
    readonly line: number,
    readonly endLine: number,
    private readonly source: string,
    readonly parent: SyntaxNode | undefined,
    /** The named node before it, in the same parent. */
    readonly previous: SyntaxNode | undefined,
  ) {}

  get text(): string {
    return this.source.slice(this.start, this.end);
  }

  /** The first `most` characters of its text. */
  head(most: number): string {
    return this.source.slice(this.start, Math.min(this.end, this.start + most));
  }

  /** The text between the start of this node and that of `other`. */
  before(other: SyntaxNode | undefined): string {
    return this.source.slice(this.start, other?.start ?? this.end);
  }

  /** Returns the first child in one of the places `fields`. */
  get(...fields: readonly string[]): SyntaxNode | undefined {
    return this.children.find((one) => one.field !== null && fields.includes(one.field));
  }

  /** Returns the first child of one of `types`. */
  of(...types: readonly string[]): SyntaxNode | undefined {
    return this.children.find((one) => types.includes(one.type));
  }

  /** Returns the children of one of `types`. */
  allOf(...types: readonly string[]): SyntaxNode[] {
    return this.children.filter((one) => types.includes(one.type));
  }

  /** Returns the nearest node around it of one of `types`. */
  within(...types: readonly string[]): SyntaxNode | undefined {
    for (let node = this.parent; node; node = node.parent) if (types.includes(node.type)) return node;
    return undefined;
  }

  /** Yields the nodes below, outermost first. Does not enter nodes of the types `closed`. */
  *below(closed: readonly string[] = []): Generator<SyntaxNode, void, void> {
    const open = [...this.children].reverse();
    for (let node = open.pop(); node; node = open.pop()) {
      yield node;
      if (!closed.includes(node.type))
        for (let at = node.children.length - 1; at >= 0; at -= 1) open.push(node.children[at] as SyntaxNode);
    }
  }
}
