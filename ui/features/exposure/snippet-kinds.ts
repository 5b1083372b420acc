import type { Door } from './snippets.js';

/** What the address bar may ask for. Each is one way for another program to come through the door. */
export const SNIPPET_KINDS = [
  'curl',
  'typescript',
  'python',
  'claude-code',
  'vscode',
  'opencode',
  'codex',
  'a2a',
  'a2a-js',
  'card',
] as const;
export type SnippetKind = (typeof SNIPPET_KINDS)[number];

export interface SnippetFamily {
  name: string;
  /** Its ways, the first of them unless another is asked for. */
  kinds: readonly [SnippetKind, ...SnippetKind[]];
}

/** The ways as they are laid out: by protocol, and below it by the tool that is given the words. */
export const SNIPPET_FAMILIES: readonly SnippetFamily[] = [
  { name: 'curl', kinds: ['curl'] },
  { name: 'TypeScript', kinds: ['typescript'] },
  { name: 'Python', kinds: ['python'] },
  { name: 'MCP', kinds: ['claude-code', 'vscode', 'opencode', 'codex'] },
  { name: 'A2A', kinds: ['a2a', 'a2a-js'] },
  { name: 'A2A card', kinds: ['card'] },
];

/** What a way is called beside the others of its family. */
export const KIND_NAMES: Readonly<Partial<Record<SnippetKind, string>>> = {
  'claude-code': 'Claude Code',
  vscode: 'VS Code',
  opencode: 'opencode',
  codex: 'Codex',
  a2a: 'JSON-RPC, in a shell',
  'a2a-js': 'JavaScript, official SDK',
};

export const isSnippetKind = (value: unknown): value is SnippetKind => SNIPPET_KINDS.some((kind) => kind === value);

/** One thing to paste. */
export interface SnippetBlock {
  /** Where it goes, or where its token comes from. */
  label: string;
  text: string;
  /** The same with the token in it; undefined for what is likely to be committed, and for what needs none. */
  withToken?: string;
}

export interface FullDoor extends Door {
  /** The project's folder, which a program beside the daemon is told; undefined until it is known. */
  root: string | undefined;
}
