import { basename, resolve } from 'node:path';
import { stringify } from 'smol-toml';
import manifest from '../../../package.json' with { type: 'json' };
import { MCP_CLIENT_SECONDS } from '../../contract/limits.js';
import type { Member } from '../../contract/team.js';
import type { Form } from './form-names.js';

export interface FormFile {
  /** Relative to the folder that the user names, with `/`. */
  path: string;
  content: string;
}

interface FormFacts {
  members: readonly Pick<Member, 'id' | 'name' | 'description'>[];
  /** Absolute path of the project. */
  root: string;
  /** Address of the project's daemon. */
  address: string;
  /** The command by which the user runs this program. */
  command: string;
}

/** Whether the form reaches members through their tokens, which only exposed members have. */
export const needsToken = (form: Form) => form === 'claude-plugin' || form === 'codex';

/** The environment variable from which another program reads the token of a member. */
export const tokenVariable = (id: string) => `MESHD_TOKEN_${id.toUpperCase().replaceAll('-', '_')}`;

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
const mcpAddress = (address: string, id: string) => `${address}/team/${encodeURIComponent(id)}/mcp`;

/** One `agent.json` a member, as the registry of the Agent Client Protocol has them: `<id>/agent.json`. */
function registryFiles({ members }: FormFacts): FormFile[] {
  return members.map(({ id, name, description }) => ({
    path: `meshd-${id}/agent.json`,
    content: json({
      id: `meshd-${id}`,
      name: `${name} (meshd)`,
      version: manifest.version,
      description: description || name,
      license: manifest.license,
      distribution: { npx: { package: `${manifest.name}@${manifest.version}`, args: ['acp', id] } },
    }),
  }));
}

/** The `agent_servers` of an editor's settings. The daemon is that of the folder that the editor has open. */
function editorFiles({ members, command }: FormFacts): FormFile[] {
  const [program = 'meshd', ...script] = command.startsWith('node ') ? ['node', resolve(command.slice(5))] : [command];
  const servers = members.map(({ id }): [string, object] => [
    `${id} (meshd)`,
    { type: 'custom', command: program, args: [...script, 'acp', id], env: {} },
  ]);
  return [{ path: 'settings.json', content: json({ agent_servers: Object.fromEntries(servers) }) }];
}

function pluginName(root: string): string {
  const project = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return project === '' ? 'meshd' : `meshd-${project}`;
}

/** A plugin of Claude Code. The tokens come from its environment when it starts. */
function pluginFiles({ members, root, address }: FormFacts): FormFile[] {
  const servers = members.map(({ id }): [string, object] => [
    id,
    {
      type: 'http',
      url: mcpAddress(address, id),
      headers: { Authorization: `Bearer \${${tokenVariable(id)}}` },
    },
  ]);
  const ids = members.map(({ id }) => id).join(', ');
  const plugin = {
    name: pluginName(root),
    version: manifest.version,
    description: `Members of ${basename(root)} that answer with cited, checked facts: ${ids}.`,
  };
  return [
    { path: '.claude-plugin/plugin.json', content: json(plugin) },
    { path: '.mcp.json', content: json({ mcpServers: Object.fromEntries(servers) }) },
  ];
}

/** The part of the configuration of Codex that names the servers. */
function codexFiles({ members, address }: FormFacts): FormFile[] {
  const servers = members.map(({ id }): [string, object] => [
    id,
    {
      url: mcpAddress(address, id),
      bearer_token_env_var: tokenVariable(id),
      // Codex gives a call up after 60 s by itself.
      tool_timeout_sec: MCP_CLIENT_SECONDS,
    },
  ]);
  return [{ path: 'config.toml', content: `${stringify({ mcp_servers: Object.fromEntries(servers) }).trim()}\n` }];
}

const MAKERS: Readonly<Record<Form, (facts: FormFacts) => FormFile[]>> = {
  acp: registryFiles,
  zed: editorFiles,
  'claude-plugin': pluginFiles,
  codex: codexFiles,
};

/** The files of a form. They hold no secret: tokens are named by their environment variables. */
export const makeForm = (form: Form, facts: FormFacts): FormFile[] => MAKERS[form](facts);
