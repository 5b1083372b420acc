/** Starts the servers and daemons of `up.mjs`, and stops them at the first signal. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NatsServers } from '../../daemon/testing/processes/nats-server.js';

const PROGRAM = fileURLToPath(new URL('../../dist/meshd.js', import.meta.url));
/**
 * The projects: the name of each one's daemon in the network, and a fact that only its members know. By the names of
 * the projects they would be found as those of one user, without the network.
 */
const HELD = {
  harbour: { name: 'anna', fact: 'The harbour master answers on channel 12.' },
  lighthouse: { name: 'ben', fact: 'The lamp turns once in 20 seconds.' },
  shipyard: { name: 'cleo', fact: 'The slipway takes hulls of 40 metres.' },
};
const PROJECTS = Object.keys(HELD) as (keyof typeof HELD)[];

const [, , given] = process.argv;
if (given !== undefined && existsSync(given)) {
  console.error(`${given} is there already: name a folder that is not.`);
  process.exit(1);
}
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'meshd-network-')) : resolve(given);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const servers = await NatsServers.start(3);
const getRoot = (project: string) => join(folder, project);
const COMMAND = 'node dist/meshd.js';

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
    writeFileSync(join(getRoot(project), 'README.md'), `# ${project}\n\n${HELD[project].fact}\n`);
    execFileSync('git', ['add', 'README.md'], { cwd: getRoot(project) });
    const { address } = meshd(project, 'up', '--port', '0');
    meshd(project, 'network', index === 0 ? 'create' : 'join', servers.url, '--name', HELD[project].name);
    meshd(project, 'network', 'share', 'consultant');
    console.log(`${project.padEnd(12)}${String(address)}  ${getRoot(project)}`);
  }
  console.log(
    [
      `servers     ${servers.url}`,
      '\nThree daemons of one network. In another terminal, in this folder:',
      `  cd ${process.cwd()}`,
      `  ${COMMAND} network members --root ${getRoot('harbour')}`,
      `  ${COMMAND} ask ben/consultant "How often does the lamp turn?" --root ${getRoot('harbour')}`,
      '\nCtrl-C here stops all of it and removes the folders.',
    ].join('\n'),
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
