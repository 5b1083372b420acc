import { TOOLS } from '../../contract/team.js';

export type ToolWord = (typeof TOOLS)[number];

/** Tool names of other tools, by the tool word of a member. */
const NAMES: Readonly<Record<ToolWord, readonly string[]>> = {
  read: ['Read', 'NotebookRead', 'read_file', 'read_many_files', 'list', 'list_directory', 'LS', 'read'],
  search: ['Grep', 'Glob', 'grep', 'glob', 'grep_search', 'search_file_content', 'search'],
  edit: ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'edit', 'replace', 'write', 'write_file', 'patch'],
  execute: ['Bash', 'bash', 'shell', 'powershell', 'run_shell_command', 'execute'],
  web: ['WebFetch', 'WebSearch', 'webfetch', 'websearch', 'web_fetch', 'google_web_search', 'web'],
  agent: ['Task', 'Agent', 'task', 'invoke_agent', 'agent'],
  todo: ['TodoWrite', 'write_todos', 'todowrite', 'todo'],
  ask: ['question', 'ask_user', 'AskUserQuestion', 'ask'],
};
const WORD_OF = new Map(
  Object.entries(NAMES).flatMap(([word, names]) => names.map((name) => [name, word as ToolWord] as const)),
);

/** Returns the tool word for a name. Undefined without a counterpart, as for `mcp__x__y` or `Bash(git log:*)`. */
export const findToolWord = (name: string): ToolWord | undefined => WORD_OF.get(name);

/** Translates tool names to tool words without duplicates. Names without a word are kept unchanged, after the words. */
export function toToolWords(names: readonly string[]): string[] {
  const found = new Set(names.map((name) => findToolWord(name) ?? name));
  return [...TOOLS.filter((word) => found.has(word)), ...[...found].filter((name) => !isWord(name))];
}

export const isWord = (name: string): name is ToolWord => (TOOLS as readonly string[]).includes(name);

/** Parses a list of tools: an array of strings, or comma-separated names. Returns undefined for anything else. */
export function toolNames(value: unknown): string[] | undefined {
  if (typeof value === 'string') return betweenCommas(value);
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return undefined;
}

/** Splits `text` at commas outside parentheses, and drops empty pieces. */
function betweenCommas(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at];
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (at === text.length || (character === ',' && depth === 0)) {
      pieces.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return pieces.filter((piece) => piece !== '');
}

/** The tools of Gemini CLI itself, of any version. */
const GEMINI_TOOLS =
  'read_file read_many_files list_directory glob grep_search search_file_content replace write_file run_shell_command ' +
  'web_fetch google_web_search invoke_agent write_todos ask_user save_memory activate_skill get_internal_docs ' +
  'enter_plan_mode exit_plan_mode update_topic complete_task read_mcp_resource list_mcp_resources tracker_create_task ' +
  'tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize';
const GEMINI_NAMES: ReadonlySet<string> = new Set(GEMINI_TOOLS.split(' '));
/** Everything, tools found by a command, and those of MCP servers: the name of the server ends at its first `_`. */
const GEMINI_OTHERS = /^(?:\*|discovered_tool_.*|mcp_\*|mcp_[a-z\d.:-]+_(?:\*|_*[a-z\d.:-][\w.:-]*))$/i;
const CLAUDE_MCP = 'mcp__';

/**
 * Returns the name in Gemini CLI for a tool that is no tool word. Undefined without one: with a name that it does not
 * know, Gemini CLI refuses the whole agent.
 */
export function geminiToolName(name: string): string | undefined {
  const [server, ...tool] = name.startsWith(CLAUDE_MCP) ? name.slice(CLAUDE_MCP.length).split('__') : [];
  const own = server === undefined ? name : `mcp_${server}_${tool.join('__') || '*'}`;
  return GEMINI_NAMES.has(own) || GEMINI_OTHERS.test(own) ? own : undefined;
}
