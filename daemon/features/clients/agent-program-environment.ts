/** The keys of Claude Code, its certificate and the location of its login: no variable of another provider. */
export const ANTHROPIC_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_CLIENT_CERT',
  'CLAUDE_CODE_CLIENT_KEY',
  'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
];

/** Variables of the daemon's environment that every agent program receives, besides every `LC_*`. */
const PASSED = ['PATH', 'HOME', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'USER', 'SHELL'];

const inBothCases = (names: readonly string[]) => names.flatMap((name) => [name, name.toLowerCase()]);
const PROXIES = inBothCases(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']);
/** How the machine reaches servers: its proxies, and the authorities that it trusts. */
const NETWORK = [
  ...PROXIES,
  ...inBothCases(['NO_PROXY']),
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];
/** The daemon is called at these with the token of the turn, which no proxy may see. */
const LOOPBACK = ['127.0.0.1', 'localhost'];
/** The file of a key, not the key. */
const KEY_FILE = 'CLAUDE_CODE_CLIENT_KEY';

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

/** Whether the environment sends requests to a proxy. */
export const usesProxy = (environment: DaemonEnvironment): boolean => PROXIES.some((name) => environment[name]);

/**
 * Builds the environment of a program that runs members: that of every program, and how the machine reaches servers.
 * Where it has a proxy, `NO_PROXY` and `no_proxy` contain this machine.
 */
export function agentEnvironment(
  environment: DaemonEnvironment,
  keys: readonly string[],
  fixed: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed = programEnvironment(environment, [...NETWORK, ...keys], fixed);
  if (!usesProxy(passed)) return passed;
  // Programs read the one or the other, so that each has what the user wrote in either.
  const { NO_PROXY, no_proxy } = passed;
  return {
    ...passed,
    NO_PROXY: withLoopback(NO_PROXY ?? no_proxy ?? ''),
    no_proxy: withLoopback(no_proxy ?? NO_PROXY ?? ''),
  };
}

function withLoopback(spared: string): string {
  // Alone it spares every server; among others, most programs take it for a name.
  if (spared.trim() === '*') return '*';
  const names = spared.split(/[\s,]+/).filter((name) => name !== '');
  return [...new Set([...names, ...LOOPBACK])].join(',');
}

/**
 * Returns the values that no output may show of a program with `keys`: its keys and tokens, and the logins of proxies
 * with their passwords, as they are written and as they are sent.
 */
export function listSecrets(environment: DaemonEnvironment, keys: readonly string[]): string[] {
  const named = keys.filter((key) => /KEY|TOKEN|PASSPHRASE/.test(key) && key !== KEY_FILE);
  const secrets = [
    ...named.map((key) => environment[key] ?? ''),
    ...PROXIES.flatMap((name) => listLoginSecrets(environment[name] ?? '')),
  ];
  return [...new Set(secrets)].filter((secret) => secret !== '');
}

function listLoginSecrets(proxy: string): string[] {
  const login = proxy.slice(0, Math.max(proxy.lastIndexOf('@'), 0)).replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const plain = decodeOrKeep(login);
  const passwords = [login, plain].flatMap((text) => (text.includes(':') ? [text.slice(text.indexOf(':') + 1)] : []));
  return [login, plain, ...passwords, Buffer.from(plain).toString('base64')];
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}
