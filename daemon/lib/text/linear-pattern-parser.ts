/** A pattern that cannot be used. The message is a predicate that follows the name of the pattern. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

type Assertion = (before: string | undefined, after: string | undefined) => boolean;

export type PatternNode =
  | { kind: 'one'; takes: (character: string) => boolean }
  | { kind: 'assert'; holds: Assertion }
  | { kind: 'sequence'; parts: readonly PatternNode[] }
  | { kind: 'choice'; options: readonly PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number };

const MAX_CHARS = 1_000;
const GROUP = /\((?:\?(?::|<[\p{L}_$][\p{L}\p{N}_$]*>))?/uy;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
/** A pair of surrogates is one character. */
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/uy;
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[dDwWsStnrfv0^$\\.*+?()[\]{}|/-])/uy;
const COUNT = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;

const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': (before) => before === undefined,
  $: (_before, after) => after === undefined,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
};

/**
 * Parses `source` as an ECMAScript regular expression with the flag `u`. Throws PatternError for an invalid pattern,
 * for back references and look-around, and above 1,000 characters.
 */
export function parsePattern(source: string): PatternNode {
  if (source.length > MAX_CHARS) throw new PatternError(`is longer than ${MAX_CHARS} characters`);
  try {
    new RegExp(source, 'u');
  } catch {
    throw new PatternError('is no regular expression');
  }
  return new Parser(source).whole();
}

/** Assumes that the syntax is valid: rejects only constructs that it does not support. */
class Parser {
  private at = 0;

  constructor(private readonly source: string) {}

  whole(): PatternNode {
    const node = this.choice();
    if (this.at < this.source.length) throw this.refused();
    return node;
  }

  private choice(): PatternNode {
    const options = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at += 1;
      options.push(this.sequence());
    }
    return options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options };
  }

  private sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')')
      parts.push(this.counted(this.atom()));
    return { kind: 'sequence', parts };
  }

  private counted(part: PatternNode): PatternNode {
    const count = this.take(COUNT);
    if (!count) return part;
    const [text, min, comma, max] = count;
    if (min !== undefined)
      return {
        kind: 'repeat',
        part,
        min: Number(min),
        max: comma === undefined ? Number(min) : max ? Number(max) : Infinity,
      };
    return { kind: 'repeat', part, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : Infinity };
  }

  private atom(): PatternNode {
    for (const [text, holds] of Object.entries(ASSERTIONS)) {
      if (!this.source.startsWith(text, this.at)) continue;
      this.at += text.length;
      return { kind: 'assert', holds };
    }
    if (this.take(GROUP)) {
      if (this.source[this.at] === '?') throw this.refused();
      const inner = this.choice();
      this.at += 1;
      return inner;
    }
    const set = this.take(CLASS) ?? this.take(PAIR) ?? this.take(ESCAPE) ?? this.take(/\./y);
    if (set) {
      // The expression tests one character at a time: it runs in constant time whatever the engine does.
      const one = new RegExp(`^${set[0]}$`, 'u');
      return { kind: 'one', takes: (character) => one.test(character) };
    }
    if (this.source[this.at] === '\\') throw this.refused();
    const literal = String.fromCodePoint(this.source.codePointAt(this.at) as number);
    this.at += literal.length;
    return { kind: 'one', takes: (character) => character === literal };
  }

  private take(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.at;
    const found = what.exec(this.source);
    if (found) this.at = what.lastIndex;
    return found ?? undefined;
  }

  private refused(): PatternError {
    return new PatternError('uses look-around, a back reference or a mode, which are not run here');
  }
}
