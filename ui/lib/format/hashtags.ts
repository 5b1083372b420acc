/** A hashtag must not follow a letter, a digit, or part of an address or entity. The daemon applies the same rule. */
const HASHTAG = /(?<![\p{L}\p{N}_#&/])#([a-z0-9][a-z0-9_-]*)(?![\p{L}\p{N}])/gu;

/**
 * Splits `text` into alternating text and hashtags: the odd elements are hashtags, without the `#` and without a
 * trailing `_` or `-`.
 */
export function splitTags(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(HASHTAG)) {
    const tag = (match[1] ?? '').replace(/(?<![_-])[_-]+$/, '');
    parts.push(text.slice(from, match.index), tag);
    from = match.index + 1 + tag.length;
  }
  parts.push(text.slice(from));
  return parts;
}

interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

/**
 * A rehype plugin: replaces every hashtag outside of links and code by `<data value="tag">`, which the renderer then
 * draws.
 */
export function tagged() {
  return (tree: unknown): void => tagIn(tree as Node);
}

function tagIn(node: Node): void {
  if (!node.children || ['a', 'code', 'pre'].includes(node.tagName ?? '')) return;
  node.children = node.children.flatMap((child): Node[] => {
    if (child.type !== 'text' || !child.value?.includes('#')) {
      tagIn(child);
      return [child];
    }
    return splitTags(child.value).map(
      (value, at): Node =>
        at % 2 === 0
          ? { type: 'text', value }
          : { type: 'element', tagName: 'data', properties: { value }, children: [] },
    );
  });
}
