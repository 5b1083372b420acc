import { secretGlobs } from '../../../lib/secrets/secret-names.js';
import type { Turn } from '../client.js';

/** Strongest first. These are aliases that the program resolves to its newest model of that name. */
export const MODELS = ['opus', 'sonnet', 'haiku'] as const;
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Maps meshd's tool words to the program's tool names. `ask` needs none: a question ends the answer. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  read: ['Read'],
  search: ['Grep', 'Glob'],
  edit: ['Edit', 'Write', 'NotebookEdit'],
  execute: ['Bash', 'TaskOutput', 'TaskStop'],
  web: ['WebFetch', 'WebSearch'],
  agent: ['Task'],
  todo: ['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'],
};

/**
 * Without `Glob`, which lists folders outside the project without a permission request, unlike `Read` and `Grep`.
 * `Grep` can list the project's files.
 */
const OUTSIDE_TOOLS = ['Read', 'Grep'];
const OUTSIDE_REFUSED = Object.values(TOOLS)
  .flat()
  .filter((tool) => !OUTSIDE_TOOLS.includes(tool));

/** The variable of the program's environment with the token of the turn. Arguments and files only name it. */
export const TURN_TOKEN = 'MESHD_TURN_TOKEN';
/** Tools of the daemon that only read, which need no permission. */
const READING = ['list_members', 'search_project', 'read_board'];

/**
 * The arguments that give the program the daemon's own tools. Members with the `agent` tool ask others without a
 * permission request; the members that they ask have their own.
 */
function toolServerFlags({ member, tool_server }: Turn): string[] {
  if (!tool_server) return [];
  const headers = { Authorization: `Bearer $\{${TURN_TOKEN}}` };
  const mcpServers = { meshd: { type: 'http', url: tool_server.url, headers } };
  const allowed = [...READING, ...(member.tools.includes('agent') ? ['ask_member'] : [])];
  return [
    ...['--mcp-config', JSON.stringify({ mcpServers })],
    ...['--allowedTools', allowed.map((tool) => `mcp__meshd__${tool}`).join(',')],
  ];
}

/** Deny rules override every allow rule. The program resolves them against the working folder, for searches too. */
const SECRETS = [
  'Read(./.mesh/credentials/**)',
  'Read(./.mesh/state/**)',
  'Edit(./.mesh/credentials/**)',
  'Edit(./.mesh/state/**)',
];
/**
 * Paths that runs for other programs may not read, although their working folder contains none of them. They include
 * the contract tests (`.mesh/asks`): a member that could read them would know the expected answers. The program marks
 * an absolute path by two leading slashes.
 */
const outsideSecrets = (root: string) => [
  ...secretGlobs().denied.map((glob) => `Read(./${glob})`),
  ...['.git', '.mesh/asks'].map((folder) => `Read(./${folder}/**)`),
  ...['.mesh/credentials', '.git', '.mesh/asks'].map((folder) => `Read(/${root}/${folder}/**)`),
];

/** The secrets of the project, for a run that works in another folder. */
const projectSecrets = (root: string) =>
  ['Read', 'Edit'].flatMap((tool) =>
    ['.mesh/credentials', '.mesh/state'].map((folder) => `${tool}(/${root}/${folder}/**)`),
  );

/** Returns the program's names of the tools that a turn must go without. */
export function refusedTools({ member, profile }: Turn): readonly string[] {
  if (profile === 'outside') return OUTSIDE_REFUSED;
  return Object.entries(TOOLS).flatMap(([word, tools]) => (member.tools.includes(word) ? [] : tools));
}

/** Returns the program's names of the tools that the member has. */
function listTools({ member, profile }: Turn): readonly string[] {
  if (profile === 'outside') return OUTSIDE_TOOLS;
  return [...new Set(member.tools.flatMap((word) => TOOLS[word] ?? []))];
}

/**
 * Builds the arguments of one run. Arguments are readable by every user of the machine, so of the member and the caller
 * they contain only the model, the effort and the session.
 *
 * Project settings (`.claude/`, `.mcp.json`) can name programs to run and addresses that receive keys, so they are
 * never loaded. The operator's own settings are loaded, except in runs for other programs.
 */
export function createFlags(turn: Turn, root: string): string[] {
  const { member, profile, session } = turn;
  const isOutside = profile === 'outside';
  const tools = listTools(turn);
  const elsewhere = turn.folder === undefined || turn.folder === root ? [] : projectSecrets(root);
  const deny = isOutside ? [...SECRETS, ...outsideSecrets(root)] : [...SECRETS, ...elsewhere];
  return [
    '-p',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--permission-prompt-tool', 'stdio', '--permission-mode', 'default'],
    ...['--setting-sources', isOutside ? '' : 'user', '--strict-mcp-config', '--disable-slash-commands', '--no-chrome'],
    ...['--tools', tools.join(',')],
    ...(isOutside ? ['--disallowedTools', OUTSIDE_REFUSED.join(',')] : []),
    ...toolServerFlags(turn),
    ...['--settings', JSON.stringify({ permissions: { deny } })],
    ...['--model', getModel(member.model)],
    ...((EFFORTS as readonly string[]).includes(member.effort) ? ['--effort', member.effort] : []),
    ...['--max-turns', String(member.limits.turns)],
    ...(session === null ? [] : ['--resume', session]),
  ];
}

function getModel(asked: string): string {
  if (asked === 'strongest' || asked === 'default') return MODELS[0];
  // A model name with a leading dash would be parsed as a flag.
  if (!/^[A-Za-z0-9][\w.:/@[\]-]*$/.test(asked))
    throw new Error(`Claude Code has no model \`${asked}\`: name one like ${MODELS.join(', ')}.`);
  return asked;
}
