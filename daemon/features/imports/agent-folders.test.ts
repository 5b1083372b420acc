import { describe, expect, it } from 'vitest';
import type { AgentFormat, ImportScope } from '../../contract/imports.js';
import {
  AGENT_FOLDERS,
  entryFiles,
  exportPlace,
  findAgentFolder,
  formatSource,
  isAgentPlace,
  placeName,
} from './agent-folders.js';
import type { Place } from './foreign-agent.js';

const at = (format: AgentFormat, path: string, scope: ImportScope = 'project', entry: string | null = null): Place => ({
  ...{ format, scope, path, entry },
});

it('the folders of all tools are searched in this order', () => {
  expect(
    AGENT_FOLDERS.map(({ format, scope, folder, endings, isDeep }) => [
      ...[format, scope, folder, endings.join(), isDeep],
    ]),
  ).toEqual([
    ['claude', 'project', '.claude/agents', '.md', true],
    ['copilot', 'project', '.github/agents', '.md', false],
    ['opencode', 'project', '.opencode/agent', '.md', true],
    ['opencode', 'project', '.opencode/agents', '.md', true],
    ['opencode', 'project', '.opencode/mode', '.md', false],
    ['opencode', 'project', '.opencode/modes', '.md', false],
    ['gemini', 'project', '.gemini/agents', '.md', false],
    ['codex', 'project', '.codex/agents', '.toml', true],
    ['cursor', 'project', '.cursor/agents', '.md', false],
    ['claude', 'user', '.claude/agents', '.md', true],
    ['copilot', 'user', '.copilot/agents', '.md', false],
    ['opencode', 'user', '.config/opencode/agent', '.md', true],
    ['opencode', 'user', '.config/opencode/agents', '.md', true],
    ['opencode', 'user', '.config/opencode/mode', '.md', false],
    ['opencode', 'user', '.config/opencode/modes', '.md', false],
    ['gemini', 'user', '.gemini/agents', '.md', false],
    ['codex', 'user', '.codex/agents', '.toml', true],
    ['cursor', 'user', '.cursor/agents', '.md', false],
  ]);
  expect(entryFiles('project')).toEqual([
    ...['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
  ]);
  expect(entryFiles('user')).toEqual(['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc']);
});

describe('a place of agents', () => {
  it.each<[place: Place, folder: string | undefined]>([
    [at('claude', '.claude/agents/a.md'), '.claude/agents'],
    [at('claude', '.claude/agents/deep/er/a.md'), '.claude/agents'],
    [at('claude', '.claude/agents/a.md', 'user'), '.claude/agents'],
    [at('copilot', '.github/agents/a.md'), '.github/agents'],
    [at('copilot', '.github/agents/deep/a.md'), undefined],
    [at('copilot', '.github/agents/a.md', 'user'), undefined],
    [at('opencode', '.opencode/agents/a.md'), '.opencode/agents'],
    [at('opencode', '.opencode/mode/deep/a.md'), undefined],
    [at('claude', '.claude/agents/a.toml'), undefined],
    [at('codex', '.codex/agents/a.toml'), '.codex/agents'],
    [at('codex', '.codex/agents/a.md'), undefined],
    [at('gemini', '.claude/agents/a.md'), undefined],
    [at('claude', '.claude/agentsX/a.md'), undefined],
    [at('claude', 'x/.claude/agents/a.md'), undefined],
  ])('%# is found by its folder', (place, folder) => {
    expect(findAgentFolder(place)?.folder).toBe(folder);
    expect(isAgentPlace(place)).toBe(folder !== undefined);
  });

  it('with an entry is a configuration of opencode', () => {
    expect(isAgentPlace(at('opencode', 'opencode.json', 'project', 'a'))).toBe(true);
    expect(isAgentPlace(at('claude', 'opencode.json', 'project', 'a'))).toBe(false);
    expect(isAgentPlace(at('opencode', 'opencode.json', 'user', 'a'))).toBe(false);
    expect(isAgentPlace(at('opencode', '.opencode/agent/a.md', 'project', 'a'))).toBe(false);
    expect(isAgentPlace(at('opencode', 'opencode.json'))).toBe(false);
  });

  it.each<[place: Place, name: string]>([
    [at('claude', '.claude/agents/deep/a.md'), 'a'],
    [at('copilot', '.github/agents/a.agent.md'), 'a'],
    [at('copilot', '.github/agents/a.agent.md.md'), 'a.agent.md'],
    [at('copilot', '.github/agents/a.agentXmd.md'), 'a.agentXmd'],
    [at('codex', '.codex/agents/x.md.toml'), 'x.md'],
    [at('opencode', '.opencode/agent/deep/a.md'), 'deep/a'],
    [at('opencode', 'opencode.json', 'project', 'a/b.md'), 'a/b.md'],
    [at('opencode', 'elsewhere.md'), 'elsewhere'],
    [at('cursor', '.cursor/agents/amd'), 'amd'],
  ])('%# has a name', (place, name) => {
    expect(placeName(place)).toBe(name);
  });

  it('is told with a tilde in the home folder', () => {
    expect([formatSource(at('claude', 'a.md')), formatSource(at('claude', 'a.md', 'user'))]).toEqual([
      'a.md',
      '~/a.md',
    ]);
  });
});

describe('the place of an export', () => {
  it.each<[AgentFormat, string]>([
    ['claude', '.claude/agents/a.md'],
    ['copilot', '.github/agents/a.agent.md'],
    ['opencode', '.opencode/agent/a.md'],
    ['gemini', '.gemini/agents/a.md'],
    ['codex', '.codex/agents/a.toml'],
    ['cursor', '.cursor/agents/a.md'],
  ])('of a new file of %s is %s', (format, path) => {
    expect(exportPlace(format, 'a', undefined)).toEqual(at(format, path));
    expect(exportPlace(format, 'a', at(format, 'elsewhere.txt'))).toEqual(at(format, path));
  });

  it.each<[title: string, origin: Place, format: AgentFormat, expected: Place]>([
    ['the origin', at('claude', '.claude/agents/x/y.md'), 'claude', at('claude', '.claude/agents/x/y.md')],
    ['a new one in another format', at('claude', '.claude/agents/x.md'), 'codex', at('codex', '.codex/agents/a.toml')],
    [
      'the entry',
      at('opencode', 'opencode.json', 'project', 'x'),
      'opencode',
      at('opencode', 'opencode.json', 'project', 'x'),
    ],
    ['its counterpart', at('claude', '.claude/agents/x/y.md', 'user'), 'claude', at('claude', '.claude/agents/x/y.md')],
    [
      'its counterpart in the first folder',
      at('opencode', '.config/opencode/mode/y.md', 'user'),
      'opencode',
      at('opencode', '.opencode/agent/y.md'),
    ],
    [
      'its counterpart under another name',
      at('copilot', '.copilot/agents/y.md', 'user'),
      'copilot',
      at('copilot', '.github/agents/y.md'),
    ],
    [
      'a file for an entry of the home folder',
      at('opencode', '.config/opencode/opencode.json', 'user', 'x'),
      'opencode',
      at('opencode', '.opencode/agent/a.md'),
    ],
  ])('is %s', (_title, origin, format, expected) => {
    expect(exportPlace(format, 'a', origin)).toEqual(expected);
  });
});
