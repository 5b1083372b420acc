/** A command line up to the cursor, parsed as bash does. */
export interface BashLine {
  /** The words before the one being typed, unquoted. The first is the name of the command. */
  words: string[];
  /** The word being typed, unquoted. */
  typed: string;
  /** The part of `typed` before the piece that bash replaces by a candidate. */
  kept: string;
  /** The quote that is open at the position of the candidate. */
  quote: '"' | "'" | '';
}

/** In double quotes a backslash escapes only these characters; before any other it is literal. */
const ESCAPED_IN_QUOTES = '"$`\\\n';

/**
 * Splits `line` into words. `breaks` are the characters of COMP_WORDBREAKS: an unquoted one starts a new piece, and
 * bash replaces only the last piece. Nothing is expanded. The target of a redirection is not a word of the command.
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let keptLength = 0;
  let quote: BashLine['quote'] = '';
  let isRedirected = false;
  const end = () => {
    if (word !== undefined && !isRedirected) words.push(word);
    if (word !== undefined) isRedirected = false;
    word = undefined;
    keptLength = 0;
  };
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    const next = line[index + 1];
    if (quote === "'") {
      if (character === "'") quote = '';
      else word += character;
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else if (character === '\\' && next !== undefined && ESCAPED_IN_QUOTES.includes(next)) {
        word += next;
        index += 1;
      } else word += character;
    } else if (character === ' ' || character === '\t' || character === '\n') end();
    else if (character === '<' || character === '>') {
      end();
      isRedirected = true;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
      keptLength = word.length;
    } else if (character === '\\') {
      word = (word ?? '') + (next ?? '');
      index += 1;
    } else {
      word = (word ?? '') + character;
      if (breaks.includes(character)) keptLength = word.length;
    }
  }
  const typed = word ?? '';
  return { words, typed, kept: typed.slice(0, keptLength), quote };
}

/** Characters that bash never treats specially. */
const PLAIN = /^[\p{L}\p{N}\p{M}_@%+,./:=-]$/u;

/**
 * Quotes `text` so that bash, which inserts it where `quote` is open, reads exactly `text`. bash closes the quote
 * itself unless the text ends with a quote; such a text contains its own closing quote. History expansion applies in
 * double quotes too, so each `!` is moved outside of them.
 */
export function quotedForBash(text: string, quote: BashLine['quote']): string {
  if (quote === "'") {
    const inside = text.replaceAll("'", String.raw`'\''`);
    return text.endsWith("'") ? inside.slice(0, -1) : inside;
  }
  if (quote === '"') {
    const inside = text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', String.raw`"\!"`);
    if (text.endsWith('"')) return `${inside.slice(0, -2)}"\\"`;
    return text.endsWith('!') ? `${inside}"` : inside;
  }
  return [...text].map((character) => (PLAIN.test(character) ? character : `\\${character}`)).join('');
}
