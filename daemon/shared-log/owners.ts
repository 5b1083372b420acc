import { MeshError } from '../lib/errors.js';
import type { Database } from '../storage/database/database.js';
import type { Owned } from './shared-tables.js';

type Reader = Pick<Database, 'sql'>;

/** Returns the id of the daemon that owns something; undefined when nobody does, as always without a network. */
export const findOwner = (store: Reader, { area, id }: Owned): string | undefined =>
  store.sql('SELECT daemon FROM network_owners WHERE area = ? AND entity = ?').pluck().get(area, id) as
    | string
    | undefined;

const toBase64 = (key: string) => Buffer.from(key, 'base64url').toString('base64');

export const belongsElsewhere = (id: string) => `"${id}" belongs to another daemon of the network.`;

/** Which daemon owns what, read from the tables that are equal on all daemons of a network. */
export class Owners {
  private readonly key: string;

  /** `pubkey` is the public key of this daemon, in standard base64. */
  constructor(
    private readonly database: Reader,
    pubkey: string,
  ) {
    this.key = Buffer.from(pubkey, 'base64').toString('base64url');
  }

  /** The id by which commands of this daemon name it where they are decided. */
  get self(): string {
    const id = this.database.sql('SELECT id FROM network_daemons WHERE key = ?').pluck().get(this.key);
    return (id as string | undefined) ?? this.key;
  }

  /** The public key of a daemon, in standard base64. */
  keyOf(daemon: string): string {
    const key = this.database.sql('SELECT key FROM network_daemons WHERE id = ?').pluck().get(daemon);
    return toBase64((key as string | undefined) ?? daemon);
  }

  /** The public keys that daemons of the network have or had, in standard base64. */
  listKeys(): string[] {
    const keys = this.database.sql('SELECT key FROM network_daemons UNION SELECT key FROM network_old_keys').pluck();
    return (keys.all() as string[]).map(toBase64);
  }

  find(owned: Owned): string | undefined {
    return findOwner(this.database, owned);
  }

  /** Whether this daemon may change it: it is its own, or nobody's. */
  isOwn(owned: Owned): boolean {
    const owner = this.find(owned);
    return owner === undefined || owner === this.self;
  }

  /** Throws `forbidden` for what belongs to another daemon: a command about it would be refused everywhere. */
  requireOwn(owned: Owned): void {
    if (!this.isOwn(owned)) throw new MeshError('forbidden', belongsElsewhere(owned.id));
  }
}
