import { describe, expect, it } from 'vitest';
import type { AgentFormat } from '../../contract/imports.js';
import { readAgent } from './agent-reading.js';
import { listLosses, writeKeys } from './agent-writing.js';
import type { Data, SharedKeys } from './foreign-agent.js';
import { FORMATS } from './formats.js';

const EVERYTHING_BUT = (...words: string[]) =>
  'read search edit execute web agent todo ask'.split(' ').filter((word) => !words.includes(word));

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
    ['claude', { tools: '*' }, {}],
    ['claude', { disallowedTools: 'Bash, Write' }, { tools: EVERYTHING_BUT('edit', 'execute') }],
    ['claude', { tools: 'Read, Bash', disallowedTools: ['Bash'] }, { tools: ['read'] }],
    [
      'claude',
      { model: 'inherit', effort: 'max', maxTurns: 7 },
      { model: 'strongest', effort: 'max', 'limits.turns': 7 },
    ],
    ['claude', { effort: 'frantic', maxTurns: 0, model: 3 }, {}],
    ['copilot', { name: 'Ada', tools: [], model: ['A', 'B'] }, { name: 'Ada', tools: [], model: 'A' }],
    ['copilot', { tools: ['*'] }, {}],
    ['copilot', { tools: 'read,github/*' }, { tools: ['read', 'github/*'] }],
    [
      'opencode',
      { permission: { edit: 'deny', bash: 'ask', webfetch: { '*': 'deny', 'https://ok/*': 'allow' } } },
      { tools: EVERYTHING_BUT('edit', 'web') },
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
