/** Limits of a diagram that is drawn, so that no text of somebody else holds up the page. */
const LENGTH_MAX = 3_000;
const LINES_MAX = 120;
const ARROWS_MAX = 150;
/** `a & b --> c & d` draws an edge for each pair. */
const JOINED_MAX = 12;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Reports whether drawing a Mermaid text would block the page, as only a very large diagram does. */
export const isCostlyDiagram = (source: string): boolean =>
  source.length > LENGTH_MAX ||
  count(source, /\n/g) >= LINES_MAX ||
  count(source, /[-=.~]{2,}/g) > ARROWS_MAX ||
  count(source, /&/g) > JOINED_MAX;

interface HastNode {
  type?: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: HastNode[];
}

/** Returns the text of a `mermaid` fence, given its `pre` element; undefined for any other code. */
export function findDiagram(pre: HastNode | undefined): string | undefined {
  const code = pre?.children?.find(({ tagName }) => tagName === 'code');
  const className = code?.properties?.['className'];
  return code && Array.isArray(className) && className.includes('language-mermaid') ? readText(code) : undefined;
}

const readText = ({ value = '', children = [] }: HastNode): string => value + children.map(readText).join('');
