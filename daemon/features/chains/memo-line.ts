/** Parses the memo of a row of `getSignaturesForAddress`, `[length] text`; null when there is none or more than one. */
export function memoOfLine(line: string | null | undefined): string | null {
  const [, length, text = ''] = /^\[(\d+)\] ([\s\S]*)$/.exec(line ?? '') ?? [];
  return length !== undefined && Buffer.byteLength(text) === Number(length) ? text : null;
}
