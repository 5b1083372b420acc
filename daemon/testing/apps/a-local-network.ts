import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WalletKey } from '../../features/chains/chain.js';
import { LocalChain } from '../../features/chains/local/local-chain.js';
import { LocalLedger } from '../../features/chains/local/local-ledger.js';
import { LocalNetwork } from '../../features/chains/local/local-network.js';
import { walletKey } from '../../features/chains/wallet-key.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

export interface ALocalNetwork {
  root: string;
  clock: FakeClock;
  database: Database;
  ledger: LocalLedger;
  network: LocalNetwork;
  chain: LocalChain;
  /** Creates a wallet with `lamports`. */
  aWallet(lamports?: bigint): Promise<WalletKey>;
  /** Closes the database; the network can be opened again over `root`. */
  close(): void;
}

/** Creates the embedded network over a database in a temporary folder, with a fake clock. Closed when the test ends. */
export function aLocalNetwork({ root = temporaryFolder(), clock = new FakeClock() } = {}): ALocalNetwork {
  const database = new Database(putTemplateDatabase(join(root, 'mesh.db')));
  let isOpen = true;
  const close = () => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(close);
  const ledger = new LocalLedger(database);
  const network = new LocalNetwork(ledger, clock);
  return {
    root,
    clock,
    database,
    ledger,
    network,
    chain: new LocalChain(network),
    async aWallet(lamports = 0n) {
      const wallet = walletKey(SigningKey.newSeed());
      if (lamports > 0n) await network.fund(wallet.address, lamports);
      return wallet;
    },
    close,
  };
}
