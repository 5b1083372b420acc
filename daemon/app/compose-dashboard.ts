import { EventsSocket, eventsRoutes } from '../events/events-socket.js';
import type { Asks } from '../features/asks/asks.js';
import { OperatorPreferences } from '../features/system/preferences.js';
import { docsRoutes } from '../http/docs-routes.js';
import { dashboardRoutes } from '../http/static-ui.js';
import { inState } from '../private/private-names.js';
import { BuiltUi } from '../storage/built-ui.js';
import { JsonFile } from '../storage/files/json-file.js';
import type { ClientsArea } from './compose-clients.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { Server } from './compose-server.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

/** Maximum number of requests and of conversations in the first frame of the events socket. */
const RECENT = 50;

export interface DashboardArea {
  events: EventsSocket;
  preferences: OperatorPreferences;
}

interface DashboardParts {
  /** Folder of the built dashboard; undefined when it was not built. */
  uiFolder: string | undefined;
  clients: ClientsArea;
  team: TeamArea;
  conversations: ConversationsArea;
  asks: Asks;
}

/** Composes the dashboard: its files, the events socket, the operator's preferences, and the API documentation. */
export async function composeDashboard(
  { app, bus, clock, folder, project, version }: Core,
  { port }: Server,
  { uiFolder, clients, team, conversations, asks }: DashboardParts,
): Promise<DashboardArea> {
  const file = new JsonFile(inState(folder.state, 'preferences.json'), 0o600);
  const preferences = new OperatorPreferences({ read: () => file.read(), write: (value) => file.write(value) }, bus);
  const events = new EventsSocket(bus, clock, () => ({
    version,
    project,
    members: team.team.members(),
    requests: asks.recent(RECENT),
    conversations: conversations.conversations.list({ limit: RECENT }).conversations,
    knowledge: clients.knowledge.status(),
  }));
  await app.register(eventsRoutes, { events });
  await app.register(docsRoutes, { port });
  await app.register(dashboardRoutes, {
    built: uiFolder === undefined ? undefined : new BuiltUi(uiFolder),
    port,
    look: () => preferences.get(),
    seq: () => bus.seq,
  });
  return { events, preferences };
}
