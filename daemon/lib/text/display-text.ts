/**
 * Characters that a reader does not see but a program may interpret: control characters except tab and line feed,
 * bidirectional marks, line and paragraph separators, and characters without a width. Excluded from the match are those
 * that a script or an emoji needs, where it needs them: one variation selector after a visible character, joiners
 * between emoji and after letters of joining scripts, and the tags of a regional flag.
 */
export const INVISIBLE_CHARS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{DI}\u2028\u2029\ufff9-\ufffb](?<![^\s\p{Cc}\p{DI}\u2028\u2029\ufff9-\ufffb][\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|[\p{ExtPict}\p{EMod}]\ufe0f?\u200d(?=\p{ExtPict})|[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}][\u200c\u200d]|\u{1f3f4}[\u{e0020}-\u{e007f}]{1,6})/gu;

/** The escape of a character: `\x1b`, `\u202e`, `\u{e0041}`. */
function escapeChar(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/**
 * Makes untrusted text safe to display: every invisible character is replaced by a visible escape, so that it cannot
 * act as a control sequence. CRLF becomes LF.
 */
export function sanitizeDisplayText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE_CHARS, escapeChar);
}

/**
 * Makes an untrusted name or path safe to display within a line: as `sanitizeDisplayText`, with tabs and line feeds
 * escaped too.
 */
export function sanitizeDisplayLine(text: string): string {
  return text.replace(INVISIBLE_CHARS, escapeChar).replace(/[\t\n]/g, escapeChar);
}

/**
 * Replaces every invisible character of serialized JSON by its `\u` escape. The value is unchanged, because such
 * characters occur in strings only.
 */
export function escapeInvisibleJson(json: string): string {
  return json.replace(INVISIBLE_CHARS, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
