import { createHmac, randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { composeA2a } from './a2a-surfaces.js';
import { composeAgentSurfaces } from './agent-surfaces.js';
import { composeClusters } from './clusters-surfaces.js';
import type { Config } from './config.js';
import * as agentsContract from './contract/agents.js';
import * as asksContract from './contract/asks.js';
import * as boardsContract from './contract/boards.js';
import * as cardContract from './contract/card.js';
import * as clientsContract from './contract/clients.js';
import * as clustersContract from './contract/clusters.js';
import * as conversationsContract from './contract/conversations.js';
import * as errorsContract from './contract/errors.js';
import * as foreignStateContract from './contract/foreign-state.js';
import * as hostedAgentsContract from './contract/hosted-agents.js';
import * as houseAgentsContract from './contract/house-agents.js';
import * as hubContract from './contract/hub.js';
import * as importsContract from './contract/imports.js';
import * as memberTestsContract from './contract/member-tests.js';
import * as oracleContract from './contract/oracle.js';
import * as paymentsContract from './contract/payments.js';
import * as projectsContract from './contract/projects.js';
import * as registryContract from './contract/registry.js';
import * as reputationContract from './contract/reputation.js';
import * as roadmapContract from './contract/roadmap.js';
import * as roomsContract from './contract/rooms.js';
import type { Health, Versions } from './contract/system.js';
import * as systemContract from './contract/system.js';
import * as teamContract from './contract/team.js';
import { Bus } from './events/bus.js';
import { EventsSocket } from './events/events-socket.js';
import { AgentHost } from './features/agent-host/agent-host.js';
import { agentHostRoutes } from './features/agent-host/agent-host-routes.js';
import { DefaultWallet } from './features/agent-host/default-wallet.js';
import { AskStore } from './features/asks/ask-store.js';
import { Asks } from './features/asks/asks.js';
import { asksRoutes } from './features/asks/asks-routes.js';
import { BuiltinClient } from './features/clients/builtin/builtin-client.js';
import { Clients } from './features/clients/clients.js';
import { promptOf } from './features/conversations/agent-types.js';
import { citationsIn } from './features/conversations/answer-citations.js';
import { Conversations } from './features/conversations/conversations.js';
import { conversationsRoutes } from './features/conversations/conversations-routes.js';
import { type ConversationRow, ConversationsStore } from './features/conversations/conversations-store.js';
import { Messages } from './features/conversations/messages.js';
import { messagesRoutes } from './features/conversations/messages-routes.js';
import { Permissions } from './features/conversations/permissions.js';
import { permissionsRoutes } from './features/conversations/permissions-routes.js';
import { PermissionsStore } from './features/conversations/permissions-store.js';
import { TurnRuns } from './features/conversations/turn-runs.js';
import { TurnsStore } from './features/conversations/turns-store.js';
import { Agreements } from './features/exposure/agreements.js';
import { Exposure } from './features/exposure/exposure.js';
import { exposureRoutes } from './features/exposure/exposure-routes.js';
import { TokenStore } from './features/exposure/token-store.js';
import { composeImports } from './features/imports/imports-surface.js';
import type { Knowledge } from './features/knowledge/knowledge.js';
import { composeMcp } from './features/mcp/mcp-composition.js';
import { composeMemberTests } from './features/member-tests/member-tests-surface.js';
import type { TestedMembers } from './features/member-tests/tested-members.js';
import { composeProjects } from './features/projects/projects-surface.js';
import { Roadmap } from './features/roadmap/roadmap.js';
import { roadmapRoutes } from './features/roadmap/roadmap-routes.js';
import { DaemonLog } from './features/system/daemon-log.js';
import { examine } from './features/system/doctor.js';
import instructions from './features/system/instructions.md';
import { OperatorPreferences } from './features/system/preferences.js';
import { SupportBundle } from './features/system/support-bundle.js';
import { systemRoutes } from './features/system/system-routes.js';
import type { MemberVersion } from './features/team/member-file.js';
import { MembersHistory } from './features/team/member-history.js';
import { memberHistoryRoutes } from './features/team/member-history-routes.js';
import { Team } from './features/team/team.js';
import { teamRoutes } from './features/team/team-routes.js';
import { TeamStore } from './features/team/team-store.js';
import { WrongCredentials } from './http/bearer.js';
import { ConnectionShare } from './http/connection-share.js';
import { type App, createServer, type ServerOptions } from './http/create-server.js';
import { docsRoutes } from './http/docs-routes.js';
import { Guard } from './http/guard.js';
import { addSchemas, describeRoutes } from './http/openapi.js';
import { OperatorProof } from './http/operator-proof.js';
import { PeerLimits } from './http/peer-limits.js';
import { SignedCallers } from './http/signed-caller.js';
import { serveDashboard } from './http/static-ui.js';
import { type Clock, isoTime, systemClock } from './lib/clock.js';
import { sha256Hex } from './lib/digests.js';
import { nextTurn } from './lib/loop-turns.js';
import { prepareSkillSchemas } from './lib/skill-schema.js';
import type { MachineClients } from './machine-clients.js';
import { composeMoney } from './money-surfaces.js';
import { inCredentials, inState } from './private/private-names.js';
import { StateOwner } from './private/state-owner.js';
import { atomicWrite } from './storage/atomic-write.js';
import { BuiltUi } from './storage/built-ui.js';
import { claimState } from './storage/claim-state.js';
import { canTellPeers } from './storage/connection-table.js';
import { Database } from './storage/database.js';
import { describeForeignState, describeSetAside } from './storage/foreign-folders.js';
import { GitFileHistory } from './storage/git-file-history.js';
import { loadIdentity } from './storage/identity-file.js';
import { JsonFile } from './storage/json-file.js';
import { readLogTail } from './storage/log-tail.js';
import { MarkdownFolder } from './storage/markdown-folder.js';
import { MeshFolder, readText, STANDARD_VERSION } from './storage/mesh-folder.js';
import { connectionLimits } from './storage/open-files.js';
import { PeerBudget } from './storage/peer-budget.js';
import { Peers } from './storage/peer-uid.js';
import { PeerUsage } from './storage/peer-usage.js';
import { finishRestore } from './storage/restore-moves.js';
import { SecretFile } from './storage/secret-file.js';
import { committedText, isGitRepository, looseFiles } from './storage/secrets-audit.js';
import { findDamage } from './storage/store-check.js';
import { StoreCopies } from './storage/store-copies.js';
import { TableReader } from './storage/table-reader.js';
import { TrackedSecrets } from './storage/tracked-secrets.js';
import { Transactions } from './storage/transaction.js';
import { UsedNonces } from './storage/used-nonces.js';

export interface AppParts {
  config: Config;
  version: string;
  clock: Clock;
  log: { level: string; stream: { write(line: string): void } } | false;
  /** Folder of the built dashboard; undefined when there is none. */
  uiFolder: string | undefined;
  /** The file with the licences of bundled packages, if it was built. */
  licensesFile?: string;
  openKnowledge: (root: string, state: string) => Knowledge;
  /**
   * The bundle of the worker thread that reads the kernel's table of connections. Without it the event loop reads the
   * table.
   */
  connectionTableWorker?: URL;
  /** Opens the clients beside `builtin`. Called when the project's folders exist. */
  openClients: (folder: MeshFolder) => Promise<MachineClients>;
  onRoute?: ServerOptions['onRoute'];
  precompiled?: ServerOptions['precompiled'];
}

export interface Daemon {
  app: App;
  bus: Bus;
  folder: MeshFolder;
  /** Proves to a program that has read the daemon's file that it is connected to this process. */
  secret: string;
  /** Listens on the loopback address, resumes what the last daemon left, and returns the port. */
  listen(port: number): Promise<number>;
  /**
   * Does the rest of the start after the daemon was reported as listening: registers members as agents and prepares the
   * search.
   */
  settle(): Promise<void>;
  /** Ends running work and closes the sockets and the store. Idempotent. */
  stop(): Promise<void>;
}

const PROBE_EVERY_MS = 30_000;
/** Number of bytes read from the end of the log. */
const LOG_TAIL_BYTES = 512 * 1024;
/**
 * Maximum number of connections that wait to be accepted. After a restart all members of the Wall reconnect at once,
 * and a client that finds the queue full retries only after one to three seconds. The system's own limit (`somaxconn`)
 * also applies.
 */
const BACKLOG = 4_096;
/** How long the start waits for the first readiness check of the clients. */
const FIRST_PROBE_MS = 250;

/** Number of rows of each kind in the first frame of the events socket. */
const RECENT = 50;

/** Composes the whole daemon, in reading order. Only this function knows every feature. */
export async function composeDaemon({
  config,
  version,
  clock,
  log,
  uiFolder,
  licensesFile,
  openKnowledge,
  connectionTableWorker,
  openClients,
  onRoute,
  precompiled,
}: AppParts): Promise<Daemon> {
  const { environment } = config;
  const startedMs = clock.now();
  const startedElapsedMs = clock.elapsed();
  const secret = randomBytes(32).toString('hex');
  let port = 0;

  const folder = new MeshFolder(config.root);
  const trackedSecrets = new TrackedSecrets(folder.root, environment);
  const setAside = await claimState(folder, {
    owner: new StateOwner(config.stateFolder),
    isVouchedFor: config.isStateVouchedFor,
    tracked: () => trackedSecrets.paths(),
    nowMs: startedMs,
  });
  await folder.prepare();
  // The restored files may lack what keeps secrets out of git.
  if (await finishRestore(folder.path)) await folder.prepare();
  const database = new Database(inState(folder.state, 'mesh.db'));
  const standardVersion = await folder.standardVersion();
  if (standardVersion >= 18) await folder.keepInstructions(instructions);
  const mayWriteSecrets = async () => (await trackedSecrets.paths()).length === 0;
  const identity = await loadIdentity(folder.credentials, mayWriteSecrets);

  const guard = new Guard();
  const connectionTable = new TableReader(connectionTableWorker, systemClock);
  const peers = new Peers(config.ownUid, connectionTable);
  const peerLimits = new PeerLimits(
    (socket) => peers.foreignUid(socket),
    new PeerBudget(new PeerUsage(database, folder.state, clock), clock),
  );
  const operator = new OperatorProof(secret);
  const app = await createServer({
    guard,
    isForeignPeer: (socket) => peers.isForeign(socket),
    noteOperator: (request) => {
      if (operator.isProved(request)) peers.rememberOwn(request.socket);
    },
    whenPeerKnown: (socket, known) => peers.whenKnown(socket, known),
    peerLimits,
    onRoute,
    precompiled,
    log,
  });
  peers.follow(app.server);
  new ConnectionShare(connectionLimits(), peers).follow(app.server);
  const warn = (message: string) => app.log.warn(message);
  if (setAside) warn(describeSetAside(setAside));
  const bus = new Bus(clock);

  const knowledge = openKnowledge(config.root, folder.state);
  knowledge.onStatus((status) => bus.publish('knowledge.progress', { status }));
  const machine = await openClients(folder);
  const clients = new Clients({ builtin: new BuiltinClient(knowledge), others: machine.clients });
  const keepProbing = () => {
    // A client whose check fails is listed as not ready.
    void clients.refresh();
    clock.after(PROBE_EVERY_MS, keepProbing);
  };

  const teamStore = new TeamStore(new MarkdownFolder(config.root, ['.mesh', 'team'], warn));
  const team: Team = new Team(teamStore, bus, {
    standardVersion: () => standardVersion,
    committedText: (path) => committedText(folder, path, environment),
    warn,
    resolveClient: (member) => {
      const { client_resolved, model_resolved } = clients.resolve(member);
      return { client_resolved, model_resolved };
    },
    instances: (id) => conversations.instances(id),
    tokenOf: (id) => exposure.tokenOf(id),
    findHold: (member) => exposure.findHold(member),
  });
  const tokens = new TokenStore(new SecretFile(inCredentials(folder.credentials, 'team-tokens.json')));
  const agreements = new Agreements(new SecretFile(inState(folder.state, 'exposure.json')));
  const exposure: Exposure = new Exposure(team, tokens, agreements, bus, clock, {
    standardVersion: () => standardVersion,
    trackedSecrets: () => trackedSecrets.paths(),
    warn,
    findTestsHold: (member) => memberTests.findHold(member),
    lookForTests: (id) => memberTests.look(id),
  });

  const resolve = (row: ConversationRow) => {
    const member = row.member === null ? undefined : team.serving(row.member);
    if (row.member !== null && !member) return undefined;
    const id = member?.id ?? row.agent_type;
    const asked = {
      client: row.client ?? member?.client ?? 'auto',
      model: row.model ?? member?.model ?? 'strongest',
      effort: row.effort ?? member?.effort ?? 'default',
    };
    const resolution = clients.resolve(asked);
    return {
      ...resolution,
      effort_resolved: asked.effort,
      revision: member?.revision ?? '',
      key: member?.kind === 'singleton' ? `singleton ${id}` : row.conv,
      member: {
        id,
        name: member?.name ?? id,
        body: member?.body ?? promptOf(row.agent_type),
        model: resolution.model_resolved,
        effort: asked.effort,
        tools: member?.tools ?? ['read', 'search', 'edit', 'execute', 'web', 'todo', 'ask'],
        refs: member?.refs ?? [],
        limits: member?.limits ?? { turns: 30, minutes: 10 },
      },
    };
  };
  const turns = new TurnsStore(database);
  const transactions = new Transactions(database);
  const permissions = new Permissions(transactions, new PermissionsStore(database), bus, clock);
  const conversationsStore = new ConversationsStore(database);
  const askStore = new AskStore(database);
  const runs = new TurnRuns({
    transactions,
    conversations: conversationsStore,
    turns,
    documentsOf: ({ turn, profile }) =>
      profile === 'outside' ? askStore.documentsOfTurn(turn) : turns.documentsOf(turn),
    permissions,
    bus,
    clock,
    resolve,
    cite: async (text, own, profile) => {
      const lines = (path: string, start: number, end: number) =>
        knowledge.readLines(path, start, end, profile).then(
          (found) => found.lines,
          () => undefined,
        );
      const named = own.length > 0 ? { citations: [...own], unknown: 0 } : await citationsIn(text, lines);
      const checked = await knowledge.check(named.citations, profile);
      const standing = checked.filter(({ status }) => status !== 'dropped');
      return { citations: standing, dropped: checked.length - standing.length + named.unknown };
    },
    onLost: (turn, error) => app.log.error({ err: error, turn }, 'the ending of a turn could not be recorded'),
  });
  const conversations: Conversations = new Conversations({
    transactions,
    store: conversationsStore,
    turns,
    runs,
    permissions,
    team,
    resolve,
    bus,
    clock,
  });
  const messages = new Messages({
    transactions,
    conversations,
    store: conversationsStore,
    turns,
    runs,
    team,
    bus,
    clock,
  });
  team.onRemoved((id) => conversations.memberGone(id));
  team.onBecameSingleton((id) => conversations.becameSingleton(id));

  const runsOn = (member: MemberVersion | undefined) => {
    if (!member) return undefined;
    const { client_resolved, model_resolved } = clients.resolve(member);
    return { client_resolved, model_resolved };
  };
  const asks: Asks = new Asks({
    transactions,
    store: askStore,
    conversations,
    messages,
    runs,
    bus,
    clock,
    signingKey: identity,
    findMember: (id) => runsOn(exposure.external(id)),
    findRunnable: (id) => runsOn(team.serving(id)),
  });
  team.onExposureChanged(async (id, is) =>
    is === 'internal' ? asks.ending.cancelAsksOf(id, 'The member was closed to other programs.') : undefined,
  );
  const roadmapPath = join(folder.path, 'roadmap.md');
  const roadmapFile = {
    relativePath: '.mesh/roadmap.md',
    read: () => readText(roadmapPath),
    write: (text: string) => atomicWrite(roadmapPath, text, 0o644),
  };
  const roadmap = new Roadmap(roadmapFile, team, conversations, messages, bus, warn, runs);
  const address = () => `http://127.0.0.1:${port}`;
  const wallet = new DefaultWallet(async () => (await money.walletKeys.get()).address);
  const host = new AgentHost({
    exposure,
    asks,
    clock,
    till: () => money.till,
    origin: address,
    resolve: (member) => clients.resolve(member),
    wallet,
    findTests: (member) => memberTests.cardTests(member),
    onFailure: (error, skill) => app.log.error({ err: error, skill }, 'a skill failed'),
  });

  const preferencesFile = new JsonFile(inState(folder.state, 'preferences.json'), 0o600);
  const preferences = new OperatorPreferences(
    { read: () => preferencesFile.read(), write: (value) => preferencesFile.write(value) },
    bus,
  );

  const project = basename(config.root);
  const events = new EventsSocket(bus, clock, () => ({
    version,
    project,
    members: team.members(),
    requests: asks.recent(RECENT),
    conversations: conversations.list({ limit: RECENT }).conversations,
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
      awaiting_agreement: exposure.waitingMembers().length,
      requests_live: asks.live,
      events_sockets: events.size,
      knowledge: knowledge.status(),
      ...(nonce === undefined ? {} : { proof: createHmac('sha256', secret).update(nonce).digest('hex') }),
    };
  };
  const foreignState = () => describeForeignState(folder.path, setAside);
  const doctor = async () =>
    examine({
      nodeVersion: process.version,
      standardVersion,
      knownStandardVersion: STANDARD_VERSION,
      isGitRepository: await isGitRepository(folder, environment),
      trackedSecrets: await trackedSecrets.paths(),
      looseFiles: await looseFiles(folder),
      foreignState: foreignState().folders.map(({ sentence }) => sentence),
      members: team.members(),
      watching: team.watching,
      storeProblem: database.problem ?? findDamage(database),
      wrongAccounts: database.state === 'ok' ? money.till.journal.audit() : [],
      clockJumpMs: clock.now() - startedMs - (clock.elapsed() - startedElapsedMs),
      knowledge: knowledge.status(),
      clients: await clients.list(),
      canTellPeers: canTellPeers(),
    });

  const versions = (): Versions => ({
    meshd: version,
    node: process.version,
    sqlite: String(Object.values(database.sql('SELECT sqlite_version()').get() as object)[0]),
    platform: `${process.platform} ${process.arch}`,
    revision: standardVersion,
  });
  const daemonLog = new DaemonLog('.mesh/state/daemon.log', () =>
    readLogTail(inState(folder.state, 'daemon.log'), LOG_TAIL_BYTES),
  );

  const storeCopies = new StoreCopies(database, folder.state);

  addSchemas(app, [
    errorsContract,
    teamContract,
    asksContract,
    cardContract,
    clientsContract,
    conversationsContract,
    roadmapContract,
    agentsContract,
    hubContract,
    importsContract,
    memberTestsContract,
    registryContract,
    hostedAgentsContract,
    houseAgentsContract,
    oracleContract,
    reputationContract,
    clustersContract,
    boardsContract,
    roomsContract,
    paymentsContract,
    projectsContract,
    systemContract,
    foreignStateContract,
  ]);
  await describeRoutes(app, version);
  const wrong = new WrongCredentials(clock);
  systemRoutes(app, {
    health,
    examine: doctor,
    foreignState,
    listClients: () => clients.list(),
    readLines: (path, start, end) => knowledge.readLines(path, start, end),
    findPaths: (words, limit) => knowledge.findPaths(words, limit),
    preferences,
    versions,
    log: daemonLog,
    bundle: new SupportBundle({
      clock,
      versions,
      health: () => health(undefined),
      examine: doctor,
      listClients: () => clients.list(),
      members: () => team.members(),
      registrations: () => agents.registrations(),
      preferences: () => preferences.get(),
      log: daemonLog,
      root: config.root,
      home: environment['HOME'],
    }),
    copyStore: () => storeCopies.make(),
    licenses: async () => (licensesFile === undefined ? undefined : readText(licensesFile)),
  });
  await app.register(teamRoutes(team));
  await app.register(
    memberHistoryRoutes(new MembersHistory(team, teamStore, new GitFileHistory(config.root, environment))),
  );
  const imports = composeImports({
    app,
    bus,
    team,
    teamStore,
    root: config.root,
    home: environment['HOME'],
    state: folder.state,
    warn,
  });
  await app.register(exposureRoutes(exposure));
  const memberTests: TestedMembers = composeMemberTests({
    app,
    team,
    exposure,
    asks,
    bus,
    clock,
    root: config.root,
    state: folder.state,
  });
  const { acceptance, ending } = asks;
  asksRoutes(app, { asks, acceptance, ending, exposure, wrong, ownPubkey: identity.pubkey });
  const signed = new SignedCallers(new UsedNonces(database), clock);
  agentHostRoutes(app, host, signed, wrong);
  const a2a = composeA2a({
    app,
    database,
    folder,
    bus,
    clock,
    exposure,
    asks,
    host,
    wrong,
    mayWriteSecrets,
    loopbackEndpoints: config.loopbackEndpoints,
    address,
    findMember: (id) => runsOn(exposure.external(id)),
  });
  conversationsRoutes(app, conversations);
  messagesRoutes(app, messages);
  permissionsRoutes(app, permissions);
  roadmapRoutes(app, roadmap);
  const agents = await composeAgentSurfaces({
    app,
    peerLimits,
    database,
    folder,
    bus,
    clock,
    identity,
    signed,
    mayWriteSecrets,
    address,
    partnerKeys: config.partnerKeys,
    loopbackEndpoints: config.loopbackEndpoints,
    environment,
    project,
    team,
    exposure,
    host,
    isPaidTo: (member, { network, signature }) => money.till.isSettled(member, network, signature),
    hasPaid: (agentId, { network, signature }) => money.spending.hasPaid(agentId, network, signature),
  });
  const money = await composeMoney({
    app,
    config,
    database,
    folder,
    bus,
    clock,
    mayWriteSecrets,
    creditOf: (pubkey) => agents.creditOf(pubkey),
    directory: agents.directory,
    outbound: agents.outbound,
    loopback: agents.loopback,
    identity,
    address,
  });
  const clusters = await composeClusters({
    app,
    database,
    bus,
    clock,
    wrong,
    address,
    commonsFile: new SecretFile(inCredentials(folder.credentials, 'commons.json')),
    roomsFile: new SecretFile(inCredentials(folder.credentials, 'rooms.json')),
    mayWriteSecrets,
  });
  const mcp = composeMcp({
    app,
    bus,
    wrong,
    clock,
    version,
    exposure,
    host,
    asks,
    oracle: agents.oracle,
    clusters: clusters.clusters,
    ...clusters.boards,
    lastTool: (conv) => runs.live(conv)?.calls.at(-1)?.name,
  });
  const projects = composeProjects({
    app,
    folder: config.projectsFolder,
    ownUid: config.ownUid,
    own: () => ({
      name: project,
      root: config.root,
      address: address(),
      pid: process.pid,
      version,
      started_at: isoTime(startedMs),
    }),
  });
  events.route(app);
  docsRoutes(app, () => port);
  await serveDashboard({
    app,
    built: uiFolder === undefined ? undefined : new BuiltUi(uiFolder),
    port: () => port,
    look: () => preferences.get(),
    seq: () => bus.seq,
  });

  let settling: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    projects.withdraw();
    events.close();
    await memberTests.stop();
    await mcp.stop();
    asks.stop();
    a2a.stop();
    clusters.stop();
    // Stopped before the parts that find agents and read their cards: an interrupted call then continues at the next
    // start and does not fail.
    await money.spending.stop();
    await settling;
    await imports.stop();
    await agents.stop();
    await money.stop();
    await runs.stop();
    await machine.processes?.stopAll();
    await app.close();
    connectionTable.close();
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
      const probed = Promise.race([
        clients.refresh(),
        new Promise<void>((resolve) => void systemClock.after(FIRST_PROBE_MS, resolve)),
      ]);
      await preferences.load();
      await team.start();
      await memberTests.start();
      await exposure.start();
      app.addHook('onListen', (done) => {
        const bound = app.server.address();
        port = typeof bound === 'object' && bound ? bound.port : wanted;
        guard.listeningOn(port);
        // Logged before any request is answered: a page that reconnects to the daemon can read it in the log.
        app.log.info({ address: address(), root: config.root }, 'listening');
        done();
      });
      await app.listen({ host: '127.0.0.1', port: wanted, backlog: BACKLOG });
      knowledge.start();
      await probed;
      clock.after(PROBE_EVERY_MS, keepProbing);
      await machine.processes?.reapOrphans();
      if (database.state !== 'ok') return port;
      await runs.endInterrupted();
      await conversations.start();
      runs.pump();
      await asks.start();
      await a2a.start();
      await clusters.start();
      await money.start();
      return port;
    },
    settle() {
      void projects.announce();
      if (database.state !== 'ok') return settling;
      settling = agents
        .start()
        .catch((error: unknown) => app.log.error({ err: error }, 'the agents of this project could not be registered'))
        .then(() => imports.start())
        .then(() => nextTurn())
        .then(prepareSkillSchemas);
      return settling;
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
