import type { Config } from '../config.js';
import instructions from '../features/system/instructions.md';
import type { SigningKey } from '../lib/crypto/ed25519.js';
import type { Clock } from '../lib/time/clock.js';
import { inState } from '../private/private-names.js';
import { StateOwner } from '../private/state-owner.js';
import { claimState } from '../storage/claim-state.js';
import { Database } from '../storage/database/database.js';
import { Transactions } from '../storage/database/transaction.js';
import { loadIdentity } from '../storage/files/identity-file.js';
import { TrackedSecrets } from '../storage/git/tracked-secrets.js';
import { MeshFolder } from '../storage/mesh-folder.js';
import { finishRestore } from '../storage/restore-moves.js';

/** The standard revision from which a project has an instructions file for its agents. */
const INSTRUCTIONS_REVISION = 18;

/** The opened project: its folder, its database and its secrets. */
export interface Project {
  folder: MeshFolder;
  database: Database;
  transactions: Transactions;
  /** The key that signs receipts, calls and reports. */
  identity: SigningKey;
  standardVersion: number;
  trackedSecrets: TrackedSecrets;
  /** Whether new secrets may be written into the credentials folder; false while Git tracks secrets of the project. */
  mayWriteSecrets: () => Promise<boolean>;
  /** State that was moved aside because it is not known to be from this machine or because Git tracks some of it. */
  setAside: Awaited<ReturnType<typeof claimState>>;
}

/** Opens the project for exclusive use. Throws when another daemon uses it, and when one of its files is damaged. */
export async function openProject(config: Config, clock: Clock): Promise<Project> {
  const folder = new MeshFolder(config.root);
  const trackedSecrets = new TrackedSecrets(folder.root, config.environment);
  const setAside = await claimState(folder, {
    owner: new StateOwner(config.stateFolder),
    isVouchedFor: config.isStateVouchedFor,
    tracked: () => trackedSecrets.paths(),
    nowMs: clock.now(),
  });
  await folder.prepare();
  // The restored content may lack the ignore files that keep secrets out of Git.
  if (await finishRestore(folder.path)) await folder.prepare();
  const database = new Database(inState(folder.state, 'mesh.db'));
  const standardVersion = await folder.standardVersion();
  if (standardVersion >= INSTRUCTIONS_REVISION) await folder.keepInstructions(instructions);
  const mayWriteSecrets = async () => (await trackedSecrets.paths()).length === 0;
  const identity = await loadIdentity(folder.credentials, mayWriteSecrets);
  const transactions = new Transactions(database);
  return { folder, database, transactions, identity, standardVersion, trackedSecrets, mayWriteSecrets, setAside };
}
