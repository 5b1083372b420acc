import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import {
  ProcessError,
  type ProcessGroup,
  ProcessGroups,
  type Program,
} from '../../../storage/processes/process-group.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { aTurn, play, standIn } from '../../../testing/stand-ins/stand-in.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { EventQueue } from '../agent-program-queue.js';
import { AcpClient } from './acp-client.js';
import { ACP_PROGRAMS } from './acp-programs.js';

const model = {
  id: 'model',
  category: 'model',
  type: 'select',
  currentValue: 'lab/one',
  options: [
    { value: 'lab/one', name: 'One' },
    { value: 'lab/two', name: 'Two' },
  ],
};
const effort = {
  id: 'think',
  category: 'thought_level',
  type: 'select',
  currentValue: 'low',
  options: [{ value: 'low' }, { value: 'high' }],
};

describe('a turn on the acp client', () => {
  it('streams text, tool calls, the session and the usage', async () => {
    const tool = { title: 'README.md', kind: 'read', input: { path: 'README.md' }, output: '# A project' };
    const { client } = standIn('acp', { steps: [{ text: 'I look. ' }, { tool }, { text: 'It is a project.' }] });
    const played = await play(client, aTurn());
    expect(played.text).toBe('I look. \n\nIt is a project.');
    expect(played.usage).toEqual({ input_tokens: 11, output_tokens: 7 });
    expect(played.calls.at(-1)).toMatchObject({
      name: 'read',
      target: 'README.md',
      state: 'done',
      output: '# A project',
      ms: expect.any(Number),
    });
    expect(played).toMatchObject({ hasEnded: true, error: undefined });
  });

  it('reports the cost of the turn, not that of its whole session', async () => {
    const steps = [{ cost: 0.4 }, { cost: 0.5 }, { text: 'Done.' }];
    const { client } = standIn('acp', { session: 'kept', steps });
    const first = await play(client, aTurn());
    expect([first.usage?.cost_usd, first.sessionCost]).toEqual([0.5, 0.5]);
    const next = await play(client, aTurn({ session: 'kept', session_cost_usd: 0.3 }));
    expect(next.usages.map(({ cost_usd }) => cost_usd)).toEqual([0.1, 0.2, 0.2]);
    const anew = await play(client, aTurn({ session: 'kept', session_cost_usd: 2 }));
    expect(anew.usage?.cost_usd).toBe(0.5);
  });

  it.each([
    ['@agentclientprotocol/claude-agent-acp', '0.79.0', 0.5],
    ['@zed-industries/claude-code-acp', '0.16.2', 0.5],
    ['@agentclientprotocol/claude-agent-acp', '0.80.0', 0.2],
    ['@agentclientprotocol/claude-agent-acp', '0.101.0', 0.2],
    ['opencode', '0.79.0', 0.2],
  ])('knows whether %s %s counts the cost of a continued session anew', async (name, version, cost) => {
    const hello = { agentInfo: { name, version } };
    const { client } = standIn('acp', { session: 'kept', hello, steps: [{ cost: 0.5 }, { text: 'Done.' }] });
    const played = await play(client, aTurn({ session: 'kept', session_cost_usd: 0.3 }));
    expect([played.usage?.cost_usd, played.sessionCost]).toEqual([cost, 0.5]);
  });

  it('continues the session of the previous turn without sending the history again', async () => {
    const { client } = standIn('acp', { session: 'kept', steps: [{ printInput: true }] });
    const played = await play(client, aTurn({ session: 'kept', member: { body: 'BODY' } }));
    expect(played.sessions).toEqual(['kept']);
    expect(played.text).toContain('session/load');
    expect(played.text).not.toMatch(/OLD WORDS|BODY/);
  });

  it('uses session/resume instead of session/load where the agent supports it', async () => {
    const { client } = standIn('acp', {
      session: 'kept',
      hello: { agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } },
      steps: [{ printInput: true }],
    });
    expect((await play(client, aTurn({ session: 'kept' }))).text).toContain('session/resume');
  });

  it('sends gemini the history in a new session, because it replays a loaded one among the new answer', async () => {
    const { client } = standIn(
      'acp',
      { session: 'kept', replaysLate: true, steps: [{ text: 'New words.' }, { printInput: true }] },
      { called: 'gemini' },
    );
    const played = await play(client, aTurn({ session: 'kept', history: [{ role: 'user', text: 'EARLIER' }] }));
    expect(played).toMatchObject({ sessions: ['kept'], hasEnded: true, error: undefined });
    expect(played.text).toMatch(/^New words\./);
    expect(played.text).toMatch(/session\/new.*EARLIER/s);
    expect(played.text).not.toMatch(/OLD WORDS|session\/load/);
  });

  it('sends the history when the agent no longer has the session', async () => {
    const { client } = standIn('acp', { forgets: true, steps: [{ printInput: true }] });
    const played = await play(client, aTurn({ session: 'gone', history: [{ role: 'assistant', text: 'EARLIER' }] }));
    expect(played.text).toContain('EARLIER');
    expect(played.hasEnded).toBe(true);
  });

  it.each([
    ['refusal', 'refused to answer'],
    ['max_turn_requests', 'limit of steps'],
    ['cancelled', 'called the turn off'],
    ['end_turn', 'without an answer'],
  ])('fails when the agent ends it with stop reason %s', async (stop, message) => {
    const { client } = standIn('acp', { steps: [{ stop }] });
    expect((await play(client, aTurn())).error?.message).toContain(message);
  });

  it.each([
    // The output leaves out the thoughts, has them, or the total is missing or wrong.
    [{ inputTokens: 10, outputTokens: 5, thoughtTokens: 300, cachedReadTokens: 90, totalTokens: 405 }, [100, 305]],
    [{ inputTokens: 10, outputTokens: 305, thoughtTokens: 300, cachedReadTokens: 90, totalTokens: 405 }, [100, 305]],
    [{ inputTokens: 10, outputTokens: 5, thoughtTokens: 300 }, [10, 5]],
    [{ inputTokens: 10, outputTokens: 5, totalTokens: 12 }, [10, 5]],
  ])('counts the thoughts among the output: %j', async (reported, counts) => {
    const { client } = standIn('acp', { usage: reported, steps: [{ text: 'Done.' }] });
    const { usage } = await play(client, aTurn());
    expect([usage?.input_tokens, usage?.output_tokens]).toEqual(counts);
  });

  it.each([
    ['opencode', '1.18.33', undefined],
    ['opencode', undefined, undefined],
    ['opencode', '2.0.0', 11],
    ['codex-acp', '2.1.1', undefined],
    ['codex-acp', '2.2.1', 11],
    ['claude-agent-acp', '0.79.0', 11],
  ])(
    'leaves out the tokens of %s %s where they are those of its last request only',
    async (called, version, tokens) => {
      const hello = { agentInfo: { name: called, version } };
      const { client } = standIn('acp', { hello, steps: [{ cost: 0.5 }, { text: 'Done.' }] }, { called });
      const { usage } = await play(client, aTurn());
      expect([usage?.input_tokens, usage?.cost_usd]).toEqual([tokens, 0.5]);
    },
  );

  it.each(['refusal', 'max_turn_requests', 'cancelled', 'end_turn'])(
    'reports what it has taken when it ends unanswered with stop reason %s',
    async (stop) => {
      const usage = { inputTokens: 90, outputTokens: 5, totalTokens: 95 };
      const { client } = standIn('acp', { usage, steps: [{ cost: 0.5 }, { stop }] });
      const played = await play(client, aTurn());
      expect(played.error).toBeDefined();
      expect(played.usage).toEqual({ input_tokens: 90, output_tokens: 5, cost_usd: 0.5 });
    },
  );

  it('sends session/cancel to the agent before it stops the process group', async () => {
    const tool = { title: 'make', kind: 'execute', input: { command: 'make' }, unfinished: true };
    for (const deafToCancel of [false, true]) {
      const { client } = standIn('acp', { deafToCancel, steps: [{ tool }, { hang: true }] });
      const off = new AbortController();
      const played = await play(client, aTurn(), {
        signal: off.signal,
        onCall: () => off.abort(new Error('deadline')),
      });
      expect(played.error?.message).toBe('deadline');
      expect(played.calls.at(-1)?.state).toBe('failed');
      expect(played.ms > 2_000).toBe(deafToCancel);
    }
  });

  it('fails with login instructions when the agent is not logged in', async () => {
    const { client } = standIn('acp', { loggedOut: true, steps: [] });
    expect((await play(client, aTurn())).error?.message).toMatch(/is not logged in: start it once.*\(Log in\)/);
  });

  it('fails after thirty seconds when the program does not answer the initialize request', async () => {
    const { root, processes } = standIn('acp', { silent: true, steps: [] }, { limits: { idleMs: 60_000 } });
    const clock = new FakeClock();
    const command = [process.execPath, '-e', 'process.stdin.resume()'] as const;
    const client = new AcpClient({
      root,
      outside: { prepare: async () => root },
      processes,
      clock,
      environment: { PATH: process.env['PATH'] },
      command,
    });
    const playing = play(client, aTurn());
    const beat = setInterval(() => clock.advance(1_000), 20);
    const played = await playing;
    clearInterval(beat);
    expect(played.error?.message).toContain('did not answer the greeting of the Agent Client Protocol within 30 s');
  });
});

describe('the model and the effort on the acp client', () => {
  it('are set through the config options that the session offers', async () => {
    const { client } = standIn('acp', { offers: { configOptions: [model, effort] }, steps: [{ printInput: true }] });
    const played = await play(client, aTurn({ member: { model: 'two', effort: 'high' } }));
    expect(played.text).toContain('"configId":"model","value":"lab/two"');
    expect(played.text).toContain('"configId":"think","value":"high"');
    expect(client.models()).toEqual(['default', 'lab/one', 'lab/two']);
    expect(client.efforts()).toEqual(['low', 'high']);
  });

  it('are set through session/set_model where the agent offers only the older interface', async () => {
    const models = {
      currentModelId: 'auto',
      availableModels: [
        { modelId: 'auto', name: 'Auto' },
        { modelId: 'pro', name: 'Pro' },
      ],
    };
    const { client } = standIn('acp', { offers: { models }, steps: [{ printInput: true }] });
    expect((await play(client, aTurn({ member: { model: 'pro' } }))).text).toContain(
      '"method":"session/set_model","params":{"sessionId"',
    );
  });

  it('fail the turn when the session does not offer them; no other model is used', async () => {
    const offering = standIn('acp', { offers: { configOptions: [model] }, steps: [{ text: 'x' }] });
    expect((await play(offering.client, aTurn({ member: { model: 'three' } }))).error?.message).toContain(
      'offers no model `three`. It offers lab/one, lab/two.',
    );
    const silent = standIn('acp', { steps: [{ text: 'x' }] });
    expect((await play(silent.client, aTurn({ member: { model: 'three' } }))).error?.message).toContain(
      'lets no model be chosen',
    );
  });
});

describe('a permission request on the acp client', () => {
  const permission = { title: 'make test', kind: 'execute', input: { command: 'make test' } };
  const only = (...kinds: string[]) => kinds.map((kind) => ({ optionId: `o-${kind}`, kind, name: kind }));

  it.each([
    ['allow_once', undefined, 'once'],
    ['allow_always', undefined, 'once'],
    ['allow_always', only('allow_always'), 'cancelled'],
    ['deny', undefined, 'no'],
    ['allow_always', only('allow_once', 'reject_once'), 'o-allow_once'],
    ['deny', only('allow_once', 'reject_always'), 'o-reject_always'],
    ['allow_once', only('allow_always'), 'cancelled'],
    ['deny', only('allow_once'), 'cancelled'],
  ] as const)('with decision %s selects no lasting option', async (decision, options, chosen) => {
    const { client } = standIn('acp', { steps: [{ permission: { ...permission, options } }] });
    expect((await play(client, aTurn(), { decide: decision })).text).toContain(`"${chosen}"`);
  });

  it('for a change of a large file is asked once, with its texts cut', async () => {
    const [oldText, newText] = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    const content = [{ type: 'diff', path: 'large.ts', oldText, newText }];
    const { client } = standIn('acp', {
      steps: [{ permission: { title: 'large.ts', kind: 'edit', input: {}, content } }],
    });
    const played = await play(client, aTurn(), { decide: 'allow_once' });
    expect(played.error).toBeUndefined();
    expect(played.text).toContain('"once"');
    expect(played.asked.map(({ detail }) => detail)).toEqual([
      {
        kind: 'edit',
        changes: [{ path: 'large.ts', old_text: 'a'.repeat(65_536), new_text: 'b'.repeat(65_536), cut: true }],
      },
    ]);
  });

  it('for a tool that the member does not have is denied without asking the operator', async () => {
    const { client } = standIn('acp', { steps: [{ permission }] });
    const played = await play(client, aTurn({ member: { tools: ['read'] } }), { decide: 'allow_once' });
    expect(played.asked).toEqual([]);
    expect(played.text).toContain('"no"');
  });
});

describe('a question of another program on the acp client', () => {
  const outside = aTurn({ profile: 'outside' });
  const reads = (path: string) => ({ permission: { title: path, kind: 'read', input: { path } } });

  it('runs in the read-only mode of the agent', async () => {
    const { client } = standIn('acp', { steps: [{ printInput: true }] });
    expect((await play(client, outside)).text).toContain('"modeId":"plan"');
  });

  it('fails when the agent has no read-only mode', async () => {
    const { client } = standIn('acp', { offers: { modes: null }, steps: [{ text: 'x' }] });
    expect((await play(client, outside)).error?.message).toContain('no mode in which it only reads');
  });

  it.each([
    [reads('README.md'), 'once'],
    [reads('../elsewhere'), 'no'],
    [reads('/etc/passwd'), 'no'],
    [reads('.mesh/credentials/team-tokens.json'), 'no'],
    [reads('a/../.mesh/state/mesh.db'), 'no'],
    [reads('.mesh/asks/consultant.md'), 'no'],
    [reads('.env.local'), 'no'],
    [reads('~/.netrc'), 'no'],
    [reads('file:///etc/passwd'), 'no'],
    [reads('.mesh'), 'no'],
    [reads('.me\u017fh/asks/consultant.md'), 'no'],
    [reads('.\u017fsh/id'), 'no'],
    [reads('.npmrc'), 'no'],
    [reads('certs/server.pem'), 'no'],
    [reads('secrets/db.yaml'), 'no'],
    [reads('.env.example'), 'once'],
    [reads(`${'a/../'.repeat(1_000)}README.md`), 'no'],
    [reads('a/'.repeat(200_000)), 'no'],
    [{ permission: { title: 'no path', kind: 'read', input: {} } }, 'no'],
    [{ permission: { title: 'ls', kind: 'execute', input: { command: 'ls', path: 'README.md' } } }, 'no'],
    [{ permission: { title: 'write', kind: 'edit', input: { path: 'README.md' } } }, 'no'],
    [{ permission: { title: 'get', kind: 'fetch', input: { url: 'http://127.0.0.1' } } }, 'no'],
    [{ permission: { title: 'odd', input: { path: 'README.md' } } }, 'no'],
  ])('may only read the project, without asking the operator: step %#', async (step, chosen) => {
    const { client } = standIn('acp', { steps: [step] });
    const played = await play(client, outside, { decide: 'allow_always' });
    expect(played.asked).toEqual([]);
    expect(played.text).toContain(`"${chosen}"`);
  });

  it('cannot read a forbidden path through a symbolic link of the project', async () => {
    const links = ['secrets/team-tokens.json', 'secrets', 'hosts', 'gone/of/it'];
    const { client, root } = standIn('acp', { steps: [...links, 'readme'].map(reads) });
    putFiles(root, { '.mesh/credentials/team-tokens.json': '{}' });
    symlinkSync('.mesh/credentials', join(root, 'secrets'));
    symlinkSync('/etc/hosts', join(root, 'hosts'));
    symlinkSync('../not-there', join(root, 'gone'));
    symlinkSync('README.md', join(root, 'readme'));
    const played = await play(client, outside);
    expect([...played.text.matchAll(/"optionId":"(\w+)"/g)].map(([, option]) => option)).toEqual([
      'no',
      'no',
      'no',
      'no',
      'once',
    ]);
  });

  it.each(['/etc/hostname', '../elsewhere.md', 'file:///etc/hostname', '~/.netrc'])(
    'is stopped after the agent has read %s, outside its working folder',
    async (path) => {
      const tool = { title: 'cat', kind: 'read', input: { path }, output: 'WORDS' };
      const { client } = standIn('acp', { steps: [{ tool }, { wait: 1_000 }, { text: 'It says WORDS.' }] });
      const played = await play(client, outside);
      expect(played.error?.message).toContain('did something in a run that may only read (read)');
      expect(played.text).toBe('');
    },
  );

  it('is stopped after the agent did more than read', async () => {
    const tool = { title: 'curl', kind: 'execute', input: { command: 'curl' } };
    const { client } = standIn('acp', { steps: [{ tool }, { wait: 1_000 }, { text: 'Sent.' }] });
    const played = await play(client, outside);
    expect(played.error?.message).toContain('did something in a run that may only read (execute)');
    expect(played.text).toBe('');
  });
});

describe('the probe of the acp client', () => {
  it('reports not ready and lists the built-in programs when none is on the PATH', async () => {
    const processes = new ProcessGroups(temporaryFolder(), systemClock);
    const client = new AcpClient({
      root: '/',
      outside: { prepare: async () => '/' },
      processes,
      clock: systemClock,
      environment: { PATH: temporaryFolder() },
    });
    const { ready, reason } = await client.probe();
    expect(ready).toBe(false);
    for (const name of ['gemini --acp', 'opencode acp', 'claude-agent-acp', 'codex-acp'])
      expect(reason).toContain(name);
  });

  /** A client whose machine has the one program. */
  function withProgram(name: string, root: string, home = temporaryFolder(), outside = root) {
    const path = temporaryFolder({ [name]: '#!/bin/sh\n' });
    chmodSync(join(path, name), 0o755);
    return new AcpClient({
      root,
      outside: { prepare: async () => outside },
      processes: new ProcessGroups(temporaryFolder(), systemClock),
      clock: systemClock,
      environment: { PATH: `${path}:${process.env['PATH']}`, HOME: home },
    });
  }
  const ready = { ready: true, reason: null };

  it.each([
    ['opencode', '.opencode/plugin/x.js', '.opencode/plugin'],
    ['gemini', '.gemini/settings.json'],
    ['gemini', '.gemini/extensions/x/gemini-extension.json', '.gemini/extensions'],
    ['gemini', '.gemini/policies/x.toml', '.gemini/policies'],
    ['gemini', '.gemini/.env'],
    ['gemini', '.env'],
    ['claude-agent-acp', '.claude/settings.json'],
    ['claude-agent-acp', '.mcp.json'],
    ['codex-acp', '.codex/config.toml'],
    ['codex-acp', '.codex/config.override.toml'],
    ['codex-acp', '.codex/hooks.json'],
    ['codex-acp', '.codex/rules/x.rules', '.codex/rules'],
    ['codex-acp', '.codex/agents/x.toml', '.codex/agents'],
  ])('reports not ready: %s beside a tracked %s', async (program, file, named = file) => {
    const hostile = temporaryRepository({ [file]: '', 'inner/README.md': '' });
    for (const root of [hostile, join(hostile, 'inner')]) {
      const client = withProgram(program, root);
      expect((await client.probe()).reason).toContain(`${hostile}/${named} says without asking`);
      expect((await play(client, aTurn())).error?.message).toContain('choose another client, or remove the file');
    }
    // In a worktree of another branch too.
    const worktree = temporaryRepository({ a: 'a' });
    const played = await play(withProgram(program, hostile), aTurn({ folder: worktree }));
    expect(played.error?.message).toContain('without asking');
    expect(await withProgram(program, worktree).probe()).toEqual(ready);
  });

  it.each([
    ['gemini', { '.gemini/settings.json': '', '.env': '' }],
    ['opencode', { '.opencode/plugin/x.js': '' }],
    ['claude-agent-acp', { '.claude/settings.json': '', '.mcp.json': '' }],
    ['codex-acp', { '.codex/config.toml': '' }],
  ])('is ready for %s beside the settings in the home folder', async (program, files) => {
    const home = temporaryFolder({ ...files, 'work/project/README.md': '' });
    expect(await withProgram(program, join(home, 'work/project'), home).probe()).toEqual(ready);
    expect((await withProgram(program, join(home, 'work/project')).probe()).ready).toBe(false);
  });

  it('is ready for gemini beside variables that git does not track', async () => {
    const root = temporaryRepository({ '.gitignore': '.env\n' });
    putFiles(root, { '.env': 'A=1\n' });
    expect(await withProgram('gemini', root).probe()).toEqual(ready);
    expect((await withProgram('gemini', temporaryFolder({ '.env': '' })).probe()).reason).toContain('/.env says');
  });

  it.each([
    ['gemini', '.mesh/.env'],
    ['claude-agent-acp', '.mesh/.mcp.json'],
  ])('is not run for other programs: %s beside %s, above its working folder', async (program, file) => {
    const root = temporaryRepository({ [file]: '' });
    putFiles(root, { '.mesh/state/outside/.git/HEAD': 'ref: refs/heads/main\n' });
    const client = withProgram(program, root, temporaryFolder(), join(root, '.mesh/state/outside'));
    const played = await play(client, aTurn({ profile: 'outside' }));
    expect(played.error?.message).toContain(`${file} says without asking`);
  });

  it('reports not ready when the only program of this name is one of the project', async () => {
    const root = temporaryRepository({ 'node_modules/.bin/gemini': '#!/bin/sh\n', 'app/README.md': '' });
    const bin = join(root, 'node_modules/.bin');
    chmodSync(join(bin, 'gemini'), 0o755);
    const parts = { outside: { prepare: async () => root }, clock: systemClock };
    const processes = new ProcessGroups(temporaryFolder(), systemClock);
    for (const PATH of [bin, './node_modules/.bin'])
      for (const place of [root, join(root, 'app')]) {
        const client = new AcpClient({ ...parts, root: place, processes, environment: { PATH } });
        expect((await client.probe()).reason).toContain("is not on this machine's PATH");
      }
  });

  it('turns off the settings of a project for both versions of opencode', async () => {
    const { fixed } = ACP_PROGRAMS.find(({ command }) => command[0] === 'opencode') ?? {};
    expect(fixed).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_CONFIG_PROJECT_DISABLE: '1' });
  });
});

describe('the program that the acp client runs', () => {
  interface Installed {
    names: readonly string[];
    root?: string;
    command?: readonly [string, ...string[]];
    keys?: readonly string[];
    environment?: Record<string, string>;
    /** Answers the requests of the daemon; `undefined` ends the output of the agent. */
    reply?: (method: string) => object | undefined;
    failure?: Error;
    exit?: { code: number | null; signal: string | null };
    stderr?: string;
    /** How many pieces its answer has. */
    pieces?: number;
  }

  const answering = (method: string): object =>
    ({
      initialize: { protocolVersion: 1 },
      'session/new': { sessionId: 's-1', modes: { availableModes: [{ id: 'plan' }] } },
      'session/prompt': { stopReason: 'end_turn' },
    })[method] ?? {};

  /** The client on a machine with these programs, which are not started: the test answers for them. */
  function machine({ names, root = temporaryFolder(), command, keys, environment = {}, ...script }: Installed) {
    const bin = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
    for (const name of names) chmodSync(join(bin, name), 0o755);
    const seen = { programs: [] as Program[], stops: [] as (number | undefined)[], finished: [] as number[] };
    const start = async (program: Program) => {
      seen.programs.push(program);
      const lines = new EventQueue<string>();
      const say = (message: object) => void lines.push(JSON.stringify({ jsonrpc: '2.0', ...message }));
      return {
        lines: () => lines.read(),
        write: async (text: string) => {
          const { id, method } = JSON.parse(text) as { id: unknown; method: string };
          const result = (script.reply ?? answering)(method);
          if (!result) return lines.end();
          const content = { type: 'text', text: 'Words.' };
          const update = { sessionUpdate: 'agent_message_chunk', content };
          const piece = { method: 'session/update', params: { sessionId: 's-1', update } };
          if (method === 'session/prompt') for (let count = script.pieces ?? 1; count > 0; count -= 1) say(piece);
          say('error' in result ? { id, ...result } : { id, result });
        },
        stop: async (ms?: number) => {
          seen.stops.push(ms);
          lines.end();
        },
        finish: async (ms: number) => {
          seen.finished.push(ms);
        },
        holdQuiet: () => () => undefined,
        reportedFailure: script.failure,
        stderrTail: script.stderr ?? '',
        ended: Promise.resolve(script.exit ?? { code: 0, signal: null }),
      } as unknown as ProcessGroup;
    };
    const client = new AcpClient({
      root,
      outside: { prepare: async () => join(root, '.mesh/state/outside') },
      processes: { start } as unknown as ProcessGroups,
      clock: new FakeClock(),
      environment: { PATH: bin, ...environment },
      command,
      keys,
    });
    return { client, seen, bin, root };
  }

  it('is the first of the table that may be run in the project', async () => {
    const obeys = (root: string, name: string, file: string) =>
      `\`${name}\` would run what ${root}/${file} says without asking, so it is not run in this project: choose ` +
      'another client, or remove the file.';
    const root = temporaryFolder({ '.gemini/settings.json': '', '.codex/rules': '' });
    const { client, seen } = machine({ names: ['codex-acp', 'gemini', 'opencode'], root });
    expect(await client.probe()).toEqual({ ready: true, reason: null });
    expect((await play(client, aTurn())).text).toBe('Words.');
    expect(seen.programs.map(({ args }) => args)).toEqual([['acp']]);
    const both = machine({ names: ['codex-acp', 'gemini'], root });
    expect(await both.client.probe()).toEqual({ ready: false, reason: obeys(root, 'gemini', '.gemini/settings.json') });
    expect((await play(both.client, aTurn())).error?.message).toBe(obeys(root, 'gemini', '.gemini/settings.json'));
    expect(both.seen.programs).toEqual([]);
  });

  it('is asked for where there is none', async () => {
    const table = '`gemini --acp`, `opencode acp`, `claude-agent-acp`, `codex-acp`';
    const rest = "is not on this machine's PATH: install one, and log in once by starting it.";
    expect(await machine({ names: [] }).client.probe()).toEqual({
      ready: false,
      reason: `None of the programs ${table} ${rest}`,
    });
    expect(await machine({ names: ['gemini'], command: ['my-agent', '--acp'] }).client.probe()).toEqual({
      ready: false,
      reason: `The program \`my-agent --acp\` ${rest}`,
    });
  });

  it('is started in its folder with its own environment', async () => {
    const environment = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'canary', MY_KEY: 'm', HOME: '/home/me' };
    const installed = { names: ['claude-agent-acp'], environment };
    const { client, seen, bin, root } = machine(installed);
    await play(client, aTurn());
    const fixed = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };
    const given = { PATH: bin, HOME: '/home/me', ANTHROPIC_API_KEY: 'a', ...fixed };
    const program = { bin: join(bin, 'claude-agent-acp'), args: [], cwd: root, environment: given, hasLongLines: true };
    expect(seen.programs).toEqual([program]);
    const folder = temporaryFolder();
    await play(client, aTurn({ folder, environment: { PORT: '1' } }));
    expect(seen.programs[1]).toEqual({ ...program, cwd: folder, environment: { ...given, PORT: '1' } });
    const mine = machine({ ...installed, names: ['my-agent'], command: ['my-agent', '--acp'], keys: ['MY_KEY'] });
    await play(mine.client, aTurn());
    expect(mine.seen.programs).toMatchObject([
      { args: ['--acp'], environment: { PATH: mine.bin, HOME: '/home/me', MY_KEY: 'm' } },
    ]);
    expect(mine.seen.programs[0]?.environment).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('only reads for another program, and git does not look above its folder', async () => {
    const { client, seen, root } = machine({ names: ['opencode'] });
    expect((await play(client, aTurn({ profile: 'outside' }))).error).toBeUndefined();
    await play(client, aTurn());
    const [outside, inside] = seen.programs.map(({ environment }) => environment);
    expect(outside).toMatchObject({
      GIT_CEILING_DIRECTORIES: join(root, '.mesh/state'),
      OPENCODE_DISABLE_SHARE: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG_CONTENT: expect.stringContaining('"*":"deny"'),
    });
    expect(inside?.['OPENCODE_CONFIG_CONTENT']).toContain('"bash":"ask"');
    expect(Object.keys(inside ?? {}).filter((name) => !(name in (outside ?? {})))).toEqual([]);
    expect(Object.keys(outside ?? {}).filter((name) => !(name in (inside ?? {})))).toEqual([
      'OPENCODE_DISABLE_SHARE',
      'GIT_CEILING_DIRECTORIES',
    ]);
  });

  it('has a second to exit after its answer, and three to obey', async () => {
    const { client, seen } = machine({ names: ['opencode'] });
    expect(await play(client, aTurn())).toMatchObject({ text: 'Words.', hasEnded: true, error: undefined });
    expect([seen.finished, seen.stops]).toEqual([[1_000], [undefined]]);
    const failing = machine({ names: ['opencode'], reply: () => undefined });
    expect((await play(failing.client, aTurn())).hasEnded).toBe(false);
    expect([failing.seen.finished, failing.seen.stops]).toEqual([[], [undefined, undefined]]);
  });

  it('tells what it offers', async () => {
    const models = { availableModels: ['default', 'small', 'large'].map((modelId) => ({ modelId })) };
    const configOptions = [{ id: 'think', category: 'thought_level', type: 'select', options: [{ value: 'low' }] }];
    const reply = (method: string) =>
      method === 'session/new' ? { sessionId: 's-1', models, configOptions } : answering(method);
    const { client } = machine({ names: ['opencode'], reply });
    expect([client.models(), client.efforts()]).toEqual([['default'], []]);
    await play(client, aTurn());
    expect([client.models(), client.efforts()]).toEqual([['default', 'small', 'large'], ['low']]);
  });

  const refusing = (message: string) => (method: string) =>
    method === 'session/prompt' ? { error: { code: -32_603, message } } : answering(method);

  it.each<[string, Partial<Installed>, string]>([
    ['ends', { exit: { code: 3, signal: null } }, 'opencode ended without an answer (exit 3).'],
    [
      'is killed',
      { exit: { code: null, signal: 'SIGKILL' }, stderr: 'out of key-of-mine\n' },
      'opencode ended without an answer (SIGKILL): out of [redacted]',
    ],
    [
      'is stopped',
      { failure: new ProcessError('idle', 'The program has said nothing.') },
      'opencode was stopped. The program has said nothing.',
    ],
    ['fails otherwise', { failure: new Error('The disk is full.') }, 'The disk is full.'],
  ])('that %s is told with the reason', async (_what, script, message) => {
    const reply = (method: string) => (method === 'session/prompt' ? undefined : answering(method));
    const environment = { OPENAI_API_KEY: 'key-of-mine' };
    const { client } = machine({ names: ['opencode'], reply, environment, ...script });
    expect((await play(client, aTurn())).error?.message).toBe(message);
  });

  it('that refuses is told in its words, without its keys', async () => {
    const environment = {
      ANTHROPIC_API_KEY: 'key-of-mine',
      ANTHROPIC_AUTH_TOKEN: 'token-of-mine',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    };
    const reply = refusing('No key-of-mine, no token-of-mine at http://127.0.0.1:9.');
    const { client } = machine({ names: ['claude-agent-acp'], reply, environment });
    const { error } = await play(client, aTurn());
    expect(error?.message).toMatch(/No \[redacted\], no \[redacted\] at http:\/\/127\.0\.0\.1:9\.$/);
  });

  it('that refuses is told without the login of its proxy', async () => {
    const environment = { HTTPS_PROXY: 'http://me:hunter%2Btwelve@proxy:3128' };
    const reply = refusing('No hunter%2Btwelve, hunter+twelve or bWU6aHVudGVyK3R3ZWx2ZQ== at proxy:3128.');
    const { client } = machine({ names: ['opencode'], reply, environment });
    const { error } = await play(client, aTurn());
    expect(error?.message).toMatch(/No \[redacted\], \[redacted\] or \[redacted\] at proxy:3128\.$/);
  });

  it('ends with the reason of the stop itself, and is given no time after it', async () => {
    const { client, seen } = machine({ names: ['opencode'] });
    for (const last of ['session', 'end'] as const) {
      const off = new AbortController();
      const reason = new Error('stopped');
      const run = async () => {
        for await (const { type } of client.run(aTurn(), off.signal, async () => 'deny'))
          if (type === last) off.abort(reason);
      };
      if (last === 'end') await run();
      else await expect(run()).rejects.toBe(reason);
    }
    expect(seen.finished).toEqual([]);
  });

  it('is stopped when the consumer stops reading, however much it has said', async () => {
    const { client, seen } = machine({ names: ['opencode'], pieces: 70 });
    for await (const { type } of client.run(aTurn(), new AbortController().signal, async () => 'deny'))
      if (type === 'text') break;
    expect(seen.stops.length).toBeGreaterThan(0);
  });

  it('is not started in a turn that was stopped', async () => {
    const { client, seen } = machine({ names: ['opencode'] });
    const played = await play(client, aTurn(), { signal: AbortSignal.abort(new Error('early')) });
    expect([played.error?.message, seen.programs]).toEqual(['early', []]);
  });
});
