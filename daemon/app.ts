import { createHmac, randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Config } from './config.js';
import * as asksContract from './contract/asks.js';
import * as cardContract from './contract/card.js';
import * as clientsContract from './contract/clients.js';
import * as errorsContract from './contract/errors.js';
import type { Health } from './contract/system.js';
import * as systemContract from './contract/system.js';
import * as teamContract from './contract/team.js';
import { Bus } from './events/bus.js';
import { EventsSocket } from './events/events-socket.js';
import { AgentHost } from './features/agent-host/agent-host.js';
import { agentHostRoutes } from './features/agent-host/agent-host-routes.js';
import { type AnsweringMember, AskRuns } from './features/asks/ask-runs.js';
import { Asks } from './features/asks/asks.js';
import { asksRoutes } from './features/asks/asks-routes.js';
import { AsksStore } from './features/asks/asks-store.js';
import { BuiltinClient } from './features/clients/builtin/builtin-client.js';
import type { Client } from './features/clients/client.js';
import { Clients } from './features/clients/clients.js';
import { Conversations } from './features/conversations/conversations.js';
import { Exposure } from './features/exposure/exposure.js';
import { exposureRoutes } from './features/exposure/exposure-routes.js';
import { TokenStore } from './features/exposure/token-store.js';
import type { Knowledge } from './features/knowledge/knowledge.js';
import { examine } from './features/system/doctor.js';
import instructions from './features/system/instructions.md';
import { OperatorPreferences } from './features/system/preferences.js';
import { systemRoutes } from './features/system/system-routes.js';
import { Team } from './features/team/team.js';
import { teamRoutes } from './features/team/team-routes.js';
import { TeamStore } from './features/team/team-store.js';
import { WrongCredentials } from './http/bearer.js';
import { type App, createServer, type ServerOptions } from './http/create-server.js';
import { docsRoutes } from './http/docs-routes.js';
import { Guard } from './http/guard.js';
import { addSchemas, describeRoutes } from './http/openapi.js';
import { serveDashboard } from './http/static-ui.js';
import { type Clock, isoTime } from './lib/clock.js';
import { sha256Hex } from './lib/digests.js';
import { Database } from './storage/database.js';
import { loadIdentity } from './storage/identity-file.js';
import { JsonFile } from './storage/json-file.js';
import { MarkdownFolder } from './storage/markdown-folder.js';
import { MeshFolder, STANDARD_VERSION } from './storage/mesh-folder.js';
import { canTellPeers, isForeignPeer } from './storage/peer-uid.js';
import { SecretFile } from './storage/secret-file.js';
import { committedText, isGitRepository, looseFiles, trackedSecrets } from './storage/secrets-audit.js';

export interface AppParts {
  config: Config;
  version: string;
  clock: Clock;
  log: { level: string; stream: { write(line: string): void } } | false;
  /** The built dashboard; undefined when there is none. */
  uiFolder: string | undefined;
  openKnowledge: (root: string, state: string) => Knowledge;
  /** Clients beside `builtin`. */
  otherClients?: readonly Client[];
  onRoute?: ServerOptions['onRoute'];
}

export interface Daemon {
  app: App;
  bus: Bus;
  folder: MeshFolder;
  /** Proves to readers of the daemon's own file that it is this process that answers. */
  secret: string;
  /** Listens on the loopback address and takes up what the last daemon left; gives the port. */
  listen(port: number): Promise<number>;
  /** Ends what runs, closes sockets and the store. Repeating it is safe. */
  stop(): Promise<void>;
}

const RECENT_REQUESTS = 50;

/** Builds the whole daemon, in reading order. The only place that knows every feature. */
export async function composeDaemon({
  config,
  version,
  clock,
  log,
  uiFolder,
  openKnowledge,
  otherClients,
  onRoute,
}: AppParts): Promise<Daemon> {
  const { environment } = config;
  const startedMs = clock.now();
  const secret = randomBytes(32).toString('hex');
  let port = 0;

  const folder = new MeshFolder(config.root);
  await folder.prepare();
  const database = new Database(join(folder.state, 'mesh.db'));
  const standardVersion = await folder.standardVersion();
  if (standardVersion >= 18) await folder.keepInstructions(instructions);
  const tracked = () => trackedSecrets(folder, environment);
  const identity = await loadIdentity(folder.credentials, (await tracked()).length === 0);

  const guard = new Guard();
  const app = await createServer({ guard, isForeignPeer: (socket) => isForeignPeer(socket, config.ownUid), onRoute, log });
  const warn = (message: string) => app.log.warn(message);
  const bus = new Bus(clock);

  const knowledge = openKnowledge(config.root, folder.state);
  knowledge.onStatus((status) => bus.publish('knowledge.progress', { status }));
  const clients = new Clients({ builtin: new BuiltinClient(knowledge), others: otherClients ?? [] });
  await clients.refresh();

  const team: Team = new Team(new TeamStore(new MarkdownFolder(config.root, ['.mesh', 'team'], warn)), bus, {
    standardVersion: () => standardVersion,
    committedText: (path) => committedText(folder, path, environment),
    warn,
    resolveClient: (member) => {
      const { client_resolved, model_resolved } = clients.resolve(member);
      return { client_resolved, model_resolved };
    },
    instances: (id) => asks.instances(id),
    tokenOf: (id) => exposure.tokenOf(id),
  });
  const tokens = new TokenStore(new SecretFile(join(folder.credentials, 'team-tokens.json')));
  const exposure: Exposure = new Exposure(team, tokens, bus, clock, {
    standardVersion: () => standardVersion,
    trackedSecrets: tracked,
    warn,
  });

  const findMember = (id: string): AnsweringMember | undefined => {
    const member = exposure.external(id);
    if (!member) return undefined;
    const { name, body, model, effort, tools, refs, limits, revision, kind } = member;
    const turn = { id, name, body, model, effort, tools: tools ?? [], refs: refs ?? [], limits };
    return { revision, isSingleton: kind === 'singleton', turn, ...clients.resolve(member) };
  };
  const store = new AsksStore(database);
  const runs = new AskRuns({
    store,
    conversations: new Conversations(bus),
    knowledge,
    bus,
    clock,
    signingKey: identity,
    findMember,
    onLost: (requestId, error) => app.log.error({ err: error, requestId }, 'the ending of an ask could not be recorded'),
  });
  const asks: Asks = new Asks({ store, runs, bus, clock, findMember });
  team.onRemoved((id) => asks.callOffAll(id, 'The member was removed.'));
  team.onExposureChanged(async (id, is) =>
    is === 'internal' ? asks.callOffAll(id, 'The member was closed to other programs.') : undefined,
  );
  const host = new AgentHost(exposure, asks, () => `http://127.0.0.1:${port}`);

  const preferencesFile = new JsonFile(join(folder.state, 'preferences.json'), 0o600);
  const preferences = new OperatorPreferences({ read: () => preferencesFile.read(), write: (value) => preferencesFile.write(value) }, bus);

  const project = basename(config.root);
  const events = new EventsSocket(bus, clock, () => ({
    version,
    project,
    members: team.members(),
    requests: asks.recent(RECENT_REQUESTS),
    conversations: [],
    knowledge: knowledge.status(),
  }));

  const health = (nonce: string | undefined): Health => {
    const members = team.members();
    return {
      ok: database.state === 'ok',
      version,
      pid: process.pid,
      project,
      root_sha256: sha256Hex(config.root),
      store: database.state,
      started_at: isoTime(startedMs),
      uptime_seconds: Math.floor(clock.elapsed() / 1000),
      rss_bytes: process.memoryUsage.rss(),
      members: members.length,
      members_broken: members.filter(({ state }) => state === 'broken').length,
      exposed: exposure.externalMembers().length,
      requests_live: asks.live,
      events_sockets: events.size,
      knowledge: knowledge.status(),
      ...(nonce === undefined ? {} : { proof: createHmac('sha256', secret).update(nonce).digest('hex') }),
    };
  };
  const doctor = async () =>
    examine({
      nodeVersion: process.version,
      standardVersion,
      knownStandardVersion: STANDARD_VERSION,
      isGitRepository: await isGitRepository(folder, environment),
      trackedSecrets: await tracked(),
      looseFiles: await looseFiles(folder),
      members: team.members(),
      watching: team.watching,
      storeProblem: database.problem,
      knowledge: knowledge.status(),
      clients: await clients.list(),
      canTellPeers: canTellPeers(),
    });

  addSchemas(app, [errorsContract, teamContract, asksContract, cardContract, clientsContract, systemContract]);
  await describeRoutes(app, version);
  const wrong = new WrongCredentials(clock);
  systemRoutes(app, {
    health,
    examine: doctor,
    listClients: () => clients.list(),
    readLines: (path, start, end) => knowledge.readLines(path, start, end),
    preferences,
  });
  await app.register(teamRoutes(team));
  await app.register(exposureRoutes(exposure));
  asksRoutes(app, asks, exposure, wrong, identity.pubkey);
  agentHostRoutes(app, host, exposure, wrong);
  events.route(app);
  docsRoutes(app, () => port);
  await serveDashboard(app, uiFolder, () => port);

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    events.close();
    await asks.stop();
    await app.close();
    await team.close();
    await knowledge.close();
    database.close();
  };

  return {
    app,
    bus,
    folder,
    secret,
    async listen(wanted) {
      await preferences.load();
      await team.start();
      await exposure.start();
      await app.listen({ host: '127.0.0.1', port: wanted });
      const address = app.server.address();
      port = typeof address === 'object' && address ? address.port : wanted;
      guard.listeningOn(port);
      knowledge.start();
      if (database.state === 'ok') await asks.start();
      return port;
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
