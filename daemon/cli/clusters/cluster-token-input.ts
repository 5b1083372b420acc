import { CommandError, EXIT } from '../exit-codes.js';
import { readSecret } from '../standard-input.js';
import type { Terminal } from '../terminal.js';

/**
 * Reads the token to join with: from the environment, else from stdin, with a prompt if stdin is a terminal. Throws
 * `bad_request` unless it has the form of a cluster token.
 */
export async function readClusterToken(terminal: Terminal): Promise<string> {
  const given = terminal.environment.clusterToken;
  if (given !== undefined) return given;
  const token = await readSecret(terminal, 'token');
  if (/^[ac]k_[\w-]{43}$/.test(token)) return token;
  throw new CommandError(
    EXIT.usage,
    'Give the cluster’s token (ck_ or ak_) on stdin, or in MESHD_CLUSTER_TOKEN.',
    'bad_request',
  );
}
