import { createHmac } from 'node:crypto';
import type { DoctorReport, Health, Versions } from '../contract/system.js';
import type { Asks } from '../features/asks/asks.js';
import { DaemonLog } from '../features/system/daemon-log.js';
import { examine } from '../features/system/doctor.js';
import { FileBlames } from '../features/system/file-blames.js';
import { SupportBundle } from '../features/system/support-bundle.js';
import { systemRoutes } from '../features/system/system-routes.js';
import { sha256Hex } from '../lib/crypto/digests.js';
import { isoTime } from '../lib/time/clock.js';
import { inState } from '../private/private-names.js';
import { findDamage } from '../storage/database/store-check.js';
import { StoreCopies } from '../storage/database/store-copies.js';
import { readLogTail } from '../storage/files/log-tail.js';
import { findTracking, looseFiles } from '../storage/files/secrets-audit.js';
import { describeForeignState } from '../storage/foreign-folders.js';
import { blameFile } from '../storage/git/git-blame.js';
import { readText, STANDARD_VERSION } from '../storage/mesh-folder.js';
import { canIdentifyPeers } from '../storage/peers/connection-table.js';
import { listOtherUsers } from '../storage/peers/other-users.js';
import type { AgentsArea } from './compose-agents.js';
import type { ClientsArea } from './compose-clients.js';
import type { DashboardArea } from './compose-dashboard.js';
import type { MoneyArea } from './compose-money.js';
import type { Server } from './compose-server.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';
import { createEditors } from './work/create-editors.js';

/** Number of bytes that are read from the end of the log. */
const LOG_TAIL_BYTES = 512 * 1024;

interface SystemParts {
  /** File with the licences of bundled third-party software, if any. */
  licensesFile?: string | undefined;
  clients: ClientsArea;
  team: TeamArea;
  asks: Asks;
  money: MoneyArea;
  agents: AgentsArea;
  dashboard: DashboardArea;
}

function createHealth(core: Core, { secret }: Server, { clients, team, asks, dashboard }: SystemParts) {
  const { clock, config, database, project, started, version } = core;
  return (nonce: string | undefined): Health => {
    const { members, broken } = team.team.count();
    return {
      ok: database.state === 'ok',
      version,
      pid: process.pid,
      project,
      root_sha256: sha256Hex(config.root),
      store: database.state,
      started_at: isoTime(started.ms),
      uptime_seconds: Math.floor(clock.elapsed() / 1000),
      rss_bytes: process.memoryUsage.rss(),
      members,
      members_broken: broken,
      exposed: team.exposure.externalMembers().length,
      awaiting_agreement: team.exposure.waitingMembers().length,
      requests_live: asks.live,
      events_sockets: dashboard.events.size,
      knowledge: clients.knowledge.status(),
      ...(nonce === undefined ? {} : { proof: createHmac('sha256', secret).update(nonce).digest('hex') }),
    };
  };
}

function createDoctor(core: Core, { clients, team, money }: SystemParts): () => Promise<DoctorReport> {
  const { clock, config, database, folder, setAside, standardVersion, started, trackedSecrets } = core;
  return async () =>
    examine({
      nodeVersion: process.version,
      standardVersion,
      knownStandardVersion: STANDARD_VERSION,
      tracking: await findTracking(folder, config.environment),
      trackedSecrets: await trackedSecrets.paths(),
      looseFiles: await looseFiles(folder),
      foreignState: describeForeignState(folder.path, setAside).folders.map(({ sentence }) => sentence),
      members: team.team.members(),
      watching: team.team.watching,
      storeProblem: database.problem ?? findDamage(database),
      wrongAccounts: database.state === 'ok' ? money.processor.journal.audit() : [],
      clockJumpMs: clock.now() - started.ms - (clock.elapsed() - started.elapsedMs),
      knowledge: clients.knowledge.status(),
      clients: await clients.clients.list(),
      canTellPeers: canIdentifyPeers(),
    });
}

/** Composes the status and diagnostics: health, doctor, log, versions, the support bundle, and copies of the store. */
export async function composeSystem(core: Core, server: Server, parts: SystemParts): Promise<void> {
  const { app, clock, config, database, folder, setAside, standardVersion, version } = core;
  const { licensesFile, team, agents } = parts;
  const { clients, knowledge } = parts.clients;
  const { preferences } = parts.dashboard;
  const health = createHealth(core, server, parts);
  const doctor = createDoctor(core, parts);
  const versions = (): Versions => ({
    meshd: version,
    node: process.version,
    sqlite: String(Object.values(database.sql('SELECT sqlite_version()').get() as object)[0]),
    platform: `${process.platform} ${process.arch}`,
    revision: standardVersion,
  });
  const log = new DaemonLog('.mesh/state/daemon.log', () =>
    readLogTail(inState(folder.state, 'daemon.log'), LOG_TAIL_BYTES),
  );
  const storeCopies = new StoreCopies(database, folder.state);
  const bundle = new SupportBundle({
    clock,
    versions,
    health: () => health(undefined),
    examine: doctor,
    listClients: () => clients.list(),
    members: () => team.team.members(),
    registrations: () => agents.registrations.list(),
    preferences: () => preferences.get(),
    log,
    root: config.root,
    home: config.environment['HOME'],
  });
  await app.register(systemRoutes, {
    health,
    examine: doctor,
    foreignState: () => describeForeignState(folder.path, setAside),
    otherUsers: () => listOtherUsers(server.peerUsage),
    readLines: (path, start, end) => knowledge.readLines(path, start, end),
    blames: new FileBlames({
      readLines: (path, start, end) => knowledge.readLines(path, start, end),
      blame: (place) => blameFile(config.root, config.environment, place),
    }),
    editors: createEditors(core, knowledge, preferences),
    findNames: (text, limit) => knowledge.findNames(text, limit, 'outside'),
    findCode: (query, name) => knowledge.findCode(query, name),
    findPaths: (words, limit) => knowledge.findPaths(words, limit),
    preferences,
    versions,
    log,
    bundle,
    copyStore: () => storeCopies.make(),
    licenses: async () => (licensesFile === undefined ? undefined : readText(licensesFile)),
  });
}
