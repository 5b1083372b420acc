/** Returns the text with each half of a character that stands alone replaced by U+FFFD: UTF-8 has no form for it. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\u{FFFD}');
