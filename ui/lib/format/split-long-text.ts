/**
 * Piece length in UTF-16 units. Where every pair of letters is kerned or joined, a browser may shape the rest of a text
 * run again for each line that it breaks, so the cost grows with the square of the run's length. A separate element
 * ends the run.
 */
const STRETCH = 200;
/** A shorter text has no noticeable cost and stays in one piece. */
const LONG = 2 * STRETCH;
/** The longest joined sequence that is kept whole, in UTF-16 units. A longer one is cut. */
const LETTER = 32;

/**
 * Splits a long text into pieces that concatenate to it, without separating a letter from its combining marks. Returns
 * a short text as one piece.
 */
export function splitLongText(text: string): string[] {
  if (text.length <= LONG) return [text];
  const stretches: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + STRETCH;
    while (to < text.length && isWithinLetter(text, to) && to - from < STRETCH + LETTER) to += 1;
    if (/[\udc00-\udfff]/.test(text.charAt(to))) to += 1;
    stretches.push(text.slice(from, to));
    from = to;
  }
  return stretches;
}

/** A low surrogate, a combining mark, or a zero-width joiner. */
const CONTINUES = /^(?:\p{M}|\u200d|[\udc00-\udfff])/u;
const isWithinLetter = (text: string, at: number): boolean =>
  CONTINUES.test(text.slice(at, at + 2)) || text[at - 1] === '\u200d';

interface Node {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

/** A rehype plugin that splits every long text. */
export function stretched() {
  return (tree: unknown): void => splitTextNodes(tree as Node);
}

function splitTextNodes(node: Node): void {
  node.children = node.children?.flatMap((child): Node[] => {
    splitTextNodes(child);
    const stretches = child.type === 'text' ? splitLongText(child.value ?? '') : [];
    if (stretches.length < 2) return [child];
    return stretches.map((value) => ({
      type: 'element',
      tagName: 'span',
      properties: {},
      children: [{ type: 'text', value }],
    }));
  });
}
