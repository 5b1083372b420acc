import { a2a, a2aJs } from './a2a-snippets.js';
import { claudeCode, codex, opencode, vscode } from './mcp-snippets.js';
import type { SnippetBlock, SnippetKind } from './snippet-kinds.js';
import { type AskSnippet, type ShellTarget, snippet, tokenVariable } from './snippets.js';
import { exported } from './token-blocks.js';

const ask =
  (kind: AskSnippet) =>
  (target: ShellTarget, token: string): SnippetBlock[] => [
    {
      label: kind === 'curl' ? 'In a shell' : `Token from ${tokenVariable(target.member)}`,
      text: snippet(kind, target),
      withToken: snippet(kind, target, token),
    },
    ...(kind === 'curl' ? [] : [exported(target, 'Before it, in the shell that it is started from')]),
  ];

const BLOCKS: Readonly<Record<SnippetKind, (target: ShellTarget, token: string) => SnippetBlock[]>> = {
  curl: ask('curl'),
  typescript: ask('typescript'),
  python: ask('python'),
  'claude-code': claudeCode,
  vscode,
  opencode,
  codex,
  a2a,
  'a2a-js': a2aJs,
  card: ({ origin, member }) => [
    {
      label: 'The card is public and describes access',
      text: `curl -s ${origin}/team/${member}/.well-known/agent.json`,
    },
  ],
};

/** Returns the blocks of a snippet in order. The displayed text never contains the token. */
export const snippetBlocks = (kind: SnippetKind, target: ShellTarget, token: string): SnippetBlock[] =>
  BLOCKS[kind](target, token);
