/** Counts the Unicode code points of `text`: a surrogate pair counts once. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    if ((text.codePointAt(i) as number) > 0xffff) i += 1;
    count += 1;
  }
  return count;
}
