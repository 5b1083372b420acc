import type { MCP_CLIENT_SECONDS } from '../../../daemon/contract/limits.js';
import { shellWords } from '../../lib/shell-words.js';
import type { SnippetBlock } from './snippet-kinds.js';
import { type ShellTarget, tokenCommand, tokenVariable } from './snippets.js';
import { exported } from './token-blocks.js';

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** The name of this member's server in a tool's configuration. */
const serverName = ({ member }: ShellTarget) => `meshd-${member}`;
const getAddress = ({ origin, member }: ShellTarget) => `${origin}/team/${member}/mcp`;

/**
 * Arguments of the bridge over standard input and output. It reads the token itself, so no configuration contains one.
 */
const bridge = ({ member, root }: ShellTarget) => ['mcp', member, ...(root === undefined ? [] : ['--root', root])];

const bridgeTyped = (target: ShellTarget) => shellWords([...target.command, ...bridge(target)]);

export function claudeCode(target: ShellTarget): SnippetBlock[] {
  const variable = tokenVariable(target.member);
  const name = serverName(target);
  return [
    exported(target),
    {
      label: 'Adds it to the project',
      text:
        `claude mcp add --transport http --scope project \\\n  ${name} ${getAddress(target)} \\\n  --header ` +
        `'Authorization: Bearer \${${variable}}'`,
    },
    {
      label: 'Or by hand: .mcp.json',
      text: pretty({
        mcpServers: {
          [name]: { type: 'http', url: getAddress(target), headers: { Authorization: `Bearer \${${variable}}` } },
        },
      }),
    },
    { label: 'Or without any token, through meshd', text: `claude mcp add ${name} -- ${bridgeTyped(target)}` },
  ];
}

/** VS Code prompts for the token once and stores it in its secret storage. */
export function vscode(target: ShellTarget): SnippetBlock[] {
  const id = tokenVariable(target.member).toLowerCase();
  return [
    {
      label: '.vscode/mcp.json asks for the token once',
      text: pretty({
        inputs: [
          {
            type: 'promptString',
            id,
            description: `Token of ${target.member}: ${tokenCommand(target)}`,
            password: true,
          },
        ],
        servers: {
          [serverName(target)]: {
            type: 'http',
            url: getAddress(target),
            headers: { Authorization: `Bearer \${input:${id}}` },
          },
        },
      }),
    },
    {
      label: 'Or without any token, through meshd',
      text: pretty({
        servers: {
          [serverName(target)]: {
            type: 'stdio',
            command: target.command[0],
            args: [...target.command.slice(1), ...bridge(target)],
          },
        },
      }),
    },
  ];
}

export function opencode(target: ShellTarget): SnippetBlock[] {
  const config = (server: object) =>
    pretty({ $schema: 'https://opencode.ai/config.json', mcp: { [serverName(target)]: server } });
  const headers = { Authorization: `Bearer {env:${tokenVariable(target.member)}}` };
  return [
    exported(target),
    {
      label: 'opencode.json',
      text: config({ type: 'remote', url: getAddress(target), enabled: true, oauth: false, headers }),
    },
    {
      label: 'Or without any token, through meshd',
      text: config({ type: 'local', command: [...target.command, ...bridge(target)], enabled: true }),
    },
  ];
}

const CLIENT_SECONDS = 960 satisfies typeof MCP_CLIENT_SECONDS;
/** Codex gives a call up after 60 s by itself. */
const CODEX_TIMEOUT = `tool_timeout_sec = ${CLIENT_SECONDS}`;

export function codex(target: ShellTarget): SnippetBlock[] {
  const table = `[mcp_servers.${serverName(target)}]`;
  return [
    exported(target),
    {
      label: '~/.codex/config.toml',
      text:
        `${table}\nurl = ${JSON.stringify(getAddress(target))}\nbearer_token_env_var = ` +
        `"${tokenVariable(target.member)}"\n${CODEX_TIMEOUT}`,
    },
    {
      label: 'Or without any token, through meshd',
      text: `${table}\ncommand = ${JSON.stringify(target.command[0])}\nargs = [${[
        ...target.command.slice(1),
        ...bridge(target),
      ]
        .map((word) => JSON.stringify(word))
        .join(', ')}]\n${CODEX_TIMEOUT}`,
    },
  ];
}
