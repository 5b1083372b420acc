import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { CommandKinds } from '../../../shared-log/command-kinds.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transactions } from '../../../storage/database/transaction.js';
import type { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { toBase64Url } from '../command-envelope.js';
import { loadSharedState, writeSharedState } from './shared-state.js';

interface SetAsideParts {
  copies: Pick<StreamedCopies, 'write' | 'list' | 'read'>;
  database: Pick<Database, 'sql'>;
  transactions: Transactions;
  kinds: Pick<CommandKinds, 'replaced'>;
  key: SigningKey;
  clock: Pick<Clock, 'now'>;
}

/** The network that copies of this store's own data name: no network has that name. */
const OWN = '';

/** Copies of the shared data of this daemon, made before those of a network replaced them. */
export class SetAside {
  constructor(private readonly parts: SetAsideParts) {}

  /** Keeps a copy, durable when it resolves. No shared row may change until then. */
  async keep(network: string): Promise<void> {
    const { copies, database, key, clock } = this.parts;
    const head = { network: OWN, created: '', sequence: 0, key: toBase64Url(key.pubkey) };
    await copies.write(`${clock.now()}-before-${network}`, writeSharedState(database, key, head));
  }

  /** Replaces the shared data by the newest copy. Throws `not_found` without one. */
  async restore(): Promise<void> {
    const { copies, kinds } = this.parts;
    const newest = (await copies.list()).at(-1);
    if (newest === undefined) throw new MeshError('not_found', 'There is no copy of the data before the network.');
    const source = { bytes: copies.read(newest), network: OWN, mark: newest };
    await loadSharedState(this.parts, source, ({ network }) => network === OWN);
    await kinds.replaced();
  }
}
