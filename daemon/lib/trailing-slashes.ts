/** `text` without the slashes at its end. Looked for from their first one only, so that a text of nothing but slashes takes no longer than another. */
export const withoutTrailingSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');
