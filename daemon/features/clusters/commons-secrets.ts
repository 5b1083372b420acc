import { newAdminToken, newClusterToken } from '../../lib/ids.js';
import type { JsonAdapter } from '../../storage/files/json-file.js';
import type { ClusterSecrets } from './clusters.js';

export type SecretsFile = JsonAdapter;

/**
 * The tokens of the commons, which the operator administers. No caller received them at its creation, so they are kept
 * in a file of the operator's account. Created when missing; undefined while no new secret may be written.
 */
export async function commonsSecrets(
  file: SecretsFile,
  mayWrite: () => Promise<boolean>,
): Promise<ClusterSecrets | undefined> {
  const { token, admin_token } = (await file.read()) ?? {};
  if (isToken(token, 'ck_') && isToken(admin_token, 'ak_')) return { token, admin_token };
  if (!(await mayWrite())) return undefined;
  const fresh = { token: newClusterToken(), admin_token: newAdminToken() };
  await file.write(fresh);
  return fresh;
}

const isToken = (value: unknown, prefix: string): value is string =>
  typeof value === 'string' && value.startsWith(prefix) && value.length >= 40;
