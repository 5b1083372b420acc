import { describe, expect, it } from 'vitest';
import { aTurn } from '../../../testing/stand-ins/stand-in.js';
import { opencodePermissions } from './opencode-permissions.js';

type Rules = Record<string, unknown>;

/** What both versions are given: the same rules for all agents, and for those that the operator's settings may name. */
function given(turn: Parameters<typeof aTurn>[0]): { permission: Rules } {
  const { OPENCODE_PERMISSION, OPENCODE_CONFIG_CONTENT } = opencodePermissions(aTurn(turn));
  const permission = JSON.parse(OPENCODE_PERMISSION ?? '') as Rules;
  const reading = { permission: expect.objectContaining({ '*': 'deny', bash: 'deny', external_directory: 'deny' }) };
  const agent = { build: { permission }, plan: { permission }, general: reading, explore: reading };
  expect(JSON.parse(OPENCODE_CONFIG_CONTENT ?? '')).toEqual({ permission, agent });
  return { permission };
}

describe('what opencode may do in a turn of the operator', () => {
  it('is denied without the word of the member, and asked for with it', () => {
    expect(given({ member: { tools: ['read', 'edit'] } }).permission).toEqual({
      ...{ grep: 'deny', glob: 'deny', list: 'deny', codesearch: 'deny' },
      ...{ edit: 'ask', bash: 'deny', shell: 'deny', webfetch: 'deny', websearch: 'deny' },
      ...{ task: 'deny', subagent: 'deny', todowrite: 'deny', external_directory: 'ask' },
    });
  });

  it('is asked for where it acts, for a member with every tool', () => {
    const tools = ['read', 'search', 'edit', 'execute', 'web', 'agent', 'todo'];
    const own = { '*': 'deny', general: 'ask', explore: 'ask' };
    expect(given({ member: { tools } }).permission).toEqual({
      ...{ edit: 'ask', bash: 'ask', shell: 'ask', webfetch: 'ask', websearch: 'ask' },
      ...{ task: own, subagent: own, external_directory: 'ask' },
    });
  });
});

describe('what opencode may do for another program', () => {
  const rules = given({ profile: 'outside' }).permission as Rules & { read: Record<string, string> };

  it('is to read, search and list, and nothing else', () => {
    const { read: _, ...others } = rules;
    const allowed = Object.entries(others).filter(([, effect]) => effect === 'allow');
    expect(allowed.map(([name]) => name)).toEqual(['grep', 'glob', 'list']);
    expect(others).toMatchObject({ '*': 'deny', external_directory: 'deny' });
    expect(others).toMatchObject({ bash: 'deny', shell: 'deny', edit: 'deny', webfetch: 'deny', task: 'deny' });
    expect(Object.keys(rules)[0]).toBe('*');
  });

  /** As opencode decides: the last pattern that fits. */
  function mayRead(path: string): boolean {
    const fits = (pattern: string) =>
      new RegExp(`^${pattern.replace(/[.+?^$()|[\]{}\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(path);
    return Object.entries(rules.read).findLast(([pattern]) => fits(pattern))?.[1] === 'allow';
  }

  it.each([
    ['README.md', true],
    ['src/deep/a.ts', true],
    ['.env', false],
    ['deep/er/.env', false],
    ['.env.example', true],
    ['deep/er/.env.example', true],
    ['id_rsa', false],
    ['certs/server.pem', false],
    ['.ssh/config', false],
    ['home/.ssh/keys/a', false],
    ['.mesh/credentials/team-tokens.json', false],
    ['.mesh/asks/consultant.md', false],
    ['deep/.mesh/asks/consultant.md', false],
    ['.mesh/team/consultant.md', true],
  ])('and of %s it may read: %j', (path, isAllowed) => {
    expect(mayRead(path)).toBe(isAllowed);
  });
});
