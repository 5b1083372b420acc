import type { Problem } from '../../contract/team.js';
import { isObject } from '../../lib/is-object.js';
import type { Data } from './foreign-agent.js';

const DEPTH_MAX = 64;

/** A parsed JSON text with the ranges of its values, so that one can be replaced without changing other bytes. */
export interface PlacedJson {
  value: unknown;
  /** Returns the range of the value at a path of keys, or undefined when it does not exist. */
  findRange(path: readonly string[]): { start: number; end: number } | undefined;
}

/** Parses JSON with comments and trailing commas, as in configuration files of editors. The last duplicate key wins. */
export function readJson(text: string): PlacedJson | Problem {
  const reader = new JsonReader(text);
  try {
    const root = reader.document();
    return {
      value: root.value,
      findRange: (path) => {
        let node: Node | undefined = root;
        for (const key of path) node = node?.entries?.get(key);
        return node && { start: node.start, end: node.end };
      },
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const before = text.slice(0, reader.at).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: error.message };
  }
}

/** The keys of the agents in an `opencode.json`, of the older form and of opencode 2, each with the key of a prompt. */
export const ENTRY_FOLDERS = { agent: 'prompt', agents: 'system' } as const;
export type EntryFolder = keyof typeof ENTRY_FOLDERS;

/** An agent of an `opencode.json`. In the form of opencode 2 it always has `permissions`, if only an empty list. */
export interface AgentEntry {
  id: string;
  data: Data;
  folder: EntryFolder;
}

/** Returns the agents of an `opencode.json`. Of two with the same id, the one in the form of opencode 2 counts. */
export function agentEntries(value: unknown): AgentEntry[] {
  const list = (folder: EntryFolder): AgentEntry[] => {
    const agents = isObject(value) ? value[folder] : undefined;
    return Object.entries(isObject(agents) ? agents : {}).flatMap(([id, data]) =>
      isObject(data) ? [{ id, data: folder === 'agents' ? { permissions: [], ...data } : data, folder }] : [],
    );
  };
  const newer = list('agents');
  return [...list('agent').filter(({ id }) => !newer.some((one) => one.id === id)), ...newer];
}

interface Node {
  value: unknown;
  start: number;
  end: number;
  entries?: Map<string, Node>;
}

class JsonReader {
  at = 0;

  constructor(private readonly text: string) {}

  document(): Node {
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1;
    const node = this.value(0);
    this.skip();
    if (this.at < this.text.length) this.fail('Nothing may stand after the value.');
    return node;
  }

  private value(depth: number): Node {
    this.skip();
    if (depth > DEPTH_MAX) this.fail('It is nested too deeply.');
    const start = this.at;
    const first = this.text[start];
    if (first === '{') return this.object(depth, start);
    if (first === '[') return this.array(depth, start);
    if (first === '"') return { value: this.string(), start, end: this.at };
    const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      this.text.slice(start, start + 400),
    )?.[0];
    if (word === undefined) return this.fail('A value is expected here.');
    this.at += word.length;
    return { value: JSON.parse(word), start, end: this.at };
  }

  private object(depth: number, start: number): Node {
    const entries = new Map<string, Node>();
    this.at += 1;
    for (this.skip(); this.text[this.at] !== '}'; this.separator('}')) {
      if (this.text[this.at] !== '"') this.fail('A key in double quotes is expected here.');
      const key = this.string();
      this.skip();
      if (this.text[this.at] !== ':') this.fail('A colon is expected here.');
      this.at += 1;
      entries.set(key, this.value(depth + 1));
    }
    this.at += 1;
    return {
      value: Object.fromEntries([...entries].map(([key, { value }]) => [key, value])),
      start,
      end: this.at,
      entries,
    };
  }

  private array(depth: number, start: number): Node {
    const items: unknown[] = [];
    this.at += 1;
    for (this.skip(); this.text[this.at] !== ']'; this.separator(']')) items.push(this.value(depth + 1).value);
    this.at += 1;
    return { value: items, start, end: this.at };
  }

  /** Consumes a comma, also a trailing one, or stops before the closing bracket. */
  private separator(closing: string): void {
    this.skip();
    if (this.text[this.at] === ',') {
      this.at += 1;
      this.skip();
    } else if (this.text[this.at] !== closing) this.fail(`A comma or \`${closing}\` is expected here.`);
  }

  private string(): string {
    const start = this.at;
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const character = this.text[this.at];
      if (character === '\\') this.at += 1;
      else if (character === '\n') break;
      else if (character === '"') {
        this.at += 1;
        try {
          return JSON.parse(this.text.slice(start, this.at)) as string;
        } catch {
          // The error message of JSON.parse quotes the text, which may be secret.
          this.at = start;
          return this.fail('This text has a character or an escape that JSON does not know.');
        }
      }
    }
    this.at = start;
    return this.fail('This text is never closed.');
  }

  /** Skips white space and comments. */
  private skip(): void {
    for (;;) {
      while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) this.at += 1;
      if (this.text.startsWith('//', this.at)) {
        const end = this.text.indexOf('\n', this.at);
        this.at = end === -1 ? this.text.length : end;
      } else if (this.text.startsWith('/*', this.at)) {
        const end = this.text.indexOf('*/', this.at + 2);
        if (end === -1) this.fail('This comment is never closed.');
        this.at = end + 2;
      } else return;
    }
  }

  private fail(reason: string): never {
    throw new SyntaxError(reason);
  }
}
