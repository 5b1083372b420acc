/** The demo itself. `scripts/demo.mjs` installs and builds before it runs this module. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { Wall } from '../../daemon/client/client.js';
import type { ClusterCreated } from '../../daemon/contract/clusters.js';
import { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import { fillAgents, fillClusters } from './fill-network.js';
import { fillAsks, fillConversations, fillPayments, fillTeam } from './fill-project.js';
import { PROJECT_FILES } from './project-files.js';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const note = (line: string) => console.error(line);

/** Creates a git repository with the demo's files in the temporary folder `home`. */
function createProject(home: string): string {
  const root = join(home, 'lamp');
  for (const [path, text] of Object.entries(PROJECT_FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@lamp.example', 'commit', '--quiet', '-m', 'feat: lights at dusk');
  return root;
}

/** Connects two agents to the Wall and sends messages. Returns a function that disconnects them. */
async function joinWall(daemon: DaemonProcess, { cluster_id, token }: ClusterCreated): Promise<() => void> {
  const walls: Wall[] = [];
  for (const agent of ['bela', 'joao'])
    walls.push(
      await Wall.join(
        { address: daemon.address, WebSocket },
        { cluster: cluster_id, agent, token: token ?? undefined },
      ),
    );
  await walls[0]?.say('Good afternoon. The flea market has a new lamp.');
  await walls[1]?.say({ text: 'Does it still burn **oil**?' });
  return () => {
    for (const wall of walls) wall.leave();
  };
}

const home = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-demo-')));
const ends: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
let isEnding = false;
async function end(exit: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  for (const close of ends.reverse()) await close();
  process.exit(exit);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));

async function start(): Promise<void> {
  const root = createProject(home);
  // The daemon's entry in the user's project list is removed with the folder.
  const daemon = await DaemonProcess.start(root, { ...process.env, XDG_STATE_HOME: join(home, 'state') });
  ends.push(() => daemon.stop());
  daemon.child.once('exit', () => void end(1));
  note('The daemon runs. Filling the project…');
  const exposed = await fillTeam(daemon);
  const agents = await fillAgents(daemon);
  const cluster = await fillClusters(daemon);
  ends.push(await joinWall(daemon, cluster));
  const conversations = await fillConversations(daemon);
  const requests = await fillAsks(daemon);
  const payment = await fillPayments(daemon);
  if (!payment) note('Payments are left out: the local network (litesvm) is not available here.');
  const report = {
    address: daemon.address,
    dashboard: `${daemon.address}/app/`,
    root,
    exposed,
    conversations: conversations.length,
    requests: requests.map(({ request_id, status }) => ({ request_id, status })),
    agents,
    cluster: cluster.cluster_id,
    payment: payment?.state ?? null,
  };
  if (values.json) console.log(JSON.stringify(report));
  else
    console.log(
      `\n  Dashboard  ${report.dashboard}\n  Project    ${root}\n  Ask        curl -s ` +
        `${daemon.address}/health\n\n  Ctrl-C ends the daemon and removes the project.`,
    );
}

await start().catch(async (error: unknown) => {
  note(error instanceof Error ? error.message : String(error));
  await end(1);
});
