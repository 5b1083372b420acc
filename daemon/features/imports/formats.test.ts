import { describe, expect, it } from 'vitest';
import type { AgentFormat } from '../../contract/imports.js';
import { readAgent } from './agent-reading.js';
import { inOrder, listLosses, writeKeys } from './agent-writing.js';
import type { Data, SharedKeys } from './foreign-agent.js';
import { FORMATS } from './formats.js';

const EVERYTHING_BUT = (...words: string[]) =>
  'read search edit execute web agent todo ask'.split(' ').filter((word) => !words.includes(word));
const rule = (action: string, effect: string, resource = '*') => ({ action, resource, effect });

describe('readAgent', () => {
  it.each<[AgentFormat, Data, SharedKeys]>([
    [
      'claude',
      { tools: 'Read, Grep, Bash(git log:*, git diff:*), mcp__x' },
      { tools: ['read', 'search', 'Bash(git log:*, git diff:*)', 'mcp__x'] },
    ],
    [
      'claude',
      { tools: ['MultiEdit', 'WebFetch', 'Task', 'TodoWrite', 'AskUserQuestion'] },
      { tools: ['edit', 'web', 'agent', 'todo', 'ask'] },
    ],
    [
      'claude',
      { tools: 'Read, Agent(worker, researcher), TaskCreate, TaskUpdate, TaskGet, TaskList' },
      { tools: ['read', 'agent', 'todo'] },
    ],
    ['claude', { tools: '*' }, {}],
    ['claude', { disallowedTools: 'Bash, Write' }, { tools: EVERYTHING_BUT('edit', 'execute') }],
    ['claude', { tools: 'Read, Bash', disallowedTools: ['Bash'] }, { tools: ['read'] }],
    ['claude', { disallowedTools: 'Bash(git push *)' }, { tools: EVERYTHING_BUT('execute') }],
    ['claude', { disallowedTools: 'Bash(git push, git pull), Write' }, { tools: EVERYTHING_BUT('edit', 'execute') }],
    ['claude', { disallowedTools: ['Agent(worker)', 'mcp__slack'] }, { tools: EVERYTHING_BUT('agent') }],
    ['claude', { disallowedTools: 'mcp__slack' }, {}],
    ['claude', { tools: '*', disallowedTools: 'mcp__slack' }, {}],
    ['claude', { tools: 'Read, Bash, mcp__x', disallowedTools: 'Bash(rm *), mcp__x' }, { tools: ['read'] }],
    ['claude', { tools: 'Read, Bash(git log *)', disallowedTools: 'Bash(git log *)' }, { tools: ['read'] }],
    [
      'claude',
      { model: 'inherit', effort: 'max', maxTurns: 7 },
      { model: 'strongest', effort: 'max', 'limits.turns': 7 },
    ],
    ['claude', { effort: 'frantic', maxTurns: 0, model: 3 }, {}],
    ['copilot', { name: 'Ada', tools: [], model: ['A', 'B'] }, { name: 'Ada', tools: [], model: 'A' }],
    ['copilot', { tools: ['web/fetch', 'search/codebase', 'search/usages'] }, { tools: ['search', 'web'] }],
    ['copilot', { tools: ['edit', 'read/terminalLastCommand'] }, { tools: ['read', 'edit'] }],
    [
      'copilot',
      { tools: ['codebase', 'editFiles', 'runCommands', 'usages', 'fetch', 'problems', 'todos', 'runSubagent'] },
      { tools: ['read', 'search', 'edit', 'execute', 'web', 'agent', 'todo'] },
    ],
    ['copilot', { tools: ['Shell', 'READ', 'custom-agent'] }, { tools: ['read', 'execute', 'agent'] }],
    ['copilot', { tools: ['github/search', 'search'] }, { tools: ['search', 'github/search'] }],
    ['copilot', { tools: ['*'] }, {}],
    ['copilot', { tools: 'read,github/*' }, { tools: ['read', 'github/*'] }],
    [
      'opencode',
      { permission: { edit: 'deny', bash: 'ask', webfetch: { '*': 'deny', 'https://ok/*': 'allow' } } },
      { tools: EVERYTHING_BUT('edit', 'web') },
    ],
    [
      'opencode',
      { permissions: [rule('*', 'allow'), rule('edit', 'deny'), rule('shell', 'deny'), rule('webfetch', 'ask')] },
      { tools: EVERYTHING_BUT('edit', 'execute') },
    ],
    ['opencode', { permission: 'deny' }, { tools: [] }],
    ['opencode', { tools: { write: false, '*': true } }, { tools: EVERYTHING_BUT('edit') }],
    [
      'opencode',
      { options: { reasoningEffort: 'none' }, maxSteps: 3, color: '#ffffff' },
      { effort: 'minimal', 'limits.turns': 3, color: '#ffffff' },
    ],
    [
      'gemini',
      { display_name: 'Ada', tools: ['list_directory', 'google_web_search'], max_turns: 2, timeout_mins: 9 },
      { name: 'Ada', tools: ['read', 'web'], 'limits.turns': 2, 'limits.minutes': 9 },
    ],
    ['gemini', { model: 'inherit', timeout_mins: 2.5 }, { model: 'strongest' }],
    [
      'codex',
      { nickname_candidates: ['Ada', 'Bea'], model_reasoning_effort: 'none', sandbox_mode: 'read-only' },
      { name: 'Ada', effort: 'minimal', tools: ['read', 'search'] },
    ],
    ['codex', { sandbox_mode: 'workspace-write', nickname_candidates: [] }, {}],
    ['cursor', { model: 'fast', readonly: true }, { model: 'strongest', tools: ['read', 'search'] }],
    ['cursor', { model: 'gpt-5', readonly: false }, { model: 'gpt-5' }],
  ])('reads from a %s file with %j the shared keys', (format, data, keys) => {
    const reading = readAgent(FORMATS[format], { data, body: 'x' });
    expect(reading.keys).toEqual(keys);
    expect(writeKeys(FORMATS[format], reading.keys, reading.vendor)).toEqual(data);
  });

  it('shortens a description at a word boundary and keeps the full text for export', () => {
    const description = 'A sentence with ünïcode and some words. '.repeat(30);
    const { keys, vendor, fields } = readAgent(FORMATS.gemini, { data: { description }, body: 'x' });
    expect(String(keys.description).length).toBeLessThanOrEqual(400);
    expect(keys.description).toMatch(/[a-z.]…$/);
    expect(vendor).toEqual({ description });
    expect(fields[0]).toMatchObject({ fate: 'taken', to: 'description', note: expect.stringContaining('Cut to 400') });
  });
});

describe('writeKeys', () => {
  it.each<[AgentFormat, SharedKeys, Data, Data, string[]]>([
    [
      'claude',
      { tools: ['read', 'edit'], effort: 'minimal' },
      {},
      { tools: 'Read, Edit, Write', effort: 'low' },
      ['effort'],
    ],
    ['claude', { model: 'gpt-5', 'limits.minutes': 4 }, { model: 'opus' }, {}, ['model', 'limits.minutes']],
    [
      'claude',
      { tools: ['read', 'execute'] },
      { tools: 'NotebookRead', disallowedTools: 'Bash' },
      { tools: 'NotebookRead, Bash' },
      [],
    ],
    ['copilot', { tools: ['read', 'ask'] }, {}, { tools: ['read'] }, ['tools']],
    ['copilot', { model: 'B' }, { model: ['A', 'B'] }, { model: ['B', 'A'] }, []],
    [
      'opencode',
      { tools: ['read', 'search'] },
      { permission: { bash: { '*': 'ask', 'git *': 'allow' } } },
      {
        permission: {
          edit: 'deny',
          bash: 'deny',
          webfetch: 'deny',
          websearch: 'deny',
          task: 'deny',
          todowrite: 'deny',
          question: 'deny',
        },
      },
      [],
    ],
    [
      'opencode',
      { tools: EVERYTHING_BUT('edit', 'web') },
      { permission: { edit: 'deny', bash: 'deny', webfetch: 'deny', websearch: 'deny' } },
      { permission: { edit: 'deny', webfetch: 'deny', websearch: 'deny' } },
      [],
    ],
    ['opencode', {}, { tools: { write: false, other: true } }, { tools: { other: true } }, []],
    [
      'opencode',
      { effort: 'low' },
      { options: { reasoningEffort: 'high', x: 1 } },
      { options: { reasoningEffort: 'low', x: 1 } },
      [],
    ],
    [
      'opencode',
      { effort: 'low', tools: EVERYTHING_BUT('execute') },
      { permissions: [rule('shell', 'deny')] },
      { permissions: [rule('shell', 'deny')] },
      ['effort'],
    ],
    [
      'opencode',
      { tools: EVERYTHING_BUT('execute', 'agent') },
      { permissions: [rule('edit', 'deny'), rule('shell', 'allow')] },
      { permissions: [rule('shell', 'allow'), rule('shell', 'deny'), rule('subagent', 'deny')] },
      [],
    ],
    ['opencode', { effort: 'low' }, { request: { body: {} } }, { request: { body: {} } }, ['effort']],
    ['opencode', { model: 'opus' }, {}, {}, ['model']],
    ['opencode', { color: 'red' }, { color: '#00ff00' }, { color: '#ef4444' }, ['color']],
    ['opencode', { color: '#Ff8800' }, {}, { color: '#Ff8800' }, []],
    ['opencode', { color: 'accent' }, {}, { color: 'accent' }, []],
    ['opencode', { color: 'teal' }, {}, {}, ['color']],
    ['opencode', { color: '#fff' }, { color: 'info' }, {}, ['color']],
    ['opencode', { color: 'constructor' }, {}, {}, ['color']],
    ['claude', { color: '#ff8800' }, {}, { color: '#ff8800' }, []],
    [
      'gemini',
      { tools: ['ask'], model: 'sonnet' },
      { temperature: 1 },
      { temperature: 1, tools: ['ask_user'] },
      ['model'],
    ],
    [
      'gemini',
      { tools: ['read', 'Bash(git log:*)', 'mcp__my_hub__create_issue', 'mcp__docs', 'github/*', 'Read'] },
      {},
      { tools: ['read_file', 'read_many_files', 'list_directory', 'mcp_my_hub_create_issue', 'mcp_docs_*'] },
      ['tools'],
    ],
    [
      'gemini',
      { tools: ['search', 'mcp_*', 'mcp_github_*', 'mcp_docs_find.it', 'discovered_tool_x', 'complete_task'] },
      { tools: ['mcp_*', 'mcp_github_*', 'read_file'] },
      {
        tools: [
          'mcp_*',
          'mcp_github_*',
          'glob',
          'grep_search',
          'mcp_docs_find.it',
          'discovered_tool_x',
          'complete_task',
        ],
      },
      [],
    ],
    [
      'gemini',
      { tools: ['todo', 'of_a_later_version'] },
      { tools: ['of_a_later_version'] },
      { tools: ['of_a_later_version', 'write_todos'] },
      [],
    ],
    ['gemini', { tools: ['mcp__my_hub', 'mcp__', 'mcp_x', 'mcp_x__', 'mcp__a__b c'] }, {}, { tools: [] }, ['tools']],
    ['gemini', { tools: ['mcp__a__b', 'mcp_a_b'] }, {}, { tools: ['mcp_a_b'] }, ['tools']],
    [
      'codex',
      { name: 'Zoë', effort: 'max', tools: ['read'] },
      {},
      { model_reasoning_effort: 'xhigh' },
      ['name', 'effort', 'tools'],
    ],
    ['codex', { tools: ['read', 'search'] }, { sandbox_mode: 'workspace-write' }, { sandbox_mode: 'read-only' }, []],
    ['cursor', { effort: 'high', color: 'red' }, { readonly: true }, {}, ['effort', 'color']],
  ])('writes for %s the keys %j over the kept keys %j', (format, keys, vendor, written, lost) => {
    expect(writeKeys(FORMATS[format], keys, vendor)).toEqual(written);
    expect(
      listLosses(FORMATS[format], 'some', { all: {}, keys }, written)
        .map(({ key }) => key)
        .sort(),
    ).toEqual([...lost].sort());
  });
});

describe('the models that a tool knows', () => {
  const isKnown = (format: AgentFormat, model: string) =>
    FORMATS[format].rules.find(({ member }) => member === 'model')?.write(model, {})['model'] === model;

  it.each<[format: AgentFormat, known: string[], unknown: string[]]>([
    [
      'claude',
      [
        ...['sonnet', 'opus', 'haiku', 'opusplan', 'sonnet[1m]', 'claude-opus-4.5', 'claude-3_x-y', 'claude-x[1m]'],
        ...['us.anthropic.claude-x-v1:0', 'anthropic/claude', 'eu-anthropic:x[1m]', 'anthropic'],
      ],
      [
        'sonnet2',
        'my-sonnet',
        'claude',
        'claude-',
        'gpt-5',
        'opus[2m]',
        'claude-x y',
        'x/y',
        'anthropic x',
        'US.anthropic',
      ],
    ],
    ['copilot', ['GPT-5 (copilot)', 'strong', 'sonnet'], ['strongest']],
    [
      'opencode',
      ['a/b', 'a.b-c_d/e f'.replace(' ', '/'), 'a/b:c'],
      ['a', '/b', 'a/', 'a b/c', 'a/b c', 'a/b\n', 'é/b'],
    ],
    ['gemini', ['gemini-3', 'gemini', 'gemma-2', 'auto', 'auto-x'], ['my-gemini', 'geminis', 'gpt-5', 'automatic']],
    [
      'codex',
      ['gpt-5', 'o3:high', 'a.b_c-d', 'sonnet-x', 'strongest-x', 'my-claude'],
      ['claude-opus', 'claude', 'gemini-3', 'sonnet', 'opus', 'haiku', 'strongest', 'gpt 5', '', 'a/b'],
    ],
    ['cursor', ['gpt-5', 'claude-x:y.z_1'], ['strongest', 'a b', 'a/b', '', 'é']],
  ])('%s', (format, known, unknown) => {
    expect(known.filter((model) => !isKnown(format, model))).toEqual([]);
    expect(unknown.filter((model) => isKnown(format, model))).toEqual([]);
  });

  it.each<[format: AgentFormat, words: string[]]>([
    ['claude', ['inherit']],
    ['copilot', []],
    ['opencode', []],
    ['gemini', ['inherit']],
    ['codex', []],
    ['cursor', ['inherit', 'fast']],
  ])('for %s the choice of the tool is %j', (format, words) => {
    const read = (model: string) => readAgent(FORMATS[format], { data: { model }, body: 'x' }).keys.model;
    expect(['inherit', 'fast', 'auto'].filter((word) => read(word) === 'strongest')).toEqual(words);
  });
});

describe('each format', () => {
  it.each<[AgentFormat, object]>([
    ['claude', { tool: 'Claude Code', idKey: 'name', needsDescription: true, isBodyEnough: false }],
    ['copilot', { tool: 'Copilot', needsDescription: true, isBodyEnough: false, bodyMaxChars: 30_000 }],
    ['opencode', { tool: 'opencode', needsDescription: false, isBodyEnough: true }],
    ['gemini', { tool: 'Gemini CLI', idKey: 'name', needsDescription: true, isBodyEnough: false }],
    ['codex', { tool: 'Codex', idKey: 'name', needsDescription: true, isBodyEnough: false }],
    ['cursor', { tool: 'Cursor', idKey: 'name', needsDescription: true, isBodyEnough: false }],
  ])('%s says what its tool needs', (format, facts) => {
    const { order: _order, rules: _rules, refuses: _refuses, ...told } = FORMATS[format];
    expect(told).toEqual({ format, idKey: undefined, ...facts });
  });

  it.each<[AgentFormat, string]>([
    ['claude', 'name description tools disallowedTools model'],
    ['copilot', 'name description target tools model'],
    ['opencode', 'description mode model'],
    ['gemini', 'name display_name description kind tools model'],
    ['codex', 'name description nickname_candidates model model_reasoning_effort sandbox_mode'],
    ['cursor', 'name description model readonly'],
  ])('%s begins a file with its keys in order', (format, keys) => {
    const data = Object.fromEntries(['z', ...keys.split(' ').reverse(), 'a'].map((key) => [key, 1]));
    expect(Object.keys(inOrder(FORMATS[format], data))).toEqual([...keys.split(' '), 'z', 'a']);
  });

  it.each<[AgentFormat, Data]>([
    [
      'claude',
      { tools: 'Read, Grep, Glob, Edit, Write, Bash, WebFetch, WebSearch, Agent, TodoWrite, AskUserQuestion' },
    ],
    ['copilot', { tools: ['read', 'search', 'edit', 'execute', 'web', 'agent', 'todo'] }],
    [
      'gemini',
      {
        tools: [
          ...['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search', 'replace', 'write_file'],
          ...['run_shell_command', 'web_fetch', 'google_web_search', 'invoke_agent', 'write_todos', 'ask_user'],
        ],
      },
    ],
  ])('%s has its own names for all tools', (format, written) => {
    const tools = 'read search edit execute web agent todo ask'.split(' ');
    const rule = FORMATS[format].rules.find(({ member }) => member === 'tools');
    expect(rule?.write(tools, {})).toEqual(written);
  });

  it.each<[AgentFormat, Data, string[]]>([
    ['claude', { maxTurns: 10_000 }, ['limits.turns']],
    ['claude', { maxTurns: 10_001 }, []],
    ['gemini', { max_turns: 10_000, timeout_mins: 1_440 }, ['limits.turns', 'limits.minutes']],
    ['gemini', { max_turns: 10_001, timeout_mins: 1_441 }, []],
    ['opencode', { steps: 10_000 }, ['limits.turns']],
    ['opencode', { steps: 10_001 }, []],
  ])('%s has limits as a member has: %j', (format, data, keys) => {
    expect(Object.keys(readAgent(FORMATS[format], { data, body: 'x' }).keys)).toEqual(keys);
  });

  it.each([
    ['red', '#ef4444'],
    ['blue', '#3b82f6'],
    ['green', '#22c55e'],
    ['yellow', '#eab308'],
    ['purple', '#a855f7'],
    ['orange', '#f97316'],
    ['pink', '#ec4899'],
    ['cyan', '#06b6d4'],
  ])('opencode has %s as %s', (name, color) => {
    expect(writeKeys(FORMATS.opencode, { color: name }, {})).toEqual({ color });
  });

  it('opencode has the colours of its theme and those of six digits', () => {
    const isKnown = (color: string) => writeKeys(FORMATS.opencode, { color }, {})['color'] === color;
    const known = 'primary secondary accent success warning error info #09afAF'.split(' ');
    expect(known.filter((color) => !isKnown(color))).toEqual([]);
    const unknown = ['#09afA', '#09afAF0', '#09afAg', 'x#09afAF', 'infos', 'my-info', '09afAF', 'magenta'];
    expect(unknown.filter(isKnown)).toEqual([]);
  });

  it.each<[kind: string, data: Data, isRefused: boolean]>([
    ['a remote agent', { kind: 'remote' }, true],
    ['an address of its card', { agent_card_url: 'https://far.example' }, true],
    ['a card', { agent_card_json: '{}' }, true],
    ['a local agent', { kind: 'local' }, false],
    ['one that says nothing', {}, false],
  ])('gemini refuses as a member what has no prompt: %s', (_kind, data, isRefused) => {
    expect(FORMATS.gemini.refuses?.(data)).toBe(
      isRefused
        ? 'It is a remote agent: keep it as a contact of the directory instead, it has no prompt of its own.'
        : undefined,
    );
  });

  it.each<[AgentFormat, Data, Data]>([
    ['claude', { effort: 'minimal' }, { effort: 'low' }],
    ['claude', { effort: 'max' }, { effort: 'max' }],
    ['codex', { effort: 'max' }, { model_reasoning_effort: 'xhigh' }],
    ['codex', { effort: 'minimal' }, { model_reasoning_effort: 'minimal' }],
    ['copilot', { name: 'Ada' }, { name: 'Ada' }],
    ['gemini', { name: 'Ada' }, { display_name: 'Ada' }],
    ['codex', { name: 'Ada' }, { nickname_candidates: ['Ada'] }],
    ['cursor', { tools: ['read', 'search'] }, { readonly: true }],
    ['codex', { tools: ['read', 'search'] }, { sandbox_mode: 'read-only' }],
  ])('%s writes %j as %j', (format, keys, written) => {
    expect(writeKeys(FORMATS[format], keys, {})).toEqual(written);
  });
});
