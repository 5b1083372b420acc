/** Characters of two cells: emoji, and the wide and full-width ones of East Asia (UAX #11). VS16 makes an emoji. */
const WIDE = new RegExp(
  '[\\p{Emoji_Presentation}\\ufe0f\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u4dbf\\u4e00-\\ua4cf\\ua960-\\ua97f' +
    '\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}]',
  'u',
);
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The number of cells that a terminal takes for `text`. Terminals differ for rare characters. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : INVISIBLE.test(segment) ? 0 : 1;
  return width;
}
