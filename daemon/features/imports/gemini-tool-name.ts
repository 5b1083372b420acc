/** The tools of Gemini CLI itself, of any version. */
const OWN =
  'read_file read_many_files list_directory glob grep_search search_file_content replace write_file run_shell_command ' +
  'web_fetch google_web_search invoke_agent write_todos ask_user save_memory activate_skill get_internal_docs ' +
  'enter_plan_mode exit_plan_mode update_topic complete_task read_mcp_resource list_mcp_resources tracker_create_task ' +
  'tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize';
const OWN_NAMES: ReadonlySet<string> = new Set(OWN.split(' '));
/** Everything, tools found by a command, and those of MCP servers: the name of the server ends at its first `_`. */
const OTHER = /^(?:\*|discovered_tool_.*|mcp_\*|mcp_[a-z\d.:-]+_(?:\*|[\w.:-]*[a-z\d.:-][\w.:-]*))$/i;
const CLAUDE_MCP = /^mcp__(.+?)(?:__(.+))?$/;

/**
 * Returns the name in Gemini CLI for a tool that is no tool word. Undefined without one: with a name that it does not
 * know, Gemini CLI refuses the whole agent.
 */
export function geminiToolName(name: string): string | undefined {
  const [, server, tool = '*'] = CLAUDE_MCP.exec(name) ?? [];
  const own = server === undefined ? name : `mcp_${server}_${tool}`;
  return OWN_NAMES.has(own) || OTHER.test(own) ? own : undefined;
}
