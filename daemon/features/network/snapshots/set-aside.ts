import type { NetworkCopy } from '../../../contract/shared/network.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { getErrorMessage, MeshError } from '../../../lib/errors.js';
import { type Clock, isoTime } from '../../../lib/time/clock.js';
import type { CommandKinds } from '../../../shared-log/command-kinds.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transactions } from '../../../storage/database/transaction.js';
import type { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { toBase64Url } from '../command-envelope.js';
import { checkSharedState, loadSharedState, type SnapshotSource, writeSharedState } from './shared-state.js';

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

const NAME = /^(\d+)-before-(.+)$/;

/** Copies of the shared data of this daemon, made before others replaced them. */
export class SetAside {
  constructor(private readonly parts: SetAsideParts) {}

  /** Keeps a copy, durable when it resolves, and returns its name. No shared row may change until then. */
  async keep(before: string): Promise<string> {
    const { copies, database, key, clock } = this.parts;
    const head = { network: OWN, created: '', sequence: 0, key: toBase64Url(key.pubkey) };
    const name = `${clock.now()}-before-${before}`;
    await copies.write(name, writeSharedState(database, key, head));
    return name;
  }

  /** The copies, the newest first. */
  async list(): Promise<NetworkCopy[]> {
    const names = (await this.parts.copies.list()).reverse();
    return names.flatMap((name) => {
      const [, ms, before] = NAME.exec(name) ?? [];
      return ms === undefined || before === undefined ? [] : [{ name, made_at: isoTime(Number(ms)), before }];
    });
  }

  /**
   * Reads a copy to its end. Throws `not_found` without it, and `bad_request` when it is damaged or of another version
   * of meshd.
   */
  async check(name: string): Promise<void> {
    await this.requireCopy(name);
    try {
      await checkSharedState(this.parts.database, this.sourceOf(name));
    } catch (error) {
      throw new MeshError('bad_request', `The copy "${name}" cannot be restored: ${getErrorMessage(error)}.`, {
        details: { path: 'copy' },
        cause: error,
      });
    }
  }

  /** Replaces the shared data by a copy, the newest by default. Throws `not_found` without one. */
  async restore(name?: string): Promise<void> {
    const wanted = await this.requireCopy(name);
    await loadSharedState(this.parts, this.sourceOf(wanted), wanted);
  }

  private sourceOf(name: string): SnapshotSource {
    const { copies } = this.parts;
    return { open: () => copies.read(name), network: OWN, accept: ({ network }) => network === OWN };
  }

  private async requireCopy(name: string | undefined): Promise<string> {
    const names = await this.parts.copies.list();
    const wanted = name ?? names.at(-1);
    if (wanted === undefined) throw new MeshError('not_found', 'There is no copy of the data before the network.');
    if (names.includes(wanted)) return wanted;
    throw new MeshError('not_found', `There is no copy "${wanted}": meshd network copies lists them.`);
  }
}
