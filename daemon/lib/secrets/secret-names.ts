import { foldPath } from '../text/fold-path.js';

/**
 * Names of files and folders that hold secrets, compared without regard to case. In a file pattern `*` matches any part
 * of a name. This table determines both what the index excludes and what turns of untrusted callers may not read, for
 * every client.
 */
export const SECRET_FILES: readonly string[] = [
  ...[
    '.env',
    '.env.*',
    '*.env',
    '.envrc',
    '.npmrc',
    '.yarnrc.yml',
    '.netrc',
    '_netrc',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
  ],
  ...[
    '.htpasswd',
    '.git-credentials',
    '.dockercfg',
    '.dockerconfigjson',
    '.boto',
    '.s3cfg',
    '.vault-token',
    '.terraformrc',
  ],
  ...[
    '*.pem',
    '*.key',
    '*.p8',
    '*.p12',
    '*.pfx',
    '*.pkcs12',
    '*.jks',
    '*.keystore',
    '*.kdb',
    '*.kdbx',
    '*.ppk',
    '*.asc',
    '*.gpg',
  ],
  ...['*.age', '*.ovpn', '*.mobileprovision', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '*_rsa', '*_ed25519'],
  ...['credential', 'credentials', 'credential.*', 'credentials.*', 'secret', 'secrets', '.secret', '.secrets'],
  ...['yaml', 'yml', 'json', 'toml', 'txt', 'ini', 'env', 'properties', 'enc', 'sops'].flatMap((end) => [
    `secret.${end}`,
    `secrets.${end}`,
    `*.secret.${end}`,
    `*.secrets.${end}`,
  ]),
  ...['service-account*.json', 'service_account*.json', 'client_secret*.json', 'google-services.json', 'kubeconfig'],
  ...['*.tfstate', '*.tfstate.*', '*.tfvars', '*.tfvars.json', 'master.key', 'wallets.json', 'keystore.json'],
];

/** Example files that match a secret pattern but are meant to be read. */
export const SECRET_FILE_EXAMPLES: readonly string[] = [
  ...['example', 'sample', 'template', 'dist'].flatMap((end) => [
    `.env.${end}`,
    `env.${end}`,
    `.env-${end}`,
    `.env_${end}`,
  ]),
  '.env.defaults',
];

/** Nothing in these folders is read, whatever its name. A path of several parts is a folder nested in another. */
export const SECRET_FOLDERS: readonly string[] = [
  ...['.mesh/credentials', '.mesh/state', '.ssh', '.gnupg', '.aws', '.azure', '.docker', '.kube', '.config/gcloud'],
  ...['.password-store', '.terraform.d', '.secrets', '.vault'],
];

/** Folders in which only source files are read: those belong to the project. */
export const MIXED_FOLDERS: readonly string[] = ['secret', 'secrets', 'credentials', 'private-keys', 'private_keys'];
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|hpp|cs|fs|php|pl|lua|ex|exs|erl|hs|ml|clj|dart|zig|vue|svelte)$/;

const getName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Returns a test for names that match one of `patterns`. Each star separates parts that are compared as plain text. */
function nameTest(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const parted = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => exact.has(name) || parted.some((parts) => fits(name, parts));
}

function fits(name: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

const isSecretFile = nameTest(SECRET_FILES);
const isExample = nameTest(SECRET_FILE_EXAMPLES);
const isIn = (path: string, folder: string) => `/${path}/`.includes(`/${folder}/`);

/** Whether `path`, relative to the project and separated by `/`, is one under which secrets are kept. */
export function isSecretPath(path: string): boolean {
  const folded = foldPath(path);
  if (SECRET_FOLDERS.some((folder) => isIn(folded, folder))) return true;
  const name = getName(folded);
  if (isSecretFile(name)) return !isExample(name);
  const parent = folded.slice(0, Math.max(0, folded.lastIndexOf('/')));
  return MIXED_FOLDERS.some((folder) => isIn(parent, folder)) && !SOURCE.test(name);
}

/**
 * The same table as `.gitignore`-style patterns, for programs that read files themselves. Stricter in mixed folders,
 * where source files are denied too.
 */
export function secretGlobs(): { denied: string[]; allowed: string[] } {
  const folders = [...SECRET_FOLDERS, ...MIXED_FOLDERS].map((folder) => `**/${folder}/**`);
  return {
    denied: [...folders, ...SECRET_FILES.map((pattern) => `**/${pattern}`)],
    allowed: SECRET_FILE_EXAMPLES.map((pattern) => `**/${pattern}`),
  };
}
