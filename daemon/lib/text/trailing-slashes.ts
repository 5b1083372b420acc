/**
 * Removes the slashes at the end of `text`. The lookbehind starts a match at the first slash of a run only, so that a
 * text of slashes takes linear time.
 */
export const withoutTrailingSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');
