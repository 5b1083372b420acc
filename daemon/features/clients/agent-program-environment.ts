/** The keys of Claude Code and the location of its login: no variable of another provider. */
export const ANTHROPIC_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
];

/** Variables of the daemon's environment that every agent program receives, besides every `LC_*`. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'USER', 'SHELL'];

export type DaemonEnvironment = Readonly<Record<string, string | undefined>>;

/** Builds a program's environment from the allow-list, the variables in `keys` (its provider's) and `fixed` only. */
export function programEnvironment(
  environment: DaemonEnvironment,
  keys: readonly string[],
  fixed: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed: Record<string, string> = {};
  const locale = Object.keys(environment).filter((name) => /^LC_[A-Z]+$/.test(name));
  for (const name of [...PASSED, ...locale, ...keys]) {
    const value = environment[name];
    if (value !== undefined && value !== '') passed[name] = value;
  }
  return { ...passed, ...fixed };
}
