import { CommandKinds, type SharedChanges } from '../shared-log/command-kinds.js';
import { EmbeddedLog } from '../shared-log/embedded-log.js';
import { Owners } from '../shared-log/owners.js';
import type { Command } from '../shared-log/shared-log.js';
import type { Database } from '../storage/database/database.js';
import type { FakeClock } from './fake-clock.js';

/** The public key of the daemon of a test, by default. */
const TEST_PUBKEY = Buffer.alloc(32, 7).toString('base64');

class RecordingKinds extends CommandKinds {
  readonly commands: Command[] = [];

  override decide(command: Command): unknown {
    this.commands.push(command);
    return super.decide(command);
  }
}

/** Shared changes over one database, applied at once. `commands` are those submitted, refused ones too. */
export function embeddedChanges(
  database: Database,
  clock: FakeClock,
  pubkey = TEST_PUBKEY,
): SharedChanges & { commands: readonly Command[] } {
  const kinds = new RecordingKinds();
  const log = new EmbeddedLog({ kinds, database, clock, pubkey });
  return { kinds, log, owners: new Owners(database, pubkey), commands: kinds.commands };
}
