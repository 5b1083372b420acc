import type { Command } from 'commander';
import type { MemberDetail } from '../../contract/team.js';
import { readLines } from '../../lib/text/stream-lines.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { memberPath, requireToken } from '../team/member.js';
import type { Terminal } from '../terminal.js';
import { McpBridge, type McpTarget } from './mcp-bridge.js';

/**
 * Returns the address of the member at a daemon that has proven to be that of the project. The token is read from the
 * daemon and never appears in an argument.
 */
async function find(root: string, id: string): Promise<McpTarget> {
  const { client } = await getDaemon(root);
  const token = requireToken(await client.get<MemberDetail>(memberPath(id)));
  return { url: `${client.address}${memberPath(id)}/mcp`, token };
}

export function addMcp(program: Command, terminal: Terminal): void {
  program
    .command('mcp')
    .summary('serve an exposed member to a program that speaks the Model Context Protocol on stdio')
    .description(
      'Bridge the Model Context Protocol from stdin and stdout to an exposed member. Meant to be started by an ' +
        'MCP client, which is given this command line; ends when its stdin ends and what was asked before is ' +
        'answered.\nPrograms that speak it over HTTP need no bridge: they use {daemon}/mcp with the member’s ' +
        'token as bearer.',
    )
    .argument('<member>')
    .addHelpText('after', examples('meshd mcp consultant', 'meshd mcp consultant --root ~/src/lamp'))
    .action(
      action<object, [string]>(terminal, async ({ root }, id) => {
        // Fails at startup with an exit status, rather than at the first request.
        await find(root, id);
        const bridge = new McpBridge({
          find: () => find(root, id),
          write: (message) => terminal.record(message),
          note: (line) => terminal.note(line),
        });
        for await (const line of readLines(terminal.stdin)) bridge.receive(line);
        await bridge.settle();
        // A failure is ignored: the client is gone, so there is no reader for it.
        await bridge.close().catch(() => undefined);
      }),
    );
}
