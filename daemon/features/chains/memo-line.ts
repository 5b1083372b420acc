/** Parses the memo of a row of `getSignaturesForAddress`, `[length] text`; null when there is none or more than one. */
export function memoOfLine(line: unknown): string | null {
  if (typeof line !== 'string') return null;
  const text = line.replace(/\[\d+\] /, '');
  return line === `[${Buffer.byteLength(text)}] ${text}` ? text : null;
}
