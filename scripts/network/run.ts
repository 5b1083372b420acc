/** Starts the servers and daemons of `up.mjs`, and stops them at the first signal. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NatsServers } from '../../daemon/testing/processes/nats-server.js';

const PROGRAM = fileURLToPath(new URL('../../dist/meshd.js', import.meta.url));
const PROJECTS = ['harbour', 'lighthouse', 'shipyard'];

const folder = mkdtempSync(join(tmpdir(), 'meshd-network-'));
const servers = await NatsServers.start(3);
const getRoot = (project: string) => join(folder, project);

/** Runs a command of meshd in a project and returns its object. */
function meshd(project: string, ...args: string[]): Record<string, unknown> {
  const { stdout, status } = spawnSync(process.execPath, [PROGRAM, ...args, '--root', getRoot(project), '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answer = JSON.parse(stdout || '{}') as Record<string, unknown>;
  if (status !== 0) throw new Error(`meshd ${args.join(' ')}: ${String(answer['message'] ?? status)}`);
  return answer;
}

async function stop(): Promise<void> {
  for (const project of PROJECTS) {
    try {
      meshd(project, 'down');
    } catch (error) {
      console.error(String(error));
    }
  }
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

try {
  for (const [index, project] of PROJECTS.entries()) {
    mkdirSync(getRoot(project));
    execFileSync('git', ['init', '--quiet'], { cwd: getRoot(project) });
    writeFileSync(join(getRoot(project), 'README.md'), `# ${project}\n`);
    const { address } = meshd(project, 'up', '--port', '0');
    meshd(project, 'network', index === 0 ? 'create' : 'join', servers.url);
    console.log(`${project.padEnd(12)}${String(address)}  ${getRoot(project)}`);
  }
  console.log(
    `servers     ${servers.url}\nmeshd network members --root ${getRoot('harbour')}\nCtrl-C stops all of it.`,
  );
} catch (error) {
  console.error(String(error));
  await stop();
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(0)));
// Nothing else keeps this process.
setInterval(() => undefined, 2 ** 30);
