import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { shellQuoted } from '../../lib/shell-words.js';
import { snippetBlocks } from './snippet-blocks.js';
import { isSnippetKind, SNIPPET_FAMILIES, SNIPPET_KINDS, type SnippetKind } from './snippet-kinds.js';
import { snippet, tokenVariable } from './snippets.js';

const target = {
  origin: 'http://127.0.0.1:4747',
  member: 'api-developer',
  question: `What's 100% "open" to $USER?`,
  root: `/home/ada/my "lamp"`,
  command: ['meshd'],
};
const token = 'mk_abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE';
const MCP = 'http://127.0.0.1:4747/team/api-developer/mcp';

const texts = (kind: SnippetKind) => snippetBlocks(kind, target, token).map(({ text }) => text);
const textAt = (kind: SnippetKind, label: string) => {
  const found = snippetBlocks(kind, target, token).find((block) => block.label.includes(label));
  if (!found) throw new Error(`${kind} has no block "${label}".`);
  return found.text;
};
const json = (kind: SnippetKind, label: string) => JSON.parse(textAt(kind, label));

describe('snippets', () => {
  it('appear once each, grouped by protocol', () => {
    expect(SNIPPET_FAMILIES.flatMap(({ kinds }) => kinds)).toEqual([...SNIPPET_KINDS]);
    expect(isSnippetKind('vscode')).toBe(true);
    expect(isSnippetKind('mcp')).toBe(false);
  });

  it('read the token from an environment variable and never show it', () => {
    expect(tokenVariable('api-developer')).toBe('API_DEVELOPER_TOKEN');
    for (const kind of SNIPPET_KINDS) expect(texts(kind).join('\n')).not.toContain('mk_');
    expect(snippet('curl', target)).toContain('Bearer $API_DEVELOPER_TOKEN');
    expect(snippet('typescript', target)).toContain('process.env.API_DEVELOPER_TOKEN');
    expect(snippet('python', target)).toContain('os.environ["API_DEVELOPER_TOKEN"]');
  });

  it('contain the token on request, but never in a file that is likely to be committed', () => {
    const carrying = SNIPPET_KINDS.filter((kind) =>
      snippetBlocks(kind, target, token).some(({ withToken }) => withToken?.includes(token)),
    );
    expect(carrying).toEqual(['curl', 'typescript', 'python', 'a2a', 'a2a-js']);
  });

  it('submit an ask and then poll it as the contract specifies', () => {
    const text = snippet('curl', target);
    expect(text).toContain('-X POST http://127.0.0.1:4747/team/api-developer/ask');
    expect(text).toContain('jq -r .request_id');
    expect(text).toContain('/team/requests/$RID?wait=60');
  });

  it('find the token by themselves, with the program that is there, in any folder', () => {
    const shell = { ...target, root: '/home/ada/lamp', command: ['node', '/opt/my tools/meshd.js'] };
    const shown = `node '/opt/my tools/meshd.js' token show api-developer --root /home/ada/lamp`;
    expect(snippet('curl', shell).split('\n')[0]).toBe(
      `[ "\${API_DEVELOPER_TOKEN:-}" ] || API_DEVELOPER_TOKEN=$(${shown})`,
    );
    expect(snippet('curl', shell, token).split('\n')[0]).toBe(`API_DEVELOPER_TOKEN='${token}'`);
    for (const kind of ['typescript', 'python', 'claude-code', 'a2a-js'] as const)
      expect(snippetBlocks(kind, shell, token).map(({ text }) => text)).toContain(
        `export API_DEVELOPER_TOKEN="$(${shown})"`,
      );
    const { command, args } = JSON.parse(snippetBlocks('vscode', shell, token)[1]?.text ?? '').servers[
      'meshd-api-developer'
    ];
    expect([command, ...args]).toEqual([...shell.command, 'mcp', 'api-developer', '--root', '/home/ada/lamp']);
  });

  it('quote the question for the shell', () => {
    expect(shellQuoted("it's")).toBe(`'it'\\''s'`);
    expect(snippet('curl', target)).toContain(`-d '{"text":"What'\\''s 100% \\"open\\" to $USER?"}'`);
    expect(texts('a2a')[0]).toContain(`"parts":[{"text":"What'\\''s 100% \\"open\\" to $USER?"}]}}}'`);
  });
});

describe('MCP snippets', () => {
  it('match .mcp.json of Claude Code and the command that writes it', () => {
    const server = {
      type: 'http',
      url: MCP,
      headers: { Authorization: ['Bearer $', '{API_DEVELOPER_TOKEN}'].join('') },
    };
    expect(json('claude-code', '.mcp.json')).toEqual({ mcpServers: { 'meshd-api-developer': server } });
    expect(textAt('claude-code', 'Adds it')).toContain(
      `claude mcp add --transport http --scope project \\\n  meshd-api-developer ${MCP} \\\n`,
    );
    expect(textAt('claude-code', 'without any token')).toBe(
      `claude mcp add meshd-api-developer -- meshd mcp api-developer --root '/home/ada/my "lamp"'`,
    );
  });

  it('match the configuration of VS Code, which prompts for the token', () => {
    const { inputs, servers } = json('vscode', 'asks for the token');
    expect(inputs).toEqual([
      expect.objectContaining({ type: 'promptString', id: 'api_developer_token', password: true }),
    ]);
    expect(servers['meshd-api-developer']).toMatchObject({ type: 'http', url: MCP });
    expect(servers['meshd-api-developer'].headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`);
    expect(json('vscode', 'without any token').servers['meshd-api-developer']).toEqual({
      type: 'stdio',
      command: 'meshd',
      args: ['mcp', 'api-developer', '--root', target.root],
    });
  });

  it('match the configuration of opencode', () => {
    expect(json('opencode', 'opencode.json').mcp['meshd-api-developer']).toEqual({
      type: 'remote',
      url: MCP,
      enabled: true,
      oauth: false,
      headers: { Authorization: 'Bearer {env:API_DEVELOPER_TOKEN}' },
    });
    expect(json('opencode', 'without any token').mcp['meshd-api-developer']).toMatchObject({
      type: 'local',
      command: ['meshd', 'mcp', 'api-developer', '--root', target.root],
    });
  });

  it('are valid TOML for Codex, over HTTP and standard input and output', () => {
    expect(parseToml(textAt('codex', 'config.toml'))).toEqual({
      mcp_servers: {
        'meshd-api-developer': {
          url: MCP,
          bearer_token_env_var: 'API_DEVELOPER_TOKEN',
          tool_timeout_sec: 960,
        },
      },
    });
    expect(parseToml(textAt('codex', 'without any token'))).toEqual({
      mcp_servers: {
        'meshd-api-developer': {
          command: 'meshd',
          args: ['mcp', 'api-developer', '--root', target.root],
          tool_timeout_sec: 960,
        },
      },
    });
  });

  it('omit the project folder until it is known', () => {
    const [, , bridge] = snippetBlocks('codex', { ...target, root: undefined }, token);
    expect(bridge?.text).toContain('args = ["mcp", "api-developer"]');
  });
});
