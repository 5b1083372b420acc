import type { SnippetBlock } from './snippet-kinds.js';
import { type ShellDoor, tokenCommand, tokenVariable } from './snippets.js';

/** Exports the token for a program that is started from this shell. */
export const exported = (
  door: ShellDoor,
  label = 'First, in the shell that the tool is started from',
): SnippetBlock => ({ label, text: `export ${tokenVariable(door.member)}="$(${tokenCommand(door)})"` });
