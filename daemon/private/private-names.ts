import { join } from 'node:path';

/**
 * What a name stands for: a file, a database with the files that SQLite keeps beside it, a log with its
 * older ones, or a folder of files.
 */
type PrivateKind = 'file' | 'database' | 'log' | 'folder';

/** Every name below `.mesh/state` that the daemon or the command line opens. */
export const STATE_NAMES = {
  '.gitignore': 'file',
  id: 'file',
  'mesh.db': 'database',
  'knowledge.db': 'database',
  'embeddings.db': 'database',
  'daemon.log': 'log',
  'daemon.json': 'file',
  port: 'file',
  'preferences.json': 'file',
  'exposure.json': 'file',
  'former-tokens.json': 'file',
  'house-agents.json': 'file',
  'member-tests.json': 'file',
  'task-checks.json': 'file',
  'removed-members': 'folder',
  'imports.json': 'file',
  imports: 'folder',
  runs: 'folder',
  checkpoints: 'folder',
  outside: 'folder',
  'network.json': 'file',
  'before-networks': 'folder',
  'restore.json': 'file',
  'restore.lock': 'database',
} as const satisfies Record<string, PrivateKind>;
export type StateName = keyof typeof STATE_NAMES;

/** Every name below `.mesh/credentials` that the daemon or the command line opens. */
export const CREDENTIAL_NAMES = {
  '.gitignore': 'file',
  'team-tokens.json': 'file',
  'identity.key': 'file',
  'hub.key': 'file',
  'v1.key': 'file',
  'till.key': 'file',
  'house-agents.json': 'file',
  'wallets.json': 'file',
  'deposits.json': 'file',
  'commons.json': 'file',
  'rooms.json': 'file',
  'a2a-push.json': 'file',
  'agents.json': 'file',
  'clusters.json': 'file',
  'clients.json': 'file',
  'telemetry.json': 'file',
  'network.creds': 'file',
  'api-key': 'file',
} as const satisfies Record<string, PrivateKind>;
export type CredentialName = keyof typeof CREDENTIAL_NAMES;

/** Endings of the files that SQLite keeps beside a database. */
export const DATABASE_ENDINGS = ['-wal', '-shm', '-journal'] as const;
/** The number of older logs that are kept beside the current one. */
export const OLDER_LOGS = 3;

/** Returns the paths that a name of `kind` stands for. */
export function listPaths(name: string, kind: PrivateKind): string[] {
  if (kind === 'database') return [name, ...DATABASE_ENDINGS.map((ending) => name + ending)];
  if (kind === 'log')
    return [name, `${name}.next`, ...Array.from({ length: OLDER_LOGS }, (_, index) => `${name}.${index + 1}`)];
  return [name];
}

/** Returns the path of that name in the project's `.mesh/state`. */
export const inState = (state: string, name: StateName): string => join(state, name);

/** Returns the path of that name in the project's `.mesh/credentials`. */
export const inCredentials = (credentials: string, name: CredentialName): string => join(credentials, name);
