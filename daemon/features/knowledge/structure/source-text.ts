import type { SyntaxNode } from './syntax-node.js';

/** Stands before a dot for something whose type is not known. */
export const UNKNOWN = '?';

/** Whether a symbol of this kind has members. */
export const isTypeKind = (kind: string) => /^(?:class|interface|struct|trait|enum|record|type)$/.test(kind);

/** The text on one line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, most * 8)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** The text of a string literal without its quotes; undefined for what is no plain string. */
export function stringValue(node: SyntaxNode | undefined): string | undefined {
  if (!node || !/string|^char_literal$/.test(node.type) || node.end - node.start > 2_000) return undefined;
  if (node.children.some(({ type }) => /interpolation|substitution|expansion/.test(type))) return undefined;
  const content = node.of(
    'string_fragment',
    'string_content',
    'string_literal_content',
    'interpreted_string_literal_content',
  );
  if (content) return content.text;
  return /^[A-Za-z@$]{0,2}(["'`])(.*)\1$/s.exec(node.text)?.[2];
}

/** The name of a variable that is asked for: the string, or `$` and the name of the constant that holds it. */
export function variableName(node: SyntaxNode | undefined): string | undefined {
  const text = stringValue(node);
  if (text !== undefined || !node) return text;
  const last = /(?:^|[.:>\\])([A-Za-z_]\w{0,100})$/.exec(node.head(200))?.[1];
  return last === undefined || node.end - node.start > 200 ? undefined : `$${last}`;
}
