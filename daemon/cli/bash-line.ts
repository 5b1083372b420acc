/** A line as far as it has been typed, the way bash reads it. */
export interface BashLine {
  /** The words before the one that is being typed, without their quotes; the command's own name is the first. */
  words: string[];
  /** The word that is being typed, without its quotes. */
  typed: string;
  /** What of it stands before the piece that bash puts a candidate in the place of. */
  kept: string;
  /** The quote that is open where the candidate goes. */
  quote: '"' | "'" | '';
}

/** In double quotes a backslash stands for itself before anything else. */
const ESCAPED_IN_QUOTES = '"$`\\\n';

/**
 * Reads the words of `line`. `breaks` are the characters of COMP_WORDBREAKS: an unquoted one begins a new piece, and the piece at the end is all that
 * bash replaces. Nothing is expanded. What a redirection reads or writes is no word of the command.
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

/** What bash never takes for anything but itself. */
const PLAIN = /^[\p{L}\p{N}\p{M}_@%+,./:=-]$/u;

/**
 * `text` so that bash, putting it where `quote` is open, reads exactly `text`. bash closes the quote by itself unless the text ends with one, so a text that
 * does brings all it needs. History is expanded in double quotes too: a `!` is taken out of them.
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
