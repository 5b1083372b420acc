import { networkAskRoutes } from '../../features/network/asks/network-ask-routes.js';
import { SharedMembers } from '../../features/network/asks/shared-members.js';
import { openNats } from '../../features/network/nats-connection.js';
import { Network } from '../../features/network/network.js';
import { networkRoutes } from '../../features/network/network-routes.js';
import { parseNetworkFile, stringifyNetworkFile } from '../../features/network/network-settings.js';
import { SetAside } from '../../features/network/snapshots/set-aside.js';
import { readPrivate } from '../../private/private-file.js';
import { inCredentials, inState } from '../../private/private-names.js';
import { atomicWrite, durableUnlink } from '../../storage/files/atomic-write.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';
import { StreamedCopies } from '../../storage/files/streamed-copies.js';
import type { Core } from '../core.js';

interface NetworkArea {
  network: Network;
  /** The members of this daemon that its network sees. */
  members: SharedMembers;
}

/**
 * Composes the network of this daemon and its routes. Changes of shared data go there from then on, so this must be
 * before the first of them. `onReady` is called once the network knows this daemon, and after a restore.
 */
export async function composeNetwork(core: Core, onReady: () => void): Promise<NetworkArea> {
  const { app, database, transactions, identity, clock, folder, mayWriteSecrets, project, shared, warn } = core;
  const path = inCredentials(folder.credentials, 'network.creds');
  const settings = new JsonStore(new JsonFile(inState(folder.state, 'network.json'), 0o600), {
    parse: parseNetworkFile,
    stringify: stringifyNetworkFile,
  });
  const members = new SharedMembers({ settings, project });
  const copies = (ending: string) => new StreamedCopies(inState(folder.state, 'before-networks'), ending);
  const network = new Network({
    ...{ settings, members },
    ...{ database, transactions, clock, mayWriteSecrets, project, warn, openNats },
    key: identity,
    kinds: shared.kinds,
    selected: shared.log,
    setAside: new SetAside({
      ...{ database, transactions, clock, kinds: shared.kinds, key: identity },
      copies: copies('.jsonl.gz'),
    }),
    files: copies('.snapshot'),
    onReady,
    credentials: {
      read: () => readPrivate(path),
      write: (text) => (text === undefined ? durableUnlink(path) : atomicWrite(path, text, 0o600)),
    },
  });
  await network.load();
  await app.register(networkRoutes, { network });
  await app.register(networkAskRoutes, { colleagues: network.colleagues, members });
  return { network, members };
}
