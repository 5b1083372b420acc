import type { SnippetBlock } from './snippet-kinds.js';
import { type ShellTarget, tokenCommand, tokenVariable } from './snippets.js';

/** Exports the token for a program that is started from this shell. */
export const exported = (
  target: ShellTarget,
  label = 'First, in the shell that the tool is started from',
): SnippetBlock => ({ label, text: `export ${tokenVariable(target.member)}="$(${tokenCommand(target)})"` });
