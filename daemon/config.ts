import { parseArgs } from 'node:util';
import { DEFAULT_HOST } from './contract/limits.js';
import type { Network } from './contract/payments.js';
import { getErrorMessage, MeshError } from './lib/errors.js';
import { projectsFolder, stateFolder } from './lib/user-folders.js';

/** The options of the daemon. Frozen. Only this module reads arguments and environment. */
export interface Config {
  readonly root: string;
  /** 0 selects a free port; undefined selects the remembered one, else 4747. */
  readonly port: number | undefined;
  readonly logLevel: string;
  /** Whether log lines are also written to stderr. */
  readonly logToStderr: boolean;
  /** The uid of the daemon's user; undefined on systems without uids. */
  readonly ownUid: number | undefined;
  /** The environment of the daemon. Each part reads only the few variables that it may see. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An Agent Client Protocol program other than those known by name, and the environment variables that it may see. */
  readonly acp: { readonly command: Command | undefined; readonly keys: readonly string[] };
  /** A `claude` program other than the one on the PATH. */
  readonly claudeCommand: Command | undefined;
  /** Keys with which partners register reserved ids on the hub. */
  readonly partnerKeys: readonly string[];
  /** `host:port` of agents on this machine whose cards may be fetched over plain http. */
  readonly loopbackEndpoints: readonly string[];
  /** JSON-RPC addresses of the public networks that may be used. They may contain keys. */
  readonly networkAddresses: readonly (readonly [Network, string])[];
  /** Folder of this user's state outside every project; undefined without a home. */
  readonly stateFolder: string | undefined;
  /** Whether the operator declares the existing state as the operator's own, even if this machine does not know it. */
  readonly isStateVouchedFor: boolean;
  /** Folder in which the daemons of this user publish their entries; undefined without a home. */
  readonly projectsFolder: string | undefined;
}

/** A program and its arguments, from the machine's own configuration. */
type Command = readonly [string, ...string[]];

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];

/**
 * Reads `--root`, `--port`, `--host`, `--log-level`, `--log-stderr`, `--foreground` and `--adopt`. Throws `bad_request`
 * with the name of the invalid option.
 */
export function readConfig(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  ownUid: number | undefined,
): Config {
  const values = parseOptions(argv);
  const host = values.host ?? env['MESHD_HOST'] ?? DEFAULT_HOST;
  if (host !== DEFAULT_HOST) {
    throw new MeshError(
      'bad_request',
      `meshd listens on ${DEFAULT_HOST} only: "${host}" would open it to other machines. Leave --host and ` +
        'MESHD_HOST out.',
    );
  }
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    throw new MeshError('bad_request', `--port must be a number from 0 to 65535, not "${values.port}".`);
  }
  const logLevel = values['log-level'] ?? env['MESHD_LOG_LEVEL'] ?? 'info';
  if (!LEVELS.includes(logLevel))
    throw new MeshError('bad_request', `--log-level must be one of ${LEVELS.join(', ')}.`);
  return Object.freeze({
    root: values.root ?? cwd,
    port,
    logLevel,
    logToStderr: values.foreground === true || values['log-stderr'] === true,
    ownUid,
    environment: Object.freeze({ ...env }),
    acp: Object.freeze({
      command: parseCommand('MESHD_ACP_COMMAND', env),
      keys: (env['MESHD_ACP_KEYS'] ?? '').split(',').filter(isVariableName),
    }),
    claudeCommand: parseCommand('MESHD_CLAUDE_COMMAND', env),
    partnerKeys: Object.freeze(parsePartnerKeys(env)),
    loopbackEndpoints: Object.freeze(parseLoopbackEndpoints(env)),
    networkAddresses: Object.freeze(parseNetworkAddresses(env)),
    stateFolder: stateFolder(env, process.platform),
    isStateVouchedFor: values.adopt === true,
    projectsFolder: projectsFolder(env, process.platform),
  });
}

/** Returns the keys in `MESHD_PARTNER_KEYS`, a list of `name:key`. The names only help to maintain the list. */
function parsePartnerKeys(env: NodeJS.ProcessEnv): string[] {
  const entries = (env['MESHD_PARTNER_KEYS'] ?? '').split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry, index) => {
    const [, key] = /^\s*[A-Za-z0-9_-]{1,64}:([\x21-\x7e]{16,256})\s*$/.exec(entry) ?? [];
    if (key !== undefined) return key;
    throw new MeshError(
      'bad_request',
      `MESHD_PARTNER_KEYS must be a list of name:key with keys of at least 16 characters; entry ${index + 1} is none.`,
    );
  });
}

const isVariableName = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** Parses a command as words, or as a JSON list if a word contains a space. */
function parseCommand(name: string, env: NodeJS.ProcessEnv): Command | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  let words: unknown;
  try {
    words = text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/);
  } catch {
    words = undefined;
  }
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string' && word !== ''))
    return words as unknown as Command;
  throw new MeshError('bad_request', `${name} must be a command, or a JSON list of its words.`);
}

/** Returns the endpoints in `MESHD_LOOPBACK_ENDPOINTS`, a list of loopback `host:port`. */
function parseLoopbackEndpoints(env: NodeJS.ProcessEnv): string[] {
  const entries = (env['MESHD_LOOPBACK_ENDPOINTS'] ?? '').split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, port] = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):(\d{1,5})$/.exec(entry) ?? [];
      if (port !== undefined && Number(port) > 0 && Number(port) < 65_536) return entry;
      throw new MeshError(
        'bad_request',
        `MESHD_LOOPBACK_ENDPOINTS must be a list of host:port on the loopback address; "${entry}" is none.`,
      );
    });
}

const NETWORK_VARIABLES: readonly (readonly [Network, string])[] = [
  ['solana:devnet', 'MESHD_SOLANA_DEVNET_URL'],
  ['solana:mainnet', 'MESHD_SOLANA_MAINNET_URL'],
];
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the networks with an address in the environment: https, or http on the loopback interface. The error for an
 * invalid address does not contain it.
 */
function parseNetworkAddresses(env: NodeJS.ProcessEnv): [Network, string][] {
  return NETWORK_VARIABLES.flatMap(([network, name]): [Network, string][] => {
    const given = env[name]?.trim();
    if (!given) return [];
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
    if (url && isSafe && url.username === '' && url.password === '') return [[network, url.href]];
    throw new MeshError(
      'bad_request',
      `${name} must be an https address, or an http one on the loopback, without a user name.`,
    );
  });
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        root: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'log-level': { type: 'string' },
        foreground: { type: 'boolean' },
        'log-stderr': { type: 'boolean' },
        adopt: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new MeshError('bad_request', getErrorMessage(error));
  }
}
