import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { ProcessGroups } from '../../../storage/processes/process-group.js';
import { aTurn, play, standIn } from '../../../testing/stand-ins/stand-in.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { ClaudeCodeClient } from './claude-code-client.js';
import { createFlags } from './claude-code-flags.js';

const flag = (args: readonly string[], name: string) => args[args.indexOf(name) + 1];

describe('a turn on the claude-code client', () => {
  it('streams text, tool calls, the session and the usage', async () => {
    const tool = { name: 'Read', input: { file_path: 'README.md' }, output: '# A project' };
    const { client } = standIn('claude-code', { steps: [{ text: 'I look.' }, { tool }, { text: 'It is a project.' }] });
    const played = await play(client, aTurn());
    expect(played.text).toBe('I look.\n\nIt is a project.');
    expect(played.sessions[0]).toMatch(/^scripted-\d+$/);
    expect(played.usage).toEqual({ input_tokens: 25, output_tokens: 24, cost_usd: 0.0125 });
    expect(played.calls).toMatchObject([
      { name: 'Read', target: 'README.md', state: 'running' },
      { name: 'Read', target: 'README.md', state: 'done', output: '# A project', ms: expect.any(Number) },
    ]);
    expect(played.calls[0]?.id).toBe(played.calls[1]?.id);
    expect(played).toMatchObject({ hasEnded: true, error: undefined });
  });

  it('reports after each message what the turn has taken so far, each message once', async () => {
    const usage = { input_tokens: 10, output_tokens: 2 };
    const { client } = standIn('claude-code', { steps: [{ usage }, { usage }, { text: 'Done.' }] });
    const { usages } = await play(client, aTurn());
    expect(usages.slice(0, -1)).toEqual([
      { input_tokens: 10, output_tokens: 2 },
      { input_tokens: 10, output_tokens: 3 },
      { input_tokens: 20, output_tokens: 5 },
      { input_tokens: 20, output_tokens: 6 },
    ]);
  });

  it('counts the tokens of subagents, which the result leaves out', async () => {
    const usage = { input_tokens: 100, cache_read_input_tokens: 1_000, output_tokens: 40 };
    const { client } = standIn('claude-code', { steps: [{ subagent: usage }, { usage }, { subagent: usage }] });
    const { usages } = await play(client, aTurn());
    expect(usages.map(({ input_tokens, output_tokens }) => [input_tokens, output_tokens])).toEqual([
      [1_100, 40],
      [2_200, 80],
      [2_200, 81],
      [3_300, 121],
      [3_300, 121],
    ]);
  });

  it('reports no less at the end than before, where the last of several results covers a part only', async () => {
    const usage = { input_tokens: 90, output_tokens: 2 };
    const { client } = standIn('claude-code', { steps: [{ usage }, { text: 'Done.' }] });
    expect((await play(client, aTurn())).usage).toMatchObject({ input_tokens: 90, output_tokens: 24 });
  });

  it.each([
    ['2.1.278', 0.3, [0.2, 0.5]],
    ['2.1.277', 0.5, [0, 0.5]],
    ['3.0.0', 0.6, [0.5, 0.5]],
    ['2.1.221', 0.3, [0.5, 0.5]],
    ['unknown', 0.3, [0.5, 0.5]],
    [undefined, 0.3, [0.5, 0.5]],
  ])('takes from the total of version %s what the session had cost before, $%s', async (version, before, costs) => {
    const { client } = standIn('claude-code', {
      session: 'kept',
      version,
      steps: [{ result: { total_cost_usd: 0.5 } }],
    });
    const played = await play(client, aTurn({ session: 'kept', session_cost_usd: before }));
    expect([played.usage?.cost_usd, played.sessionCost]).toEqual(costs);
  });

  it('reports what it has taken right before its end, so that a budget reached by it ends no answered turn', async () => {
    const { client } = standIn('claude-code', { steps: [{ text: 'Done.' }] });
    const types: string[] = [];
    for await (const { type } of client.run(aTurn(), new AbortController().signal, async () => 'deny'))
      types.push(type);
    expect(types.slice(-3)).toEqual(['session', 'usage', 'end']);
  });

  it('takes nothing from the total of a session that it opens', async () => {
    const scenario = { forgets: true, version: '2.1.278', steps: [] };
    const { client } = standIn('claude-code', scenario);
    const played = await play(client, aTurn({ session: 'gone', session_cost_usd: 0.01 }));
    expect([played.usage?.cost_usd, played.sessionCost]).toEqual([0.0125, 0.0125]);
  });

  it('ends with the result after which no task runs in the background', async () => {
    const task = { task_id: 'a1', task_type: 'local_agent', description: 'Reads the sources' };
    const { client } = standIn('claude-code', {
      steps: [
        { backgroundTasks: [task] },
        { text: 'I wait for it.' },
        { result: { total_cost_usd: 0.01 } },
        { backgroundTasks: [{ ...task, ambient: true }] },
        { text: 'It found port 8123.' },
      ],
    });
    const played = await play(client, aTurn());
    expect(played).toMatchObject({ text: 'I wait for it.\n\nIt found port 8123.', hasEnded: true, error: undefined });
    expect(played.usage?.cost_usd).toBe(0.0125);
  });

  it('ends with the first result when the program exits while it reports a task', async () => {
    const { client } = standIn('claude-code', { steps: [{ backgroundTasks: [{}] }, { text: 'All I know.' }] });
    expect(await play(client, aTurn())).toMatchObject({ text: 'All I know.', hasEnded: true, error: undefined });
  });

  it('fails at once with a result that is an error, whatever runs in the background', async () => {
    const { client } = standIn('claude-code', {
      steps: [{ backgroundTasks: [{}] }, { result: { is_error: true, result: 'too long' } }, { hang: true }],
    });
    expect((await play(client, aTurn())).error?.message).toBe('Claude Code could not answer: too long');
  });

  it('reports what a failed turn has cost, and its session', async () => {
    const result = { subtype: 'error_max_turns', is_error: true, total_cost_usd: 0.5 };
    const { client } = standIn('claude-code', { session: 'kept', steps: [{ result }] });
    const played = await play(client, aTurn());
    expect(played.error?.message).toContain('Claude Code could not answer');
    expect(played.usage).toEqual({ input_tokens: 25, output_tokens: 24, cost_usd: 0.5 });
    expect(played.sessionCost).toBe(0.5);
  });

  it('reports nothing of a run that did not have the session', async () => {
    const { client } = standIn('claude-code', { forgets: true, steps: [{ text: 'Anew.' }] });
    expect((await play(client, aTurn({ session: 'abc' }))).usages).toHaveLength(1);
  });

  it('continues the session of the previous turn', async () => {
    const { client } = standIn('claude-code', { steps: [{ text: 'More.' }] });
    expect((await play(client, aTurn({ session: 'abc' }))).text).toBe('Resumed abc.\n\nMore.');
  });

  it('sends the history when the program no longer has the session', async () => {
    const { client } = standIn('claude-code', { forgets: true, steps: [{ printInput: true }] });
    const played = await play(client, aTurn({ session: 'abc', history: [{ role: 'user', text: 'EARLIER' }] }));
    expect(played).toMatchObject({ hasEnded: true, error: undefined });
    expect(played.text).toContain('EARLIER');
  });

  it('fails at once when the API key is rejected, instead of waiting for retries', async () => {
    const { client } = standIn('claude-code', {
      steps: [{ retry: { status: 401, error: 'authentication_failed' } }, { hang: true }],
    });
    expect((await play(client, aTurn())).error?.message).toContain('not logged in');
  });

  it('fails with login instructions when the program is not logged in', async () => {
    const { client } = standIn('claude-code', { steps: [{ error: 'Not logged in · Please run /login' }] });
    expect((await play(client, aTurn())).error?.message).toMatch(/is not logged in.*start `claude` once/);
  });

  it('reports that it waits for an overloaded model', async () => {
    const { client } = standIn('claude-code', {
      steps: [{ retry: { status: 529, error: 'overloaded' } }, { text: 'Now.' }],
    });
    expect(await play(client, aTurn())).toMatchObject({ progress: ['waiting for the model'], hasEnded: true });
  });

  it('fails when the program exits 0 without a result', async () => {
    const { client } = standIn('claude-code', { noResult: true, steps: [{ text: 'Half an ans' }] });
    expect((await play(client, aTurn())).error?.message).toBe('Claude Code ended without an answer (exit 0).');
  });

  it('redacts secrets in the output of the program', async () => {
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

describe('a permission request on the claude-code client', () => {
  const permission = { name: 'Bash', input: { command: 'make test' }, reason: 'run the tests' };
  const VARIABLES = ['CLAUDE_CODE_DISABLE_BACKGROUND_TASKS', 'DISABLE_AUTOUPDATER', 'HOME', 'PATH'];

  it('is sent to the operator with the tool, its target and the reason', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const played = await play(client, aTurn(), { decide: 'allow_once' });
    expect(played.asked).toMatchObject([
      {
        ...{ tool: 'Bash', target: 'make test', reason: 'run the tests' },
        detail: { kind: 'command', command: 'make test', environment: VARIABLES },
      },
    ]);
    expect(played.text).toContain('"behavior":"allow","updatedInput":{"command":"make test"}}');
  });

  it('that is always allowed gives the program itself no lasting permission', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const played = await play(client, aTurn(), { decide: 'allow_always' });
    expect(played.text).toContain('"behavior":"allow"');
    expect(played.text).not.toContain('updatedPermissions');
  });

  it('in a run for another program is denied without asking the operator', async () => {
    const { client } = standIn('claude-code', { steps: [{ permission }] });
    const played = await play(client, aTurn({ profile: 'outside' }), { decide: 'allow_always' });
    expect(played.asked).toEqual([]);
    expect(played.text).toContain('"behavior":"deny"');
  });
});

describe('createFlags', () => {
  it('maps the tools of the member to the names of the program', () => {
    const args = createFlags(aTurn({ member: { tools: ['read', 'search', 'web', 'unheard-of'] } }), '/project');
    expect(flag(args, '--tools')).toBe('Read,Grep,Glob,WebFetch,WebSearch');
    expect(flag(createFlags(aTurn({ member: { tools: [] } }), '/project'), '--tools')).toBe('');
  });

  it('allows only reading tools in a run for another program, whatever the member has', () => {
    const args = createFlags(
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

  it('never loads project settings, and denies access to secret files', () => {
    const args = createFlags(aTurn(), '/project');
    expect(flag(args, '--setting-sources')).toBe('user');
    expect(JSON.parse(flag(args, '--settings') ?? '')).toMatchObject({
      permissions: { deny: expect.arrayContaining(['Read(./.mesh/credentials/**)']) },
    });
  });

  it('denies every secret path pattern in a run for another program', () => {
    const { permissions } = JSON.parse(
      flag(createFlags(aTurn({ profile: 'outside' }), '/project'), '--settings') ?? '',
    );
    for (const rule of [
      './**/.npmrc',
      './**/*.pem',
      './**/secrets/**',
      './.mesh/asks/**',
      '//project/.mesh/credentials/**',
    ])
      expect(permissions.deny).toContain(`Read(${rule})`);
  });

  it('is used with the separate working folder only in a run for another program', async () => {
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
  ])('maps model %s to %s', (asked, given) => {
    expect(flag(createFlags(aTurn({ member: { model: asked } }), '/project'), '--model')).toBe(given);
  });

  it('rejects a model name that would be parsed as a flag', () => {
    expect(() => createFlags(aTurn({ member: { model: '--dangerously-skip-permissions' } }), '/project')).toThrow(
      'no model',
    );
  });

  it('passes the effort only where the program supports it', () => {
    expect(flag(createFlags(aTurn({ member: { effort: 'high' } }), '/project'), '--effort')).toBe('high');
    for (const effort of ['default', 'minimal'])
      expect(createFlags(aTurn({ member: { effort } }), '/project')).not.toContain('--effort');
  });
});

describe('the probe of the claude-code client', () => {
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

  it('reports not ready with installation instructions when the program is missing', async () => {
    const probed = await at(temporaryFolder()).probe();
    expect(probed.ready).toBe(false);
    expect(probed.reason).toContain('npm install -g @anthropic-ai/claude-code');
    expect((await play(at(temporaryFolder()), aTurn())).error?.message).toContain('not on this machine');
  });

  it('ignores a program in the working folder', async () => {
    expect((await at('.:').probe()).ready).toBe(false);
  });
});
