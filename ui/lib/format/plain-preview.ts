const MAX_CHARS = 1_000;

/** Returns the beginning of a Markdown text as one line without Markdown's signs. Not for text that is rendered. */
export const toPlainPreview = (text: string): string =>
  text
    .slice(0, MAX_CHARS)
    .replace(/^\s*(?:```|~~~).*$/gm, ' ')
    .replace(/^ {0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/`+([^`\n]+)`+/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
