/** Where a block of a private key stands in a text. */
export interface KeyBlock {
  start: number;
  end: number;
}

const BEGIN = /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY[ A-Z]{0,8}(?:-----)?/g;
const END = /-----END[ A-Z0-9]{0,40}PRIVATE KEY[ A-Z]{0,8}(?:-----)?/y;
/** What stands between lines of a key where it is quoted: in JSON, YAML, a diff, a numbered listing, a string that is put together. */
const BETWEEN = /(?:\s|\\[nrt]|["'`,+>|\\]|\d{1,6}[\t:|→])+/y;
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\\]{0,200}/y;
const BODY = /[A-Za-z0-9+/=]+/y;
/** A shorter run may be a word of the text after a key that has no end. */
const BODY_MIN_CHARS = 24;

/** The private keys in `text`, with the marks around them; one that was cut short ends where nothing more looks like a key. */
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

/** The length of what `pattern` matches exactly at `at`, 0 when it does not. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function endOfKey(text: string, from: number): number {
  let end = from;
  for (let at = from; at < text.length; ) {
    at += lengthAt(BETWEEN, text, at);
    const closing = lengthAt(END, text, at);
    if (closing > 0) return at + closing;
    const header = lengthAt(HEADER, text, at);
    const body = header > 0 ? header : lengthAt(BODY, text, at);
    if (body === 0 || (header === 0 && body < BODY_MIN_CHARS && !isLastLine(text, at + body))) return end;
    at += body;
    end = at;
  }
  return end;
}

/** The short last line of a key, before its end mark or its checksum. */
function isLastLine(text: string, at: number): boolean {
  const next = at + lengthAt(BETWEEN, text, at);
  return text[at - 1] === '=' || text.startsWith('-----END', next) || (text[next] === '=' && next > at);
}
