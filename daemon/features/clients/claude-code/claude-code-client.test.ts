import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import {
  ProcessError,
  type ProcessGroup,
  ProcessGroups,
  type Program,
} from '../../../storage/processes/process-group.js';
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
  it('gives the program all that a turn of the operator needs', () => {
    const turn = aTurn({
      session: 's-1',
      member: { tools: ['read', 'edit'], effort: 'max', limits: { turns: 7, minutes: 1 } },
    });
    const secrets = ['Read', 'Edit'].flatMap((tool) =>
      ['credentials', 'state'].map((folder) => `${tool}(./.mesh/${folder}/**)`),
    );
    expect(createFlags(turn, '/project')).toEqual([
      '-p',
      ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
      ...['--permission-prompt-tool', 'stdio', '--permission-mode', 'default', '--setting-sources', 'user'],
      ...['--strict-mcp-config', '--disable-slash-commands', '--no-chrome', '--tools', 'Read,Edit,Write,NotebookEdit'],
      ...['--settings', JSON.stringify({ permissions: { deny: secrets } })],
      ...['--model', 'opus', '--effort', 'max', '--max-turns', '7', '--resume', 's-1'],
    ]);
  });

  it('resumes no session where there is none', () => {
    expect(createFlags(aTurn(), '/project')).not.toContain('--resume');
  });

  it.each([
    ['read', 'Read'],
    ['search', 'Grep,Glob'],
    ['edit', 'Edit,Write,NotebookEdit'],
    ['execute', 'Bash,TaskOutput,TaskStop'],
    ['web', 'WebFetch,WebSearch'],
    ['agent', 'Task'],
    ['todo', 'TodoWrite,TaskCreate,TaskGet,TaskList,TaskUpdate'],
    ['ask', ''],
  ])('knows what the tool %s is called', (tool, names) => {
    const args = createFlags(aTurn({ member: { tools: [tool, tool] } }), '/project');
    expect(flag(args, '--tools')).toBe(names);
    expect(args).not.toContain('--disallowedTools');
  });

  it('refuses every tool but two in a run for another program, by name', () => {
    expect(flag(createFlags(aTurn({ profile: 'outside' }), '/project'), '--disallowedTools')).toBe(
      'Glob,Edit,Write,NotebookEdit,Bash,TaskOutput,TaskStop,WebFetch,WebSearch,Task,TodoWrite,TaskCreate,TaskGet,' +
        'TaskList,TaskUpdate',
    );
  });

  it('names the server of the daemon’s own tools, and no token', () => {
    const tool_server = { url: 'http://127.0.0.1:9/mcp', token: 'tt_1' };
    const headers = { Authorization: 'Bearer $' + '{MESHD_TURN_TOKEN}' };
    expect(JSON.parse(flag(createFlags(aTurn({ tool_server }), '/project'), '--mcp-config') ?? '')).toEqual({
      mcpServers: { meshd: { type: 'http', url: tool_server.url, headers } },
    });
    expect(createFlags(aTurn(), '/project')).not.toContain('--mcp-config');
  });

  it.each([
    [undefined, false],
    ['/project', false],
    ['/worktree', true],
  ])('denies the secrets of the project in another folder too: %j', (folder, isDenied) => {
    const turn = aTurn(folder === undefined ? {} : { folder });
    const { permissions } = JSON.parse(flag(createFlags(turn, '/project'), '--settings') ?? '');
    expect(permissions.deny.filter((rule: string) => rule.includes('//project'))).toEqual(
      isDenied
        ? [
            'Read(//project/.mesh/credentials/**)',
            'Read(//project/.mesh/state/**)',
            'Edit(//project/.mesh/credentials/**)',
            'Edit(//project/.mesh/state/**)',
          ]
        : [],
    );
  });

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
      './.mesh/credentials/**',
      './.mesh/state/**',
      './.git/**',
      '//project/.mesh/credentials/**',
      '//project/.git/**',
      '//project/.mesh/asks/**',
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
    ['default', 'opus'],
    ['sonnet', 'sonnet'],
    ['claude-opus-4-8[1m]', 'claude-opus-4-8[1m]'],
    ['us.anthropic.claude-x:0', 'us.anthropic.claude-x:0'],
  ])('maps model %s to %s', (asked, given) => {
    expect(flag(createFlags(aTurn({ member: { model: asked } }), '/project'), '--model')).toBe(given);
  });

  it('rejects a model name that would be parsed as a flag', () => {
    expect(() => createFlags(aTurn({ member: { model: '--dangerously-skip-permissions' } }), '/project')).toThrow(
      'Claude Code has no model `--dangerously-skip-permissions`: name one like opus, sonnet, haiku.',
    );
  });

  it.each(['', ' opus', 'opus x', 'opus\n', 'a,b', '.a', 'a"'])('rejects the model name %j', (model) => {
    expect(() => createFlags(aTurn({ member: { model } }), '/project')).toThrow('no model');
  });

  it.each(['a', 'A1.b_c:/@[x]-'])('accepts the model name %j', (model) => {
    expect(flag(createFlags(aTurn({ member: { model } }), '/project'), '--model')).toBe(model);
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

describe('a run of the program', () => {
  interface Script {
    lines?: readonly unknown[];
    failure?: Error;
    exit?: { code: number | null; signal: string | null };
    stderr?: string;
    environment?: Record<string, string>;
    /** Called as the program starts; it then writes nothing until it is stopped. */
    onStart?: () => void;
  }

  /** The client on a program that writes what the test says. */
  function scripted({ lines = [], failure, exit, stderr = '', environment = {}, onStart }: Script) {
    const seen = { programs: [] as Program[], written: '', finished: [] as number[], stops: 0 };
    let end: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      end = resolve;
    });
    const group = {
      async *lines() {
        if (onStart) await stopped;
        for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line);
        if (failure) throw failure;
      },
      write: async (text: string) => {
        seen.written += text;
      },
      finish: async (ms: number) => {
        seen.finished.push(ms);
        return exit ?? { code: 0, signal: null };
      },
      stop: async () => {
        seen.stops += 1;
        end();
      },
      holdQuiet: () => () => undefined,
      stderrTail: stderr,
    } as unknown as ProcessGroup;
    const start = async (program: Program) => {
      seen.programs.push(program);
      onStart?.();
      return group;
    };
    const client = new ClaudeCodeClient({
      root: '/project',
      outside: { prepare: async () => '/outside' },
      processes: { start } as unknown as ProcessGroups,
      clock: systemClock,
      environment: { PATH: '/bin', ANTHROPIC_API_KEY: 'key-of-mine', OPENAI_API_KEY: 'canary', ...environment },
      command: [process.execPath, '--first'],
    });
    return { client, seen };
  }

  const answer = { type: 'result', subtype: 'success', result: 'Words.' };

  it('starts the command with the flags, in its folder, with its own environment', async () => {
    const { client, seen } = scripted({ lines: [answer] });
    const turn = aTurn({
      folder: '/worktree',
      environment: { PORT: '1' },
      tool_server: { url: 'http://a', token: 'tt_1' },
    });
    expect(await play(client, turn)).toMatchObject({ text: 'Words.', hasEnded: true });
    expect(seen.programs).toEqual([
      {
        bin: process.execPath,
        args: ['--first', ...createFlags(turn, '/project')],
        cwd: '/worktree',
        environment: {
          ...{ PATH: '/bin', ANTHROPIC_API_KEY: 'key-of-mine', PORT: '1', MESHD_TURN_TOKEN: 'tt_1' },
          ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
        },
        hasLongLines: true,
      },
    ]);
  });

  it('is given the brief and the message in two lines', async () => {
    const { client, seen } = scripted({ lines: [answer] });
    await play(client, aTurn({ text: 'What?', member: { body: 'BODY' } }));
    const [initialize, message, rest] = seen.written.split('\n');
    expect(rest).toBe('');
    expect(JSON.parse(initialize ?? '')).toEqual({
      type: 'control_request',
      request_id: 'meshd-initialize',
      request: { subtype: 'initialize', hooks: null, appendSystemPrompt: expect.stringContaining('BODY') },
    });
    const content = [{ type: 'text', text: expect.stringContaining('What?') }];
    expect(JSON.parse(message ?? '')).toEqual({
      ...{ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' },
    });
  });

  it('is given the history only where it goes on with no session', async () => {
    for (const session of [null, 's-1']) {
      const { client, seen } = scripted({ lines: [answer] });
      await play(client, aTurn({ session, history: [{ role: 'user', text: 'EARLIER' }] }));
      expect(seen.written.includes('EARLIER')).toBe(session === null);
    }
  });

  it('has two seconds to exit after its result, and what it says then counts no more', async () => {
    const late = { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Late.' }] } };
    const { client, seen } = scripted({ lines: [answer, late, { ...answer, result: 'Other.' }] });
    expect((await play(client, aTurn())).text).toBe('Words.');
    expect([...new Set(seen.finished)]).toEqual([2_000]);
    expect(seen.finished).toHaveLength(2);
    expect([seen.programs.length, seen.stops]).toEqual([1, 1]);
  });

  it('is begun a second time where its session is gone', async () => {
    const result = 'No conversation found with session ID: s-1';
    const { client, seen } = scripted({ lines: [{ ...answer, is_error: true, result }] });
    const played = await play(client, aTurn({ session: 's-1' }));
    expect(seen.programs.map(({ args }) => args.includes('--resume'))).toEqual([true, false]);
    expect(played.error?.message).toBe(`Claude Code could not answer: ${result}`);
  });

  const LOGGED_OUT =
    'Claude Code is not logged in, or its key is refused: start `claude` once and log in, or set ANTHROPIC_API_KEY.';

  it.each([
    ['Not logged in', LOGGED_OUT],
    ['Invalid API key · Fix it', LOGGED_OUT],
    ['Please run /login', LOGGED_OUT],
    ['Please run /login.', LOGGED_OUT],
    ['See /logins', 'Claude Code could not answer: See /logins'],
    ['It says: Not logged in', 'Claude Code could not answer: It says: Not logged in'],
    ['It says: Invalid API key', 'Claude Code could not answer: It says: Invalid API key'],
    ['No key-of-mine today', 'Claude Code could not answer: No [redacted] today'],
  ])('that fails with %j says %j', async (result, message) => {
    const { client } = scripted({ lines: [{ ...answer, is_error: true, result }] });
    expect((await play(client, aTurn())).error?.message).toBe(message);
  });

  it('keeps every key of its provider out of its words, and not the address', async () => {
    const environment = {
      ANTHROPIC_AUTH_TOKEN: 'token-of-mine',
      CLAUDE_CODE_OAUTH_TOKEN: 'oauth-of-mine',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      CLAUDE_CONFIG_DIR: '/home/me/.claude',
    };
    const result = Object.values(environment).join(' ');
    const { client } = scripted({ lines: [{ ...answer, is_error: true, result }], environment });
    expect((await play(client, aTurn())).error?.message).toBe(
      'Claude Code could not answer: [redacted] [redacted] http://127.0.0.1:9 /home/me/.claude',
    );
  });

  it('keeps the login of its proxy and the passphrase of its certificate out of its words, and not the files', async () => {
    const environment = {
      HTTPS_PROXY: 'http://me:hunter-twelve@proxy:3128',
      CLAUDE_CODE_CLIENT_KEY: '/home/me/client.key',
      CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'open-sesame',
    };
    const stderr = 'hunter-twelve of bWU6aHVudGVyLXR3ZWx2ZQ==, /home/me/client.key with open-sesame';
    const { client } = scripted({ exit: { code: 3, signal: null }, stderr, environment });
    expect((await play(client, aTurn())).error?.message).toBe(
      'Claude Code ended without an answer (exit 3): [redacted] of [redacted], /home/me/client.key with [redacted]',
    );
  });

  it.each([
    [{ code: 3, signal: null }, '', 'Claude Code ended without an answer (exit 3).'],
    [{ code: null, signal: 'SIGKILL' }, 'out of luck\n', 'Claude Code ended without an answer (SIGKILL): out of luck'],
  ])('that ends without a result says how: %j', async (exit, stderr, message) => {
    const { client } = scripted({ exit, stderr });
    expect((await play(client, aTurn())).error?.message).toBe(message);
  });

  it.each([
    [
      new ProcessError('idle', 'The program has said nothing.'),
      'Claude Code was stopped. The program has said nothing.',
    ],
    [new Error('Something else.'), 'Something else.'],
  ])('that is ended by the daemon says why: %#', async (failure, message) => {
    const { client, seen } = scripted({ failure });
    expect((await play(client, aTurn())).error?.message).toBe(message);
    expect(seen.stops).toBeGreaterThan(0);
  });

  it('is not begun in a turn that was stopped before, and throws the reason of one that is stopped', async () => {
    const { client, seen } = scripted({ lines: [answer] });
    const early = await play(client, aTurn(), { signal: AbortSignal.abort(new Error('early')) });
    expect([early.error?.message, seen.programs]).toEqual(['early', []]);
    const off = new AbortController();
    const use = { type: 'tool_use', id: 't-1', name: 'Read', input: {} };
    const reading = { type: 'assistant', message: { id: 'm', content: [use] } };
    const running = scripted({ lines: [reading, answer] });
    const played = await play(running.client, aTurn(), {
      signal: off.signal,
      onCall: () => off.abort(new Error('stopped')),
    });
    expect([played.error?.message, played.hasEnded]).toEqual(['stopped', false]);
    expect(running.seen.stops).toBeGreaterThan(1);
  });

  it('is stopped in a turn that was stopped while it started', async () => {
    const off = new AbortController();
    const { client } = scripted({ lines: [answer], onStart: () => off.abort(new Error('stopped')) });
    const played = await play(client, aTurn(), { signal: off.signal });
    expect([played.error?.message, played.text]).toEqual(['stopped', '']);
  });

  it('watches for the stop of the turn only while it runs', async () => {
    const { signal } = new AbortController();
    await play(scripted({ lines: [answer] }).client, aTurn(), { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
