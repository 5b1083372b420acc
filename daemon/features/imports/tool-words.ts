import { TOOLS } from '../../contract/team.js';

export type ToolWord = (typeof TOOLS)[number];

/** Tool names of other tools in small letters, by the tool word of a member. The last row of some: older VS Code. */
const NAMES: Readonly<Record<ToolWord, string>> = {
  read: 'read notebookread read_file read_many_files list list_directory ls problems changes',
  search: 'search grep glob grep_search search_file_content codebase usages',
  edit: 'edit multiedit write notebookedit replace write_file patch editfiles new',
  execute:
    'execute bash shell powershell run_shell_command runcommands runtasks runtests terminallastcommand runinterminal',
  web: 'web webfetch websearch web_fetch google_web_search fetch githubrepo',
  agent: 'agent task invoke_agent custom-agent runsubagent',
  todo: 'todo todos todowrite write_todos taskcreate taskget tasklist taskupdate',
  ask: 'ask question ask_user askuserquestion',
};
const WORD_OF = new Map(
  Object.entries(NAMES).flatMap(([word, names]) => names.split(' ').map((name) => [name, word as ToolWord] as const)),
);

/**
 * Returns the tool word for a name. VS Code puts the name of a set before that of a tool (`search/codebase`). Undefined
 * without a counterpart, as for `mcp__x__y` or `Bash(git log:*)`.
 */
export function findToolWord(name: string): ToolWord | undefined {
  const small = name.toLowerCase();
  const [set = '', ...rest] = small.split('/');
  if (rest.length > 0) return isWord(set) ? set : undefined;
  // Which agents may be called is no limit of what they do.
  return WORD_OF.get(small.replace(/^(agent|task)\(.*\)$/s, '$1'));
}

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
