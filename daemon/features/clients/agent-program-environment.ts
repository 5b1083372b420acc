/** What any agent program may see of the daemon's environment, beside every `LC_*`. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'USER', 'SHELL'];

export type DaemonEnvironment = Readonly<Record<string, string | undefined>>;

/** The environment of a program: the allow-list, `keys` (its own provider's) where they are set, and `fixed`. Nothing else of the daemon's. */
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
