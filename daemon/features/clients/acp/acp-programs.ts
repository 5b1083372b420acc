import { secretGlobs } from '../../../lib/secret-names.js';
import type { Command } from '../agent-program.js';

/** An agent program that speaks the Agent Client Protocol on its standard streams. */
export interface AcpProgram {
  command: Command;
  /** Its own providers' keys and where it keeps its login. */
  keys: readonly string[];
  /** Settings that every run gets. */
  fixed: Readonly<Record<string, string>>;
  /** Settings that runs for other programs get beside. */
  outside: Readonly<Record<string, string>>;
  /** Files of a project from which the program runs something unasked, and that no setting turns off: where one is, the program is not run. */
  runs: readonly string[];
}

const ANTHROPIC = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
];
const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
const GOOGLE = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'];

/** The table of secret names in its patterns, which match any part of a path with `*`; the last that matches decides. */
function readRules(): Record<string, 'allow' | 'deny'> {
  const { denied, allowed } = secretGlobs();
  const rules: Record<string, 'allow' | 'deny'> = {};
  for (const [globs, decision] of [[denied, 'deny'] as const, [allowed, 'allow'] as const]) {
    for (const glob of globs) {
      const rest = glob.replace('**/', '').replace('/**', '/*');
      rules[rest] = decision;
      rules[`*/${rest}`] = decision;
    }
  }
  return rules;
}

const OPENCODE_READS_ONLY = JSON.stringify({
  '*': 'deny',
  read: {
    '*': 'allow',
    '*.mesh/asks*': 'deny',
    ...readRules(),
  },
  grep: 'allow',
  glob: 'allow',
  list: 'allow',
  external_directory: 'deny',
});

/** The programs that are looked for, in this order. Settings of the project that would name programs to run are turned off where that can be done. */
export const ACP_PROGRAMS: readonly AcpProgram[] = [
  { command: ['gemini', '--acp'], keys: GOOGLE, fixed: {}, outside: {}, runs: [] },
  {
    command: ['opencode', 'acp'],
    keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', ...OPENAI, ...GOOGLE, 'OPENROUTER_API_KEY'],
    fixed: { OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    outside: { OPENCODE_PERMISSION: OPENCODE_READS_ONLY, OPENCODE_DISABLE_SHARE: '1' },
    runs: ['plugin', 'plugins', 'tool', 'tools'].map((name) => `.opencode/${name}`),
  },
  {
    command: ['claude-agent-acp'],
    keys: ANTHROPIC,
    fixed: {},
    outside: {},
    runs: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  },
  { command: ['codex-acp'], keys: [...OPENAI, 'CODEX_API_KEY', 'CODEX_HOME'], fixed: {}, outside: {}, runs: [] },
];

/** What the machine's own configuration names: with the keys and settings of the built-in table when its program is in it. */
export function configuredProgram(command: Command, keys: readonly string[]): AcpProgram {
  const name = command[0].split('/').at(-1);
  const known = ACP_PROGRAMS.find((program) => program.command[0] === name);
  const { fixed = {}, outside = {}, runs = [] } = known ?? {};
  return { command, keys: [...new Set([...(known?.keys ?? []), ...keys])], fixed, outside, runs };
}
