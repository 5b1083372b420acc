import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/clock.js';
import { ProcessGroups } from '../../../storage/process-group.js';
import { aTurn, play, standIn } from '../../../testing/stand-ins/stand-in.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { ClaudeCodeClient } from './claude-code-client.js';
import { flagsOf } from './claude-code-flags.js';

const flag = (args: readonly string[], name: string) => args[args.indexOf(name) + 1];

describe('a turn on claude-code', () => {
  it('streams text, tool calls, the session and the usage', async () => {
    const tool = { name: 'Read', input: { file_path: 'README.md' }, output: '# A project' };
    const { client } = standIn('claude-code', { steps: [{ text: 'I look.' }, { tool }, { text: 'It is a project.' }] });
    const told = await play(client, aTurn());
    expect(told.text).toBe('I look.\n\nIt is a project.');
    expect(told.sessions[0]).toMatch(/^scripted-\d+$/);
    expect(told.usage).toEqual({ input_tokens: 25, output_tokens: 24, cost_usd: 0.0125 });
    expect(told.calls).toMatchObject([
      { name: 'Read', target: 'README.md', state: 'running' },
      { name: 'Read', target: 'README.md', state: 'done', output: '# A project', ms: expect.any(Number) },
    ]);
    expect(told.calls[0]?.id).toBe(told.calls[1]?.id);
    expect(told).toMatchObject({ hasEnded: true, error: undefined });
  });

  it('goes on with the session of the turn before', async () => {
    const { client } = standIn('claude-code', { steps: [{ text: 'More.' }] });
    expect((await play(client, aTurn({ session: 'abc' }))).text).toBe('Resumed abc.\n\nMore.');
  });

  it('tells what was said before when the program has forgotten the session', async () => {
    const { client } = standIn('claude-code', { forgets: true, steps: [{ printInput: true }] });
    const told = await play(client, aTurn({ session: 'abc', history: [{ role: 'user', text: 'EARLIER' }] }));
    expect(told).toMatchObject({ hasEnded: true, error: undefined });
    expect(told.text).toContain('EARLIER');
  });

  it('does not ask ten times with a key that is refused', async () => {
    const { client } = standIn('claude-code', {
      steps: [{ retry: { status: 401, error: 'authentication_failed' } }, { hang: true }],
    });
    expect((await play(client, aTurn())).error?.message).toContain('not logged in');
  });

  it('says how to log in where nobody has', async () => {
    const { client } = standIn('claude-code', { steps: [{ error: 'Not logged in · Please run /login' }] });
    expect((await play(client, aTurn())).error?.message).toMatch(/is not logged in.*start `claude` once/);
  });

  it('says that it waits for a model that is busy', async () => {
    const { client } = standIn('claude-code', {
      steps: [{ retry: { status: 529, error: 'overloaded' } }, { text: 'Now.' }],
    });
    expect(await play(client, aTurn())).toMatchObject({ progress: ['waiting for the model'], hasEnded: true });
  });

  it('exits 0 without a result: failed', async () => {
    const { client } = standIn('claude-code', { noResult: true, steps: [{ text: 'Half an ans' }] });
    expect((await play(client, aTurn())).error?.message).toBe('Claude Code ended without an answer (exit 0).');
  });

  it('shows no secret of what the program says', async () => {
    const { client } = standIn(
      'claude-code',
      { steps: [{ error: 'key sk-ant-1234567890abcdef and hunter-twelve refused' }] },
      { environment: { ANTHROPIC_API_KEY: 'hunter-twelve' } },
    );
    expect((await play(client, aTurn())).error?.message).toBe(
      'Claude Code could not answer: key [redacted] and [redacted] refused',
    );
  });
});

describe('a permission on claude-code', () => {
  const permission = { name: 'Bash', input: { command: 'make test' }, reason: 'run the tests' };

  it('is put to the operator with the tool, its target and the reason', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const told = await play(client, aTurn(), { decide: 'allow_once' });
    expect(told.asked).toEqual([{ tool: 'Bash', target: 'make test', reason: 'run the tests' }]);
    expect(told.text).toContain('"behavior":"allow","updatedInput":{"command":"make test"}}');
  });

  it('that is given for good is given for the session only: no settings of the project are written', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const told = await play(client, aTurn(), { decide: 'allow_always' });
    expect(told.text).toContain('"destination":"session"');
    expect(told.text).not.toContain('localSettings');
  });

  it('of another program’s question is denied without asking anyone', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const told = await play(client, aTurn({ profile: 'outside' }), { decide: 'allow_always' });
    expect(told.asked).toEqual([]);
    expect(told.text).toContain('"behavior":"deny"');
  });
});

describe('the arguments of claude', () => {
  it('give the member its tools in the program’s names', () => {
    const args = flagsOf(aTurn({ member: { tools: ['read', 'search', 'web', 'unheard-of'] } }), '/project');
    expect(flag(args, '--tools')).toBe('Read,Grep,Glob,WebFetch,WebSearch');
    expect(flag(flagsOf(aTurn({ member: { tools: [] } }), '/project'), '--tools')).toBe('');
  });

  it('give another program’s question reading tools only, whatever the member has', () => {
    const args = flagsOf(
      aTurn({ profile: 'outside', member: { tools: ['read', 'edit', 'execute', 'web', 'agent'] } }),
      '/project',
    );
    expect(flag(args, '--tools')).toBe('Read,Grep');
    expect(flag(args, '--disallowedTools')?.split(',')).toEqual(
      expect.arrayContaining(['Bash', 'Edit', 'Write', 'WebFetch', 'Task']),
    );
    expect(flag(args, '--setting-sources')).toBe('');
    expect(args).toContain('--strict-mcp-config');
  });

  it('never load settings of the project, and close its secrets', () => {
    const args = flagsOf(aTurn(), '/project');
    expect(flag(args, '--setting-sources')).toBe('user');
    expect(JSON.parse(flag(args, '--settings') ?? '')).toMatchObject({
      permissions: { deny: expect.arrayContaining(['Read(./.mesh/credentials/**)']) },
    });
  });

  it('close every name of the table to another program’s question', () => {
    const { permissions } = JSON.parse(flag(flagsOf(aTurn({ profile: 'outside' }), '/project'), '--settings') ?? '');
    for (const rule of [
      './**/.npmrc',
      './**/*.pem',
      './**/secrets/**',
      './.mesh/asks/**',
      '//project/.mesh/credentials/**',
    ])
      expect(permissions.deny).toContain(`Read(${rule})`);
  });

  it('name the folder for other programs as the place of their runs alone', async () => {
    const elsewhere = temporaryFolder({ 'note.md': 'THERE' });
    const { client } = standIn('claude-code', { steps: [{ attempt: { read: 'note.md' } }] }, { outside: elsewhere });
    expect((await play(client, aTurn({ profile: 'outside' }))).text).toContain('THERE');
    expect((await play(client, aTurn())).text).not.toContain('THERE');
  });

  it.each([
    ['strongest', 'opus'],
    ['sonnet', 'sonnet'],
    ['claude-opus-4-8[1m]', 'claude-opus-4-8[1m]'],
    ['us.anthropic.claude-x:0', 'us.anthropic.claude-x:0'],
  ])('name the model: %s is %s', (asked, given) => {
    expect(flag(flagsOf(aTurn({ member: { model: asked } }), '/project'), '--model')).toBe(given);
  });

  it('refuse a model that would be read as a flag', () => {
    expect(() => flagsOf(aTurn({ member: { model: '--dangerously-skip-permissions' } }), '/project')).toThrow(
      'no model',
    );
  });

  it('name the effort where the program has it', () => {
    expect(flag(flagsOf(aTurn({ member: { effort: 'high' } }), '/project'), '--effort')).toBe('high');
    for (const effort of ['default', 'minimal'])
      expect(flagsOf(aTurn({ member: { effort } }), '/project')).not.toContain('--effort');
  });
});

describe('whether claude-code is ready', () => {
  const at = (path: string) => {
    const processes = new ProcessGroups(temporaryFolder(), systemClock);
    return new ClaudeCodeClient({
      root: '/',
      outside: { prepare: async () => '/' },
      processes,
      clock: systemClock,
      environment: { PATH: path },
    });
  };

  it('it is not without the program, and says what to do', async () => {
    const probed = await at(temporaryFolder()).probe();
    expect(probed.ready).toBe(false);
    expect(probed.reason).toContain('npm install -g @anthropic-ai/claude-code');
    expect((await play(at(temporaryFolder()), aTurn())).error?.message).toContain('not on this machine');
  });

  it('it is not by a program in the working folder', async () => {
    expect((await at('.:').probe()).ready).toBe(false);
  });
});
