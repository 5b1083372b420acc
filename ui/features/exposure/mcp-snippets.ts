import { shellWords } from '../../lib/shell-words.js';
import type { SnippetBlock } from './snippet-kinds.js';
import { type ShellDoor, tokenCommand, tokenVariable } from './snippets.js';
import { exported } from './token-blocks.js';

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** The name of this member's server in a tool's configuration. */
const serverName = ({ member }: ShellDoor) => `meshd-${member}`;
const getAddress = ({ origin, member }: ShellDoor) => `${origin}/team/${member}/mcp`;

/**
 * Arguments of the bridge over standard input and output. It reads the token itself, so no configuration contains one.
 */
const bridge = ({ member, root }: ShellDoor) => ['mcp', member, ...(root === undefined ? [] : ['--root', root])];

const bridgeTyped = (door: ShellDoor) => shellWords([...door.command, ...bridge(door)]);

export function claudeCode(door: ShellDoor): SnippetBlock[] {
  const variable = tokenVariable(door.member);
  const name = serverName(door);
  return [
    exported(door),
    {
      label: 'Adds it to the project',
      text:
        `claude mcp add --transport http --scope project \\\n  ${name} ${getAddress(door)} \\\n  --header ` +
        `'Authorization: Bearer \${${variable}}'`,
    },
    {
      label: 'Or by hand: .mcp.json',
      text: pretty({
        mcpServers: {
          [name]: { type: 'http', url: getAddress(door), headers: { Authorization: `Bearer \${${variable}}` } },
        },
      }),
    },
    { label: 'Or without any token, through meshd', text: `claude mcp add ${name} -- ${bridgeTyped(door)}` },
  ];
}

/** VS Code prompts for the token once and stores it in its secret storage. */
export function vscode(door: ShellDoor): SnippetBlock[] {
  const id = tokenVariable(door.member).toLowerCase();
  return [
    {
      label: '.vscode/mcp.json asks for the token once',
      text: pretty({
        inputs: [
          {
            type: 'promptString',
            id,
            description: `Token of ${door.member}: ${tokenCommand(door)}`,
            password: true,
          },
        ],
        servers: {
          [serverName(door)]: {
            type: 'http',
            url: getAddress(door),
            headers: { Authorization: `Bearer \${input:${id}}` },
          },
        },
      }),
    },
    {
      label: 'Or without any token, through meshd',
      text: pretty({
        servers: {
          [serverName(door)]: {
            type: 'stdio',
            command: door.command[0],
            args: [...door.command.slice(1), ...bridge(door)],
          },
        },
      }),
    },
  ];
}

export function opencode(door: ShellDoor): SnippetBlock[] {
  const config = (server: object) =>
    pretty({ $schema: 'https://opencode.ai/config.json', mcp: { [serverName(door)]: server } });
  const headers = { Authorization: `Bearer {env:${tokenVariable(door.member)}}` };
  return [
    exported(door),
    {
      label: 'opencode.json',
      text: config({ type: 'remote', url: getAddress(door), enabled: true, oauth: false, headers }),
    },
    {
      label: 'Or without any token, through meshd',
      text: config({ type: 'local', command: [...door.command, ...bridge(door)], enabled: true }),
    },
  ];
}

export function codex(door: ShellDoor): SnippetBlock[] {
  const table = `[mcp_servers.${serverName(door)}]`;
  return [
    exported(door),
    {
      label: '~/.codex/config.toml',
      text:
        `${table}\nurl = ${JSON.stringify(getAddress(door))}\nbearer_token_env_var = ` +
        `"${tokenVariable(door.member)}"`,
    },
    {
      label: 'Or without any token, through meshd',
      text: `${table}\ncommand = ${JSON.stringify(door.command[0])}\nargs = [${[
        ...door.command.slice(1),
        ...bridge(door),
      ]
        .map((word) => JSON.stringify(word))
        .join(', ')}]`,
    },
  ];
}
