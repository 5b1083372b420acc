import type { Config } from '../config.js';
import instructions from '../features/system/instructions.md';
import type { Clock } from '../lib/clock.js';
import type { SigningKey } from '../lib/ed25519.js';
import { inState } from '../private/private-names.js';
import { StateOwner } from '../private/state-owner.js';
import { claimState } from '../storage/claim-state.js';
import { Database } from '../storage/database.js';
import { loadIdentity } from '../storage/identity-file.js';
import { MeshFolder } from '../storage/mesh-folder.js';
import { finishRestore } from '../storage/restore-moves.js';
import { TrackedSecrets } from '../storage/tracked-secrets.js';
import { Transactions } from '../storage/transaction.js';

/** The standard revision from which a project has instructions for its agents. */
const INSTRUCTIONS_REVISION = 18;

/** The project on disk. */
export interface Project {
  folder: MeshFolder;
  database: Database;
  transactions: Transactions;
  /** What receipts, calls and reports are signed with. */
  identity: SigningKey;
  standardVersion: number;
  trackedSecrets: TrackedSecrets;
  /** Whether new secrets may be written into the credentials folder: not while git tracks any of it. */
  mayWriteSecrets: () => Promise<boolean>;
  /** State that was set aside, because this machine did not make it. */
  setAside: Awaited<ReturnType<typeof claimState>>;
}

/** Opens the project for this daemon alone. Throws when another daemon has it, and when a file of it is damaged. */
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
  // What came in may lack what keeps secrets out of git.
  if (await finishRestore(folder.path)) await folder.prepare();
  const database = new Database(inState(folder.state, 'mesh.db'));
  const standardVersion = await folder.standardVersion();
  if (standardVersion >= INSTRUCTIONS_REVISION) await folder.keepInstructions(instructions);
  const mayWriteSecrets = async () => (await trackedSecrets.paths()).length === 0;
  const identity = await loadIdentity(folder.credentials, mayWriteSecrets);
  const transactions = new Transactions(database);
  return { folder, database, transactions, identity, standardVersion, trackedSecrets, mayWriteSecrets, setAside };
}
