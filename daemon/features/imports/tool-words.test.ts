import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../contract/team.js';
import { findToolWord, geminiToolName, isWord, type ToolWord, toolNames, toToolWords } from './tool-words.js';

describe('tool words', () => {
  it.each<[word: ToolWord, names: string]>([
    ['read', 'Read NotebookRead read_file read_many_files list list_directory LS read'],
    ['search', 'Grep Glob grep glob grep_search search_file_content search'],
    ['edit', 'Edit MultiEdit Write NotebookEdit edit replace write write_file patch'],
    ['execute', 'Bash bash shell powershell run_shell_command execute'],
    ['web', 'WebFetch WebSearch webfetch websearch web_fetch google_web_search web'],
    ['agent', 'Task Agent task invoke_agent agent'],
    ['todo', 'TodoWrite write_todos todowrite todo'],
    ['ask', 'question ask_user AskUserQuestion ask'],
  ])('%s is what other tools call %s', (word, names) => {
    for (const name of names.split(' ')) expect([name, findToolWord(name)]).toEqual([name, word]);
    expect(isWord(word)).toBe(true);
  });

  it('are none for other names', () => {
    for (const name of ['', 'mcp__x__y', 'Bash(git log:*)', 'github/search', 'constructor'])
      expect([findToolWord(name), isWord(name)]).toEqual([undefined, false]);
  });

  it('come first, in their own order and once each, and other names after them', () => {
    expect(toToolWords(['mcp__x', 'Bash', 'Grep', 'Glob', 'Read', 'mcp__x', 'a'])).toEqual([
      ...['read', 'search', 'execute', 'mcp__x', 'a'],
    ]);
    expect(toToolWords([...TOOLS].reverse())).toEqual([...TOOLS]);
    expect(toToolWords([])).toEqual([]);
  });
});

it.each<[value: unknown, names: string[] | undefined]>([
  ['Read', ['Read']],
  [' Read ,  Grep,', ['Read', 'Grep']],
  ['', []],
  [',,', []],
  ['Bash(git log:*, git diff:*), Read', ['Bash(git log:*, git diff:*)', 'Read']],
  ['Bash(a(b, c), d), e', ['Bash(a(b, c), d)', 'e']],
  ['a), b', ['a)', 'b']],
  ['a)(b, c), d', ['a)(b, c)', 'd']],
  ['(a, b', ['(a, b']],
  [
    ['Read', 'a, b'],
    ['Read', 'a, b'],
  ],
  [[], []],
  [['Read', 3], undefined],
  [{ Read: true }, undefined],
  [null, undefined],
])('the tools in %j are %j', (value, names) => {
  expect(toolNames(value)).toEqual(names);
});

describe('the name in Gemini CLI', () => {
  it.each([
    ...'read_file read_many_files list_directory glob grep_search search_file_content replace write_file'.split(' '),
    ...'run_shell_command web_fetch google_web_search invoke_agent write_todos ask_user save_memory'.split(' '),
    ...'activate_skill get_internal_docs enter_plan_mode exit_plan_mode update_topic complete_task'.split(' '),
    ...'read_mcp_resource list_mcp_resources tracker_create_task tracker_update_task tracker_get_task'.split(' '),
    ...'tracker_list_tasks tracker_add_dependency tracker_visualize'.split(' '),
    ...['*', 'discovered_tool_', 'discovered_tool_x y', 'mcp_*', 'mcp_a.b:c-1_*', 'mcp_a_b', 'mcp_a_b.c:d-e_f'],
    ...['mcp_a__b', 'MCP_A_B', 'mcp_a___b'],
  ])('of %s is its own', (name) => {
    expect(geminiToolName(name)).toBe(name);
  });

  it.each([
    ['mcp__docs', 'mcp_docs_*'],
    ['mcp__docs__find', 'mcp_docs_find'],
    ['mcp__docs__find__all', 'mcp_docs_find__all'],
    ['mcp__docs__', 'mcp_docs_*'],
    ['mcp__my_hub__find', 'mcp_my_hub_find'],
  ])('of %s, an MCP tool of Claude Code, is %s', (name, own) => {
    expect(geminiToolName(name)).toBe(own);
  });

  it.each([
    ...[
      '',
      ' ',
      'Read',
      'xread_file',
      'a*',
      '**',
      'my_discovered_tool_x',
      'mcp_',
      'mcp_*x',
      'x_mcp_*',
      'mcp_a',
      'mcp_a_',
    ],
    ...['mcp_a__', 'mcp__', 'mcp____x', 'mcp_a b_c', 'mcp_a_b c', 'mcp_a_*x', 'amcp__a__b', 'mcp_é_a', 'mcp_a_b*'],
  ])('of %j does not exist', (name) => {
    expect(geminiToolName(name)).toBeUndefined();
  });
});
