import type { COMMONS } from '../../contract/clusters.js';
import { SecretsFile } from '../secrets-file.js';

/** A stored cluster: its name, so that the user can refer to it, and the available tokens. */
interface ClusterTokenEntry {
  name: string;
  visibility: 'private' | 'public';
  token?: string;
  admin_token?: string;
}

/** Spelled out, so that the command line does not load the schemas. */
const COMMONS_ID: (typeof COMMONS)['id'] = 'c_1b938b9ede1b436980e2';
const COMMONS_NAME: (typeof COMMONS)['name'] = 'The Commons';

const isText = (value: unknown) => value === undefined || typeof value === 'string';

function isClusterTokenEntry(value: unknown): value is ClusterTokenEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { name, token, admin_token } = value as Partial<ClusterTokenEntry>;
  return typeof name === 'string' && isText(token) && isText(admin_token);
}

/**
 * The tokens of clusters created or joined from this command line, by cluster id, and those of the commons, which the
 * daemon stores.
 */
export class ClusterTokens {
  private readonly file: SecretsFile<ClusterTokenEntry>;
  private readonly commons: SecretsFile<string>;

  constructor(root: string) {
    this.file = new SecretsFile(root, 'clusters.json', isClusterTokenEntry);
    this.commons = new SecretsFile(root, 'commons.json', (value): value is string => typeof value === 'string');
  }

  get path(): string {
    return this.file.path;
  }

  all(): Map<string, ClusterTokenEntry> {
    const { token, admin_token } = Object.fromEntries(this.commons.read());
    const commons: ClusterTokenEntry = {
      name: COMMONS_NAME,
      visibility: 'public',
      ...(token && { token }),
      ...(admin_token && { admin_token }),
    };
    return new Map([...(admin_token ? [[COMMONS_ID, commons] as const] : []), ...this.file.read()]);
  }

  /** Finds a cluster by its id or by an unambiguous name. */
  find(idOrName: string): ({ id: string } & ClusterTokenEntry) | undefined {
    const all = this.all();
    const own = all.get(idOrName);
    if (own) return { id: idOrName, ...own };
    const [first, second] = [...all].filter(([, { name }]) => name === idOrName);
    return first && !second ? { id: first[0], ...first[1] } : undefined;
  }

  /** Merges `kept` into the stored entry of the cluster. */
  put(id: string, record: ClusterTokenEntry): void {
    this.file.change((all) => {
      all.set(id, { ...all.get(id), ...record });
      return true;
    });
  }

  /** Removes the stored entry. Returns whether there was one; the tokens of the commons stay with the daemon. */
  drop(id: string): boolean {
    return this.file.change((all) => all.delete(id));
  }
}
