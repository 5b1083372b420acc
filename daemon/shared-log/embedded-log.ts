import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/time/clock.js';
import type { Database } from '../storage/database/database.js';
import { CommandKinds, type SharedChanges } from './command-kinds.js';
import { Owners } from './owners.js';
import { SelectedLog } from './selected-log.js';
import type { Command, SharedLog } from './shared-log.js';

interface EmbeddedLogParts {
  kinds: CommandKinds;
  database: Pick<Database, 'sql' | 'write'>;
  clock: Pick<Clock, 'now'>;
  /** This daemon's public key, in standard base64. */
  pubkey: string;
}

/**
 * The log of a daemon without a network: a command is applied at once, as a change of the store's group commit, and
 * kept nowhere.
 */
export class EmbeddedLog implements SharedLog {
  readonly isShared = false;
  private readonly daemon: string;

  constructor(private readonly parts: EmbeddedLogParts) {
    this.daemon = Buffer.from(parts.pubkey, 'base64').toString('base64url');
  }

  /** Also rejects with the errors of the store, such as `store_readonly` and `no_space`. */
  submit<Result>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> {
    const { kinds, database, clock } = this.parts;
    const at = clock.now();
    const command: Command = { schema: 1, id: randomUUID(), kind, entity, at, daemon: this.daemon, body };
    const written = database.write(() => kinds.decide(command) as Result);
    return kinds.isFollowed(kind) ? this.follow(command, written) : written;
  }

  private async follow<Result>(command: Command, written: Promise<Result>): Promise<Result> {
    const result = await written;
    const following = this.parts.kinds.applied(command, result);
    if (following) await following;
    return result;
  }
}

/** The kinds of commands of a daemon, none defined yet, and the log that applies them: the embedded one at first. */
export function createChanges(parts: Omit<EmbeddedLogParts, 'kinds'>): SharedChanges & { log: SelectedLog } {
  const kinds = new CommandKinds();
  const owners = new Owners(parts.database, parts.pubkey);
  return { kinds, owners, log: new SelectedLog(new EmbeddedLog({ ...parts, kinds })) };
}
