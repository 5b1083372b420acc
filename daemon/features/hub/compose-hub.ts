import type { Bus } from '../../events/bus.js';
import { AgentBearers } from '../../http/callers/agent-bearer.js';
import type { WrongCredentials } from '../../http/callers/bearer.js';
import type { PartnerKeys } from '../../http/callers/partner-key.js';
import type { PeerLimits } from '../../http/callers/peer-limits.js';
import type { App } from '../../http/route-types.js';
import type { AgentTokens } from '../../lib/crypto/agent-token.js';
import type { Clock } from '../../lib/time/clock.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import type { Database } from '../../storage/database/database.js';
import { Hub } from './hub.js';
import { HubChannels } from './hub-channels.js';
import { HubChannelsStore } from './hub-channels-store.js';
import { HubContacts } from './hub-contacts.js';
import { HubContactsStore } from './hub-contacts-store.js';
import { HubDirectory } from './hub-directory.js';
import { HubLines } from './hub-lines.js';
import { HubMessages, type SentMessage } from './hub-messages.js';
import { hubMessagesRoutes } from './hub-messages-routes.js';
import { HubMessagesStore } from './hub-messages-store.js';
import { hubRoutes } from './hub-routes.js';
import { hubSocket } from './hub-socket.js';
import { HubStore } from './hub-store.js';
import { HubTalkCommands } from './hub-talk-commands.js';

interface ComposeHubParts {
  app: App;
  /** The storage limits of other users. Without it there is no limit. */
  peerLimits?: PeerLimits;
  database: Database;
  shared: SharedChanges;
  /** See `HubCommands`. */
  gone?: (agentId: string) => void;
  tokens: AgentTokens;
  bus: Bus;
  clock: Clock;
  /** This daemon's own address, available once it listens. */
  address: () => string;
  partners: PartnerKeys;
  wrong: WrongCredentials;
}

export interface HubArea {
  hub: Hub;
  /** Number of open live sockets. */
  readonly sockets: number;
  /** Number of bytes queued for the readers of all live sockets. */
  readonly queuedBytes: number;
  /** See `HubMessages.onSent`. */
  onSent(listener: (sent: SentMessage) => void): void;
  start(): void;
  stop(): Promise<void>;
}

/** Composes the hub with its messages, live sockets and routes. */
export async function composeHub({
  app,
  peerLimits,
  database,
  shared,
  gone,
  tokens,
  bus,
  clock,
  address: hubUrl,
  partners,
  wrong,
}: ComposeHubParts): Promise<HubArea> {
  const agents = new HubStore(database);
  const directory = new HubDirectory(agents, shared, clock);
  const contactsStore = new HubContactsStore(database);
  const hub = new Hub({ store: agents, contacts: contactsStore, directory, shared, gone, tokens, bus, clock, hubUrl });

  const contacts = new HubContacts(contactsStore, shared.log, directory);
  const lines: HubLines = new HubLines(directory, clock, {
    carry: (connection, bytes, work) => (peerLimits ? peerLimits.carry(connection, bytes, work) : work()),
    send: (caller, frame) => messages.send(caller, frame),
    listOwners: (agentId) => contacts.listOwners(agentId),
    failed: (error) => app.log.error({ area: 'agents', err: error }, 'a frame could not be carried out'),
  });
  hub.onRemoved((agentId, owners) => lines.closeAll(agentId, owners));
  shared.kinds.onReplaced(() => lines.closeEnded());
  const channelsStore = new HubChannelsStore(database);
  const channels = new HubChannels(channelsStore, shared.log, directory);
  const store = new HubMessagesStore(database);
  const messages = new HubMessages({ store, shared, channels: channelsStore, directory, lines, clock });
  const talk = { agents, channels: channelsStore, contacts: contactsStore, messages: store };
  shared.kinds.define(new HubTalkCommands(talk).kinds);

  const bearers = new AgentBearers(hub);
  await app.register(hubRoutes, { hub, bearers, partners, wrong });
  await app.register(hubMessagesRoutes, { messages, channels, contacts, bearers });
  await app.register(hubSocket, { lines, bearers });

  return {
    hub,
    get sockets() {
      return lines.size;
    },
    get queuedBytes() {
      return lines.queuedBytes;
    },
    onSent: (listener) => messages.onSent(listener),
    start() {
      directory.start();
      lines.start();
      messages.start();
    },
    async stop() {
      lines.stop();
      messages.stop();
      await directory.stop();
    },
  };
}
