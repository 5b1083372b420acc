/** The position of a private key block in a text. */
interface KeyBlock {
  start: number;
  end: number;
}

const BEGIN = /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY[ A-Z]{0,8}(?:-----)?/g;
const END = /-----END[ A-Z0-9]{0,40}PRIVATE KEY[ A-Z]{0,8}(?:-----)?/y;
/**
 * The characters between the lines of a key where it is quoted: in JSON, YAML, a diff, a numbered listing or a
 * concatenated string.
 */
const BETWEEN = /(?:\s|\\[nrt]|["'`,+>|\\]|\d{1,6}[\t:|→])+/y;
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\\]{0,200}/y;
const BODY = /[A-Za-z0-9+/=]+/y;
/** A shorter run may be an ordinary word of the text that follows a truncated key. */
const BODY_MIN_CHARS = 24;

/**
 * Finds the private keys in `text`, including their begin and end marks. A truncated key ends where the text no longer
 * resembles one.
 */
export function findKeyBlocks(text: string): KeyBlock[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const blocks: KeyBlock[] = [];
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const end = endOfKey(text, BEGIN.lastIndex);
    blocks.push({ start: begin.index, end });
    BEGIN.lastIndex = end;
  }
  return blocks;
}

/** The length of the match of `pattern` exactly at `at`, or 0. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function endOfKey(text: string, from: number): number {
  let end = from;
  for (let at = from; ; ) {
    at += lengthAt(BETWEEN, text, at);
    const closing = lengthAt(END, text, at);
    if (closing > 0) return at + closing;
    const header = lengthAt(HEADER, text, at);
    const body = header > 0 ? header : lengthAt(BODY, text, at);
    if (body === 0 || (header === 0 && body < BODY_MIN_CHARS && !isLastLine(text, at + body))) return end;
    at += body;
    end = at;
  }
}

/** Whether the short line that ends at `at` is the last of a key, before its end mark or its checksum. */
function isLastLine(text: string, at: number): boolean {
  const next = at + lengthAt(BETWEEN, text, at);
  return text[at - 1] === '=' || text.startsWith('-----END', next) || text[next] === '=';
}
