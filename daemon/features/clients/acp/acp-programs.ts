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
  },
  {
    command: ['claude-agent-acp'],
    keys: ANTHROPIC_VARIABLES,
    fixed: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
    outside: {},
    runs: ['.claude/settings.json', '.claude/settings.local.json'],
    runsAbove: ['.mcp.json'],
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
  },
];

/**
 * Builds the entry for the command of the machine's own configuration. If its program is in the built-in table, takes
 * over the keys and settings from there.
 */
export function configuredProgram(command: Command, keys: readonly string[]): AcpProgram {
  const name = command[0].split('/').at(-1);
  const known = ACP_PROGRAMS.find((program) => program.command[0] === name);
  const unknown: AcpProgram = { command, keys: [], fixed: {}, outside: {}, runs: [] };
  return { ...(known ?? unknown), command, keys: [...new Set([...(known?.keys ?? []), ...keys])] };
}
