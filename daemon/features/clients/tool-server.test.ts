import { describe, expect, it } from 'vitest';
import { aTurn, play, standIn } from '../../testing/stand-ins/stand-in.js';
import { createFlags } from './claude-code/claude-code-flags.js';

const tool_server = { url: 'http://127.0.0.1:9/turns/mcp', token: 'tt_SecretOfTheTurn' };

describe('the daemon’s own tools', () => {
  it('are named in the arguments of claude, and the token only in its environment', async () => {
    const { client } = standIn('claude-code', { steps: [{ printArgs: true }, { printEnv: true }] });
    const { text } = await play(client, aTurn({ tool_server }));
    const [args = '', environment = ''] = text.split('\n\n');
    expect(args).toContain('Bearer $' + '{MESHD_TURN_TOKEN}');
    expect(args).not.toContain(tool_server.token);
    expect(JSON.parse(environment)).toMatchObject({ MESHD_TURN_TOKEN: tool_server.token });
    expect((await play(client, aTurn())).text).not.toContain('MESHD_TURN_TOKEN');
  });

  it('need no permission of claude where they only read, and for asking where the member has the tool', () => {
    const allowed = (tools: string[]) => {
      const args = createFlags(aTurn({ tool_server, member: { tools } }), '/project');
      return args[args.indexOf('--allowedTools') + 1]?.split(',');
    };
    const reading = ['list_members', 'search_project', 'read_board'].map((tool) => `mcp__meshd__${tool}`);
    expect(allowed(['read'])).toEqual(reading);
    expect(allowed(['read', 'agent'])).toEqual([...reading, 'mcp__meshd__ask_member']);
  });

  it('are handed to an agent of the Agent Client Protocol over its input, if it takes such servers', async () => {
    const server = { type: 'http', name: 'meshd', url: tool_server.url };
    const { client } = standIn('acp', { steps: [{ printInput: true }] });
    const { text } = await play(client, aTurn({ tool_server }));
    const opened = (JSON.parse(text) as { method: string; params: { mcpServers?: object[] } }[]).find(
      ({ method }) => method === 'session/new',
    );
    const headers = [{ name: 'Authorization', value: `Bearer ${tool_server.token}` }];
    expect(opened?.params.mcpServers).toEqual([{ ...server, headers }]);
    const { client: plain } = standIn('acp', { hello: { agentCapabilities: {} }, steps: [{ printInput: true }] });
    expect((await play(plain, aTurn({ tool_server }))).text).toContain('"mcpServers":[]');
  });
});
