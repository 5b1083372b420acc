import { secretGlobs } from '../../../lib/secret-names.js';
import type { Turn } from '../client.js';

/** Strongest first. Aliases, which the program itself turns into its newest model of that name. */
export const MODELS = ['opus', 'sonnet', 'haiku'] as const;
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Our words for tools in the program's own names. `ask` needs none: a question ends the answer. */
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
 * Without `Glob`: it lists folders outside the project without asking, where `Read` and `Grep` ask. `Grep` lists the project's files.
 */
const OUTSIDE_TOOLS = ['Read', 'Grep'];
const OUTSIDE_REFUSED = Object.values(TOOLS)
  .flat()
  .filter((tool) => !OUTSIDE_TOOLS.includes(tool));

/** Denied whatever else allows it; the program matches these against the working folder, for its searches too. */
const SECRETS = [
  'Read(./.mesh/credentials/**)',
  'Read(./.mesh/state/**)',
  'Edit(./.mesh/credentials/**)',
  'Edit(./.mesh/state/**)',
];
/**
 * What other programs' runs may not read, though none of it is in their working folder. Contract tests among them: a member that could read them would
 * answer by heart. Two slashes are the program's way to begin an absolute path.
 */
const outsideSecrets = (root: string) => [
  ...secretGlobs().denied.map((glob) => `Read(./${glob})`),
  ...['.git', '.mesh/asks'].map((folder) => `Read(./${folder}/**)`),
  ...['.mesh/credentials', '.git', '.mesh/asks'].map((folder) => `Read(/${root}/${folder}/**)`),
];

/** The tools that the member's words come to, in the program's names. */
export function toolsOf({ member, profile }: Turn): readonly string[] {
  if (profile === 'outside') return OUTSIDE_TOOLS;
  return [...new Set(member.tools.flatMap((word) => TOOLS[word] ?? []))];
}

/**
 * The arguments of one run. Nothing of the member's or the caller's words is in them but the model, the effort and the session: arguments are
 * readable by everyone on the machine.
 *
 * Settings of the project (`.claude/`, `.mcp.json`) name programs to run and addresses to send keys to, so they are never loaded; the operator's
 * own are, but not for other programs' questions.
 */
export function flagsOf(turn: Turn, root: string): string[] {
  const { member, profile, session } = turn;
  const isOutside = profile === 'outside';
  const tools = toolsOf(turn);
  const deny = isOutside ? [...SECRETS, ...outsideSecrets(root)] : SECRETS;
  return [
    '-p',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--permission-prompt-tool', 'stdio', '--permission-mode', 'default'],
    ...['--setting-sources', isOutside ? '' : 'user', '--strict-mcp-config', '--disable-slash-commands', '--no-chrome'],
    ...['--tools', tools.join(',')],
    ...(isOutside ? ['--disallowedTools', OUTSIDE_REFUSED.join(',')] : []),
    ...['--settings', JSON.stringify({ permissions: { deny } })],
    ...['--model', modelOf(member.model)],
    ...((EFFORTS as readonly string[]).includes(member.effort) ? ['--effort', member.effort] : []),
    ...['--max-turns', String(member.limits.turns)],
    ...(session === null ? [] : ['--resume', session]),
  ];
}

function modelOf(asked: string): string {
  if (asked === 'strongest' || asked === 'default') return MODELS[0];
  // A model's name that began with a dash would be read as a flag.
  if (!/^[A-Za-z0-9][\w.:/@[\]-]*$/.test(asked))
    throw new Error(`Claude Code has no model \`${asked}\`: name one like ${MODELS.join(', ')}.`);
  return asked;
}
