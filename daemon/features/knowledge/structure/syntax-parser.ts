import { Language, Parser, type Tree, type TreeCursor } from 'web-tree-sitter';
import type { Clock } from '../../../lib/time/clock.js';
import { type GrammarName, readGrammar } from '../../../storage/grammars.js';
import { SyntaxNode } from './syntax-node.js';

const SLICE_MS = 25;
/** A file whose parse takes longer than this is left out. */
const PARSE_MAX_MS = 4_000;
const NODES_MAX = 1_500_000;
/** Nodes below this depth are left out, so that whoever walks a tree by recursion does not run out of stack. */
const DEPTH_MAX = 600;
const CHECKED_EVERY = 4_096;
/** Node id of a syntax error in every grammar. */
const ERROR_ID = 65_535;

type Grammar = Exclude<GrammarName, 'core'>;

interface LoadedGrammar {
  language: Language;
  /** The type of each node id; undefined for tokens without a name. */
  types: readonly (string | undefined)[];
  fields: readonly (string | null)[];
}

/** Thrown for a file that takes too long. */
export class ParseTimeout extends Error {}

/** What parses text. */
export type Parsing = Pick<SyntaxParser, 'parse'>;

/** Parses text with the grammars of tree-sitter, in slices. Grammars are loaded when first used. */
export class SyntaxParser {
  private readonly grammars = new Map<Grammar, LoadedGrammar>();
  private parser = new Parser();

  private constructor(
    private readonly clock: Clock,
    private readonly maxMs: number,
  ) {}

  /** Loads the parser's core, once in a process. A file may take `maxMs` to parse. */
  static async open(clock: Clock, maxMs = PARSE_MAX_MS): Promise<SyntaxParser> {
    await Parser.init({ wasmBinary: readGrammar('core') });
    return new SyntaxParser(clock, maxMs);
  }

  /**
   * Returns the tree of `text`; parts that are no valid syntax are in it as nodes of the type `ERROR`. Pauses about
   * every 25 ms. One parse must end before the next begins. Throws `ParseTimeout`, and what a grammar throws; the next
   * parse does not see the state that this one left.
   */
  *parse(grammar: Grammar, text: string): Generator<void, SyntaxNode, void> {
    try {
      const loaded = this.load(grammar);
      this.parser.reset();
      this.parser.setLanguage(loaded.language);
      const deadline = { left: this.maxMs };
      const tree = yield* this.parseSlices(text, deadline);
      try {
        return yield* this.copy(tree, loaded, text, deadline);
      } finally {
        tree.delete();
      }
    } catch (error) {
      // A parser in which a grammar trapped is not used again, not even to free it.
      if (!(error instanceof ParseTimeout)) this.parser = new Parser();
      throw error;
    }
  }

  close(): void {
    this.parser.delete();
  }

  private *parseSlices(text: string, deadline: { left: number }): Generator<void, Tree, void> {
    for (;;) {
      const started = this.clock.elapsed();
      const progressCallback = () => this.clock.elapsed() - started > SLICE_MS;
      const tree = this.parser.parse(text, null, { progressCallback });
      deadline.left -= this.clock.elapsed() - started;
      if (tree) return tree;
      if (deadline.left <= 0) throw new ParseTimeout();
      yield;
    }
  }

  /** Copies the named nodes of `tree`, since each access to the tree itself crosses into WebAssembly. */
  private *copy(
    tree: Tree,
    { types, fields }: LoadedGrammar,
    text: string,
    deadline: { left: number },
  ): Generator<void, SyntaxNode, void> {
    const lines = new LineCounter(text);
    const cursor = tree.walk();
    try {
      const root = new SyntaxNode(
        cursor.nodeType,
        null,
        0,
        text.length,
        1,
        lines.at(text.length),
        text,
        undefined,
        undefined,
      );
      let parent: SyntaxNode | undefined = root;
      let started = this.clock.elapsed();
      let depth = 1;
      let isInside = cursor.gotoFirstChild();
      for (let count = 1; isInside && parent; count += 1) {
        if (count % CHECKED_EVERY === 0 && this.clock.elapsed() - started > SLICE_MS) {
          deadline.left -= this.clock.elapsed() - started;
          if (deadline.left <= 0 || count > NODES_MAX) throw new ParseTimeout();
          yield;
          started = this.clock.elapsed();
        }
        const node: SyntaxNode | undefined = copyNode(cursor, types, fields, text, lines, parent);
        if (node && depth < DEPTH_MAX && cursor.gotoFirstChild()) {
          parent = node;
          depth += 1;
          continue;
        }
        while (!cursor.gotoNextSibling()) {
          isInside = cursor.gotoParent() && depth > 1;
          if (!isInside) break;
          parent = parent?.parent;
          depth -= 1;
        }
      }
      return root;
    } finally {
      cursor.delete();
    }
  }

  private load(grammar: Grammar): LoadedGrammar {
    const known = this.grammars.get(grammar);
    if (known) return known;
    const language = Language.loadSync(new WebAssembly.Module(readGrammar(grammar)));
    const types = Array.from({ length: language.nodeTypeCount }, (_, id) =>
      language.nodeTypeIsNamed(id) ? (language.nodeTypeForId(id) ?? undefined) : undefined,
    );
    const fields = Array.from({ length: language.fieldCount + 1 }, (_, id) => language.fieldNameForId(id));
    const loaded = { language, types, fields };
    this.grammars.set(grammar, loaded);
    return loaded;
  }
}

function copyNode(
  cursor: TreeCursor,
  types: LoadedGrammar['types'],
  fields: LoadedGrammar['fields'],
  text: string,
  lines: LineCounter,
  parent: SyntaxNode,
): SyntaxNode | undefined {
  const id = cursor.nodeTypeId;
  const type = id === ERROR_ID ? 'ERROR' : types[id];
  if (type === undefined) return undefined;
  const start = cursor.startIndex;
  const end = cursor.endIndex;
  const line = lines.at(start);
  const field = fields[cursor.currentFieldId] ?? null;
  const node = new SyntaxNode(
    type,
    field,
    start,
    end,
    line,
    lines.at(Math.max(start, end - 1)),
    text,
    parent,
    parent.children.at(-1),
  );
  parent.children.push(node);
  return node;
}

/** The line of each offset. */
class LineCounter {
  private readonly starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  /** Returns the line, from 1, of the character at `offset`. */
  at(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}
