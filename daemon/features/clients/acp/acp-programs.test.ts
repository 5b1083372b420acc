import { describe, expect, it } from 'vitest';
import { ACP_PROGRAMS, configuredProgram } from './acp-programs.js';

const called = (name: string) => {
  const found = ACP_PROGRAMS.find(({ command }) => command[0] === name);
  if (!found) throw new Error(`${name} is not in the table`);
  return found;
};

describe('the table of agent programs', () => {
  it('has them in the order in which they are looked for, with what makes them speak the protocol', () => {
    expect(ACP_PROGRAMS.map(({ command }) => command)).toEqual([
      ['gemini', '--acp'],
      ['opencode', 'acp'],
      ['claude-agent-acp'],
      ['codex-acp'],
    ]);
  });

  const openai = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
  const google = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'];

  it.each([
    ['gemini', google],
    ['opencode', ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', ...openai, ...google, 'OPENROUTER_API_KEY']],
    [
      'claude-agent-acp',
      [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'ANTHROPIC_BASE_URL',
        'CLAUDE_CODE_OAUTH_TOKEN',
        'CLAUDE_CONFIG_DIR',
        'CLAUDE_CODE_CLIENT_CERT',
        'CLAUDE_CODE_CLIENT_KEY',
        'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
      ],
    ],
    ['codex-acp', [...openai, 'CODEX_API_KEY', 'CODEX_HOME']],
  ])('gives %s the keys of its own providers only', (name, keys) => {
    expect(called(name).keys).toEqual(keys);
  });

  it.each([
    ['gemini', {}],
    [
      'opencode',
      {
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_CONFIG_PROJECT_DISABLE: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
      },
    ],
    ['claude-agent-acp', { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' }],
    ['codex-acp', {}],
  ])('sets for %s in every run %j', (name, fixed) => {
    expect(called(name).fixed).toEqual(fixed);
  });

  it.each([
    ['gemini', ['.gemini/settings.json', '.gemini/extensions', '.gemini/policies'], [], ['.gemini/.env', '.env']],
    ['opencode', [], ['.opencode/plugin', '.opencode/plugins', '.opencode/tool', '.opencode/tools'], []],
    ['claude-agent-acp', ['.claude/settings.json', '.claude/settings.local.json'], ['.mcp.json'], []],
    [
      'codex-acp',
      [
        '.codex/config.toml',
        '.codex/config.override.toml',
        '.codex/hooks.json',
        '.codex/hooks',
        '.codex/rules',
        '.codex/agents',
      ],
      [],
      [],
    ],
  ])('does not run %s beside files that it would obey without asking', (name, runs, runsAbove, variables) => {
    const program = called(name);
    expect([program.runs, program.runsAbove ?? [], program.variables ?? []]).toEqual([runs, runsAbove, variables]);
  });

  it('sets more only for opencode, in runs for other programs, and continues no session of gemini', () => {
    const set = [{}, { OPENCODE_DISABLE_SHARE: '1' }, {}, {}];
    expect(ACP_PROGRAMS.map(({ outside }) => outside)).toEqual(set);
    expect(ACP_PROGRAMS.flatMap(({ command, restrains }) => (restrains ? [command[0]] : []))).toEqual(['opencode']);
    expect(ACP_PROGRAMS.map(({ resumes }) => resumes !== false)).toEqual([false, true, true, true]);
  });

  it('knows since when a program reports the tokens of a whole turn', () => {
    expect(ACP_PROGRAMS.map(({ countsTurnSince }) => countsTurnSince)).toEqual([
      undefined,
      [2, 0, 0],
      undefined,
      [2, 2, 1],
    ]);
  });

  it('knows how a person logs in', () => {
    expect(ACP_PROGRAMS.map(({ login }) => login)).toEqual([
      'gemini',
      'opencode auth login',
      'claude /login',
      'codex login',
    ]);
  });

  it('knows since when gemini obeys what is not for the proxy', () => {
    expect(ACP_PROGRAMS.map(({ obeysNoProxySince }) => obeysNoProxySince)).toEqual([
      [0, 44, 0],
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the command of the machine’s own configuration', () => {
  it('has the settings of the known program that it starts, and its own keys besides', () => {
    const program = configuredProgram(['/opt/bin/codex-acp', '--fast'], ['CODEX_HOME', 'MY_KEY']);
    expect(program).toEqual({
      ...called('codex-acp'),
      command: ['/opt/bin/codex-acp', '--fast'],
      keys: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY', 'CODEX_HOME', 'MY_KEY'],
    });
  });

  it.each([
    ['npx -y @agentclientprotocol/codex-acp', 'codex-acp'],
    ['npx -y @agentclientprotocol/codex-acp@2.2.1 --fast', 'codex-acp'],
    ['/usr/bin/npx codex-acp', 'codex-acp'],
    ['npx.cmd @google/gemini-cli@latest --acp', 'gemini'],
    ['bunx opencode-ai acp', 'opencode'],
    ['npm exec --yes -- @zed-industries/claude-code-acp', 'claude-agent-acp'],
    ['pnpm dlx @agentclientprotocol/claude-agent-acp', 'claude-agent-acp'],
    ['env -i LANG=C npx @opencode/cli acp', 'opencode'],
    ['env /opt/gemini --acp', 'gemini'],
    ['node --no-warnings /usr/lib/node_modules/@agentclientprotocol/codex-acp/dist/index.js', 'codex-acp'],
    ['node ./bin/codex-acp', 'codex-acp'],
    ['C:\\tools\\codex-acp.exe', 'codex-acp'],
  ])('knows the program that is started through another: %s', (line, name) => {
    const [first = '', ...args] = line.split(' ');
    const command = [first, ...args] as const;
    expect(configuredProgram([...command], [])).toEqual({ ...called(name), command });
  });

  it.each([
    'npx -y my-agent',
    'npm run gemini',
    'npx',
    'env',
    'node',
    'node /opt/gemini/agent.js',
    'npx @me/codex-acp',
  ])('takes no other program for one of the table: %s', (line) => {
    const [first = '', ...args] = line.split(' ');
    expect(configuredProgram([first, ...args], []).keys).toEqual([]);
  });

  it('of an unknown program has its own keys and no settings', () => {
    expect(configuredProgram(['my-agent', 'gemini'], ['MY_KEY', 'MY_KEY'])).toEqual({
      command: ['my-agent', 'gemini'],
      keys: ['MY_KEY'],
      fixed: {},
      outside: {},
      runs: [],
    });
    expect(configuredProgram(['gemini-next'], []).keys).toEqual([]);
  });
});
