/** The valid values of the query parameter. Each is one way for another program to call the member. */
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
  /** Its kinds; the first is the default. */
  kinds: readonly [SnippetKind, ...SnippetKind[]];
}

/** The kinds as displayed: grouped by protocol, then by tool. */
export const SNIPPET_FAMILIES: readonly SnippetFamily[] = [
  { name: 'curl', kinds: ['curl'] },
  { name: 'TypeScript', kinds: ['typescript'] },
  { name: 'Python', kinds: ['python'] },
  { name: 'MCP', kinds: ['claude-code', 'vscode', 'opencode', 'codex'] },
  { name: 'A2A', kinds: ['a2a', 'a2a-js'] },
  { name: 'A2A card', kinds: ['card'] },
];

/** The label of a kind within its family. */
export const KIND_NAMES: Readonly<Partial<Record<SnippetKind, string>>> = {
  'claude-code': 'Claude Code',
  vscode: 'VS Code',
  opencode: 'opencode',
  codex: 'Codex',
  a2a: 'JSON-RPC, in a shell',
  'a2a-js': 'JavaScript, official SDK',
};

export const isSnippetKind = (value: unknown): value is SnippetKind => SNIPPET_KINDS.some((kind) => kind === value);

/** One text to paste. */
export interface SnippetBlock {
  /** Where to paste it, or where its token comes from. */
  label: string;
  text: string;
  /** The text with the token; undefined for a text that is likely to be committed or needs no token. */
  withToken?: string;
}
