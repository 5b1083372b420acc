import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DrillProject } from '../../hard/project.js';
import { AGENT_INTERFACE } from './agent-interface-scenarios.js';
import { BOARDS } from './board-scenarios.js';
import { CLUSTERS } from './cluster-scenarios.js';
import { HUB_MESSAGES } from './hub-message-scenarios.js';
import { HUB } from './hub-scenarios.js';
import { HUB_SOCKET } from './hub-socket-scenarios.js';
import { REPUTATION } from './reputation-scenarios.js';
import type { Place, Scenario } from './scenario.js';
import { SEARCH } from './search-scenarios.js';
import { UNIFIED } from './unified-scenarios.js';
import { WALL } from './wall-scenarios.js';

const MESHD = fileURLToPath(new URL('../../../dist/meshd.js', import.meta.url));

const AREAS: readonly (readonly [string, readonly Scenario[]])[] = [
  ['Hub: registry', HUB],
  ['Hub: messages, channels, contacts', HUB_MESSAGES],
  ['Hub: live socket', HUB_SOCKET],
  ['Unified API: agents', UNIFIED],
  ['Unified API: search', SEARCH],
  ['Unified API: reputation', REPUTATION],
  ['Interface of an agent', AGENT_INTERFACE],
  ['Clusters', CLUSTERS],
  ['Boards', BOARDS],
  ['Wall', WALL],
];

/**
 * Checks a daemon on a new project with clients that are written from the specification of the network alone: the hub,
 * the unified API, clusters with boards and the Wall. Prints a line for each area and what was expected and received
 * where a scenario fails. Returns the failures.
 */
export async function checkNetwork(): Promise<string[]> {
  const project = new DrillProject({ 'README.md': '# Lamp\n\nThe lamp listens on port 8123.\n' });
  const wrong: string[] = [];
  let count = 0;
  try {
    const { address: url } = await project.start();
    const env = { PATH: process.env['PATH'], HOME: project.root };
    const operate = async (...words: string[]) =>
      (await promisify(execFile)(process.execPath, [MESHD, ...words], { cwd: project.root, env })).stdout;
    for (const [area, scenarios] of AREAS) {
      const failed = await checkArea(area, scenarios, { url, operate });
      console.log(`${area}: ${scenarios.length - failed.length} of ${scenarios.length} scenarios pass.`);
      wrong.push(...failed);
      count += scenarios.length;
    }
  } finally {
    await project.remove();
  }
  console.log(`The network's own dialects: ${count - wrong.length} of ${count} scenarios pass.`);
  return wrong;
}

async function checkArea(area: string, scenarios: readonly Scenario[], place: Place): Promise<string[]> {
  const wrong: string[] = [];
  for (const { title, check } of scenarios) {
    try {
      await check(place);
    } catch (error) {
      wrong.push(`${area}: ${title}\n    ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return wrong;
}
