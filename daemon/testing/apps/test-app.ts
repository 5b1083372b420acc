import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { composeDaemon, type Daemon } from '../../app/compose-daemon.js';
import type { MachineClients } from '../../app/machine-clients.js';
import { readConfig } from '../../config.js';
import type { AskAccepted, AskRecord } from '../../contract/asks.js';
import type { MemberDetail } from '../../contract/team.js';
import type { ISOLATION_DEFAULTS } from '../../contract/work/worktrees.js';
import type { Bus } from '../../events/bus.js';
import type { Client } from '../../features/clients/client.js';
import type { RouteRow } from '../../http/create-server.js';
import { compiledModules } from '../../storage/compiled-modules.js';
import type { Reading } from '../../storage/peers/connection-table.js';
import { type Caller, caller } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryRepository } from '../temporary-folder.js';
import { userFolders } from '../user-folders.js';
import { OnDemandKnowledge } from './on-demand-knowledge.js';

const PROJECT = {
  'README.md':
    '# Lamp\n\nLamp switches the harbour lights on at dusk.\n\n## Run it\n\nStart it with `npm start`; it ' +
    'listens on port 8123.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough for the lights. */\nexport ' +
    'function isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
};

export interface TestApp {
  root: string;
  address: string;
  clock: FakeClock;
  daemon: Daemon;
  routes: RouteRow[];
  log: string[];
  call: Caller;
  getToken(member: string): Promise<string>;
  ask(member: string, body: object, headers?: Record<string, string>): Promise<AskAccepted>;
  poll(member: string, requestId: string, wait?: number): Promise<AskRecord>;
  /** Resolves when the index over the project is ready. */
  untilIndexed(): Promise<void>;
  /** Publishes an event as a feature would. */
  publish: Bus['publish'];
  stop(): Promise<void>;
}

interface TestAppOptions {
  /** A free one by default. */
  port?: number;
  /**
   * The default in the preferences. Members of most tests work in the project folder, so that no test pays for a
   * worktree that it does not look at.
   */
  isolation?: (typeof ISOLATION_DEFAULTS)[number];
  /** Replaces parts of the machine's clients. */
  machine?: Partial<MachineClients>;
  root?: string;
  files?: Record<string, string>;
  clients?: Client[];
  uiFolder?: string;
  clock?: FakeClock;
  /** Environment variables with the machine's own configuration. */
  env?: Record<string, string>;
  /** Tells whose connections are. By default all are the user's who runs the tests. */
  readOwners?: (wanted: ReadonlySet<string>) => Reading;
}

/** Writes the preference for where conversations work, unless the test brings preferences of its own. */
function putDefault(folder: string, isolation: string): void {
  const path = join(folder, '.mesh', 'state', 'preferences.json');
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify({ isolation_default: isolation }), { mode: 0o600 });
}

/** The parts of a daemon that are the same in all tests. Only the user of the tests connects to them. */
const EVERYWHERE = {
  version: '0.0.0-test',
  precompiled: { find: compiledModules(fileURLToPath(new URL('../../../dist/schemas', import.meta.url))) },
  readOwners: (wanted: ReadonlySet<string>) => new Map([...wanted].map((ends) => [ends, process.getuid?.() ?? 0])),
};

/** State and credentials that a test has written count as the operator's own. */
const getConfig = (folder: string, env: Record<string, string>) => ({
  ...readConfig(['--root', folder, '--adopt'], { ...userFolders(), ...env }, folder, process.getuid?.()),
  environment: {
    PATH: env['PATH'] ?? process.env['PATH'],
    ...(env['HOME'] !== undefined && { HOME: env['HOME'] }),
  },
});

const findNoProgram: MachineClients['findProgram'] = async () => ({ isFound: false, problem: null });

/** A temporary repository with an empty store, unless the files bring one, and the preferences of most tests. */
function newProject(files: Readonly<Record<string, string>>, isolation: TestAppOptions['isolation']): string {
  const folder = temporaryRepository(files);
  if (!Object.keys(files).some((path) => path.startsWith('.mesh/state/')))
    putTemplateDatabase(join(folder, '.mesh', 'state', 'mesh.db'));
  if (isolation !== undefined && isolation !== 'automatic') putDefault(folder, isolation);
  return folder;
}

/**
 * Starts the whole daemon on a free port over a temporary repository, with a fake clock; the project is indexed at the
 * first query. Stopped when the test ends.
 */
export async function testApp({
  root,
  port = 0,
  files,
  clients,
  machine,
  uiFolder,
  clock = new FakeClock(),
  env = {},
  isolation = 'project',
  readOwners = EVERYWHERE.readOwners,
}: TestAppOptions = {}): Promise<TestApp> {
  const folder = root ?? newProject(files ?? PROJECT, isolation);
  const routes: RouteRow[] = [];
  const log: string[] = [];
  const config = getConfig(folder, env);
  const knowledge = new OnDemandKnowledge(folder, `${folder}/.mesh/state`, config.environment);
  const daemon = await composeDaemon({
    config,
    ...{ ...EVERYWHERE, readOwners, clock },
    log: { level: 'info', stream: { write: (line) => void log.push(line) } },
    uiFolder,
    openKnowledge: () => knowledge,
    openClients: async () => ({ create: () => clients ?? [], findProgram: findNoProgram, ...machine }),
    onRoute: (route) => void routes.push(route),
  });
  onTestFinished(() => daemon.stop());
  const address = `http://127.0.0.1:${await daemon.listen(port)}`;
  await daemon.settle();

  const call = caller(address);
  const getToken = async (member: string) => ((await call('GET', `/team/${member}`)).body as MemberDetail).token ?? '';
  const bearer = async (member: string) => ({ authorization: `Bearer ${await getToken(member)}` });
  return {
    root: folder,
    address,
    clock,
    daemon,
    routes,
    log,
    call,
    getToken,
    ask: async (member, body, headers) =>
      (await call('POST', `/team/${member}/ask`, body, { ...(await bearer(member)), ...headers })).body,
    poll: async (member, requestId, wait = 0) =>
      (await call('GET', `/team/requests/${requestId}?wait=${wait}`, undefined, await bearer(member))).body,
    untilIndexed: async () => {
      await knowledge.rescan();
      await knowledge.structured();
    },
    publish: daemon.bus.publish.bind(daemon.bus),
    stop: () => daemon.stop(),
  };
}
