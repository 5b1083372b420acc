import type { COMMONS } from '../contract/clusters.js';
import { SecretsFile } from './secrets-file.js';

/** What is kept of a cluster: its name, so that a person can say it, and the tokens that one has. */
export interface KeptCluster {
  name: string;
  visibility: 'private' | 'public';
  token?: string;
  admin_token?: string;
}

/** Written out, so that the command line does not load the schemas for them. */
const COMMONS_ID: (typeof COMMONS)['id'] = 'c_1b938b9ede1b436980e2';
const COMMONS_NAME: (typeof COMMONS)['name'] = 'The Commons';

const isText = (value: unknown) => value === undefined || typeof value === 'string';

function isKept(value: unknown): value is KeptCluster {
  if (typeof value !== 'object' || value === null) return false;
  const { name, token, admin_token } = value as Partial<KeptCluster>;
  return typeof name === 'string' && isText(token) && isText(admin_token);
}

/** The tokens of clusters that were created or joined from this command line, by the cluster's id, and those of the commons, which the daemon keeps. */
export class ClusterTokens {
  private readonly file: SecretsFile<KeptCluster>;
  private readonly commons: SecretsFile<string>;

  constructor(root: string) {
    this.file = new SecretsFile(root, 'clusters.json', isKept);
    this.commons = new SecretsFile(root, 'commons.json', (value): value is string => typeof value === 'string');
  }

  get path(): string {
    return this.file.path;
  }

  all(): Map<string, KeptCluster> {
    const { token, admin_token } = Object.fromEntries(this.commons.read());
    const commons: KeptCluster = {
      name: COMMONS_NAME,
      visibility: 'public',
      ...(token && { token }),
      ...(admin_token && { admin_token }),
    };
    return new Map([...(admin_token ? [[COMMONS_ID, commons] as const] : []), ...this.file.read()]);
  }

  /** By id, or by a name that only one of them has. */
  find(idOrName: string): ({ id: string } & KeptCluster) | undefined {
    const all = this.all();
    const own = all.get(idOrName);
    if (own) return { id: idOrName, ...own };
    const [first, second] = [...all].filter(([, { name }]) => name === idOrName);
    return first && !second ? { id: first[0], ...first[1] } : undefined;
  }

  /** Adds to what is known of the cluster. */
  put(id: string, kept: KeptCluster): void {
    const all = this.file.read();
    all.set(id, { ...all.get(id), ...kept });
    this.file.write(all);
  }

  /** Whether there was something to drop: the tokens of the commons stay with the daemon. */
  drop(id: string): boolean {
    const all = this.file.read();
    if (!all.delete(id)) return false;
    this.file.write(all);
    return true;
  }
}
