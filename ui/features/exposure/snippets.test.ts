import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { snippetBlocks } from './snippet-blocks.js';
import { isSnippetKind, SNIPPET_FAMILIES, SNIPPET_KINDS, type SnippetKind } from './snippet-kinds.js';
import { shellQuoted, snippet, tokenVariable } from './snippets.js';

const door = {
  origin: 'http://127.0.0.1:4747',
  member: 'api-developer',
  question: `What's 100% "open" to $USER?`,
  root: `/home/ada/my "lamp"`,
};
const token = 'mk_abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE';
const MCP = 'http://127.0.0.1:4747/team/api-developer/mcp';

const texts = (kind: SnippetKind) => snippetBlocks(kind, door, token).map(({ text }) => text);
const textAt = (kind: SnippetKind, label: string) => {
  const found = snippetBlocks(kind, door, token).find((block) => block.label.includes(label));
  if (!found) throw new Error(`${kind} has no block "${label}".`);
  return found.text;
};
const json = (kind: SnippetKind, label: string) => JSON.parse(textAt(kind, label));

describe('snippets', () => {
  it('are laid out by protocol, every way once', () => {
    expect(SNIPPET_FAMILIES.flatMap(({ kinds }) => kinds)).toEqual([...SNIPPET_KINDS]);
    expect(isSnippetKind('vscode')).toBe(true);
    expect(isSnippetKind('mcp')).toBe(false);
  });

  it('never show the token, so that a screenshot is safe; they read it from an environment variable', () => {
    expect(tokenVariable('api-developer')).toBe('API_DEVELOPER_TOKEN');
    for (const kind of SNIPPET_KINDS) expect(texts(kind).join('\n')).not.toContain('mk_');
    expect(snippet('curl', door)).toContain('Bearer $API_DEVELOPER_TOKEN');
    expect(snippet('typescript', door)).toContain('process.env.API_DEVELOPER_TOKEN');
    expect(snippet('python', door)).toContain('os.environ["API_DEVELOPER_TOKEN"]');
  });

  it('carry the token when they are asked to, but never into a file that is likely to be committed', () => {
    const carrying = SNIPPET_KINDS.filter((kind) =>
      snippetBlocks(kind, door, token).some(({ withToken }) => withToken?.includes(token)),
    );
    expect(carrying).toEqual(['curl', 'typescript', 'python', 'a2a', 'a2a-js']);
  });

  it('ask and then collect by the contract', () => {
    const text = snippet('curl', door);
    expect(text).toContain('-X POST http://127.0.0.1:4747/team/api-developer/ask');
    expect(text).toContain('jq -r .request_id');
    expect(text).toContain('/team/requests/$RID?wait=60');
  });

  it('give the question to the shell literally', () => {
    expect(shellQuoted("it's")).toBe(`'it'\\''s'`);
    expect(snippet('curl', door)).toContain(`-d '{"text":"What'\\''s 100% \\"open\\" to $USER?"}'`);
    expect(texts('a2a')[0]).toContain(`"parts":[{"text":"What'\\''s 100% \\"open\\" to $USER?"}]}}}'`);
  });
});

describe('MCP snippets', () => {
  it('are what Claude Code reads: .mcp.json and the command that writes it', () => {
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

  it('are what VS Code reads, which asks for the token itself', () => {
    const { inputs, servers } = json('vscode', 'asks for the token');
    expect(inputs).toEqual([
      expect.objectContaining({ type: 'promptString', id: 'api_developer_token', password: true }),
    ]);
    expect(servers['meshd-api-developer']).toMatchObject({ type: 'http', url: MCP });
    expect(servers['meshd-api-developer'].headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`);
    expect(json('vscode', 'without any token').servers['meshd-api-developer']).toEqual({
      type: 'stdio',
      command: 'meshd',
      args: ['mcp', 'api-developer', '--root', door.root],
    });
  });

  it('are what opencode reads', () => {
    expect(json('opencode', 'opencode.json').mcp['meshd-api-developer']).toEqual({
      type: 'remote',
      url: MCP,
      enabled: true,
      oauth: false,
      headers: { Authorization: 'Bearer {env:API_DEVELOPER_TOKEN}' },
    });
    expect(json('opencode', 'without any token').mcp['meshd-api-developer']).toMatchObject({
      type: 'local',
      command: ['meshd', 'mcp', 'api-developer', '--root', door.root],
    });
  });

  it('are TOML that Codex reads, over HTTP or standard input and output', () => {
    expect(parseToml(textAt('codex', 'config.toml'))).toEqual({
      mcp_servers: { 'meshd-api-developer': { url: MCP, bearer_token_env_var: 'API_DEVELOPER_TOKEN' } },
    });
    expect(parseToml(textAt('codex', 'without any token'))).toEqual({
      mcp_servers: { 'meshd-api-developer': { command: 'meshd', args: ['mcp', 'api-developer', '--root', door.root] } },
    });
  });

  it('leave the folder out as long as it is not known', () => {
    const [, , bridge] = snippetBlocks('codex', { ...door, root: undefined }, token);
    expect(bridge?.text).toContain('args = ["mcp", "api-developer"]');
  });
});
