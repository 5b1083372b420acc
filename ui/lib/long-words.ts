/**
 * Characters that a browser may have to shape again for each line it breaks: where every pair of letters is kerned or joined, all the rest of a stretch
 * is shaped once more at each line, so that its cost grows with the square of its length. An element of its own ends a stretch.
 */
const STRETCH = 200;
/** What is shorter costs nothing to speak of, and stays one text. */
const LONG = 2 * STRETCH;
/** What is drawn as one letter may be as long as this; a longer pile is cut. */
const LETTER = 32;

/** A long text in stretches whose sum it is, none of which cuts a letter from the marks upon it; a short one alone. */
export function stretchesOf(text: string): string[] {
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

/** The second half of a character, a mark upon the letter before, or what joins two. */
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

/** A step of the renderer of Markdown: every long text in stretches. */
export function stretched() {
  return (tree: unknown): void => stretchIn(tree as Node);
}

function stretchIn(node: Node): void {
  node.children = node.children?.flatMap((child): Node[] => {
    stretchIn(child);
    const stretches = child.type === 'text' ? stretchesOf(child.value ?? '') : [];
    if (stretches.length < 2) return [child];
    return stretches.map((value) => ({
      type: 'element',
      tagName: 'span',
      properties: {},
      children: [{ type: 'text', value }],
    }));
  });
}
