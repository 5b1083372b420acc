import type { Command } from '../agent-program.js';
import type { Version } from '../agent-program-cost.js';
import { ANTHROPIC_VARIABLES } from '../agent-program-environment.js';
import type { Turn } from '../client.js';
import { opencodePermissions } from './opencode-permissions.js';

/** An agent program that speaks the Agent Client Protocol on its standard streams. */
export interface AcpProgram {
  command: Command;
  /** Environment variables passed to it: keys of its own providers and the location of its login. */
  keys: readonly string[];
  /** Environment variables set in every run. */
  fixed: Readonly<Record<string, string>>;
  /** Additional environment variables set in runs for other programs. */
  outside: Readonly<Record<string, string>>;
  /** Environment variables by which the program asks for, or denies, what the protocol alone does not restrain. */
  restrains?: (turn: Turn) => Readonly<Record<string, string>>;
  /**
   * Project files that make the program run code without asking, with no setting against it. It is not run beside them.
   * They count up to the repository's top.
   */
  runs: readonly string[];
  /** The same, where the program looks for them in every folder above too. */
  runsAbove?: readonly string[];
  /**
   * Files of variables that the program sets for itself, in every folder above too, and with which it starts others. It
   * is run only beside those that git does not track.
   */
  variables?: readonly string[];
  /** The command by which a person logs in. Unknown programs are started by themselves. */
  login?: string;
  /** False: sessions are never continued, because what the program says of a loaded one cannot be relied on. */
  resumes?: false;
  /** The first version that reports the tokens of a whole turn. Those of older ones are its last request's: left out. */
  countsTurnSince?: Version;
  /** The first version that obeys `NO_PROXY`. Older ones send calls to this machine to the proxy too. */
  obeysNoProxySince?: Version;
}

const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
const GOOGLE = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'];

/** The supported programs, in lookup order. Project settings that name programs to run are disabled where possible. */
export const ACP_PROGRAMS: readonly AcpProgram[] = [
  // It replays a loaded session's messages after its response, among those of the new answer, and forgets them itself.
  // Before 0.39.1 it trusts every folder when it has no terminal.
  {
    command: ['gemini', '--acp'],
    keys: GOOGLE,
    fixed: {},
    outside: {},
    runs: ['settings.json', 'extensions', 'policies'].map((name) => `.gemini/${name}`),
    variables: ['.gemini/.env', '.env'],
    resumes: false,
    login: 'gemini',
    obeysNoProxySince: [0, 44, 0],
  },
  {
    command: ['opencode', 'acp'],
    keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', ...OPENAI, ...GOOGLE, 'OPENROUTER_API_KEY'],
    fixed: {
      // The name of version 1, and that of version 2.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG_PROJECT_DISABLE: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    outside: { OPENCODE_DISABLE_SHARE: '1' },
    restrains: opencodePermissions,
    runs: [],
    // Where git fails, it takes `/` for the project's top.
    runsAbove: ['plugin', 'plugins', 'tool', 'tools'].map((name) => `.opencode/${name}`),
    countsTurnSince: [2, 0, 0],
    login: 'opencode auth login',
  },
  {
    command: ['claude-agent-acp'],
    keys: ANTHROPIC_VARIABLES,
    fixed: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
    outside: {},
    runs: ['.claude/settings.json', '.claude/settings.local.json'],
    runsAbove: ['.mcp.json'],
    // By itself it is a server on its standard streams, and so is Codex's.
    login: 'claude /login',
  },
  // It tells Codex that every folder of a session is trusted.
  {
    command: ['codex-acp'],
    keys: [...OPENAI, 'CODEX_API_KEY', 'CODEX_HOME'],
    fixed: {},
    outside: {},
    runs: ['config.toml', 'config.override.toml', 'hooks.json', 'hooks', 'rules', 'agents'].map(
      (name) => `.codex/${name}`,
    ),
    countsTurnSince: [2, 2, 1],
    login: 'codex login',
  },
];

/** The packages of the programs, and older names. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@google/gemini-cli': 'gemini',
  'opencode-ai': 'opencode',
  '@opencode/cli': 'opencode',
  '@agentclientprotocol/claude-agent-acp': 'claude-agent-acp',
  '@zed-industries/claude-agent-acp': 'claude-agent-acp',
  '@zed-industries/claude-code-acp': 'claude-agent-acp',
  'claude-code-acp': 'claude-agent-acp',
  '@agentclientprotocol/codex-acp': 'codex-acp',
  '@zed-industries/codex-acp': 'codex-acp',
};
/** Programs that start another one, and what must follow their name to do so. */
const RUNNERS = ['npx', 'bunx', 'pnpx', 'npm exec', 'npm x', 'pnpm dlx', 'pnpm exec', 'yarn dlx', 'bun x', 'bun run'];

const baseName = (path: string) =>
  path
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.(exe|cmd)$/i, '') ?? '';

/** Returns the name in the table of what the command starts, by itself or through a runner of packages. */
function nameStarted(command: readonly string[]): string {
  const name = baseName(command[0] ?? '');
  const rest = command.slice(1);
  const first = rest.findIndex((word) => !/^-|^\w+=/.test(word));
  const target = rest[first] ?? '';
  if (name === 'env') return first === -1 ? '' : nameStarted(rest.slice(first));
  if (name === 'node' || name === 'bun') {
    const inPackage = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(target)?.[1];
    if (inPackage !== undefined) return toName(inPackage.replace('\\', '/'));
    if (name === 'node') return toName(baseName(target));
  }
  if (RUNNERS.includes(name)) return toName(target);
  if (!RUNNERS.includes(`${name} ${target}`)) return toName(name);
  return toName(rest.slice(first + 1).find((word) => !word.startsWith('-')) ?? '');
}

function toName(started: string): string {
  const unversioned = started.replace(/(?<=.)@.*$/, '');
  return PACKAGES[unversioned] ?? unversioned;
}

/**
 * Builds the entry for the command of the machine's own configuration. If its program is in the built-in table, takes
 * over the keys and settings from there.
 */
export function configuredProgram(command: Command, keys: readonly string[]): AcpProgram {
  const name = nameStarted(command);
  const known = ACP_PROGRAMS.find((program) => program.command[0] === name);
  const unknown: AcpProgram = { command, keys: [], fixed: {}, outside: {}, runs: [] };
  return { ...(known ?? unknown), command, keys: [...new Set([...(known?.keys ?? []), ...keys])] };
}
