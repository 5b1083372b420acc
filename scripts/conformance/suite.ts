import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const NODE = join(FOLDER, 'node_modules/node/bin/node');
const SERVER_SCENARIO = /^ {2}- (\S+) \[([^\]]+)\]$/;

/** How the checks of one scenario came out. */
export interface Outcome {
  passed: number;
  failed: number;
  /** What the first one that failed said. */
  said?: string;
}

interface Check {
  status: string;
  id?: string;
  errorMessage?: string;
}

/** Installs the suite and the Node.js that it needs beside it, unless they are there as they are pinned. */
export async function installSuite(): Promise<void> {
  const { dependencies } = readJson(join(FOLDER, 'package.json')) as { dependencies: Record<string, string> };
  const isThere = ([name, version]: [string, string]) => {
    const manifest = join(FOLDER, 'node_modules', name, 'package.json');
    return existsSync(manifest) && (readJson(manifest) as { version: string }).version === version;
  };
  if (Object.entries(dependencies).every(isThere) && existsSync(NODE)) return;
  console.log('Installing the conformance suite and the Node.js that it runs on ...');
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: FOLDER,
    stdio: 'inherit',
  });
  const [exit] = await once(child, 'exit');
  if (exit !== 0) throw new Error(`npm ci ended with ${exit}.`);
}

/** Every server scenario that the suite has, with the versions of the protocol that it is for. */
export async function listScenarios(): Promise<Map<string, string[]>> {
  const { stdout } = await promisify(execFile)(NODE, [SUITE, 'list']);
  const [, ofServers = ''] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  const scenarios = ofServers.split('\n').flatMap((line): [string, string[]][] => {
    const [, name, versions] = SERVER_SCENARIO.exec(line) ?? [];
    return name === undefined || versions === undefined ? [] : [[name, versions.split(',')]];
  });
  if (scenarios.length === 0) throw new Error('The list of scenarios could not be read.');
  return new Map(scenarios);
}

/** Runs all scenarios of one version of the protocol against the server at `url`; gives what came of each. */
export async function runSuite(url: string, version: string): Promise<Map<string, Outcome>> {
  const results = mkdtempSync(join(tmpdir(), 'meshd-conformance-'));
  try {
    const args = [SUITE, 'server', '--url', url, '--suite', 'all', '--spec-version', version, '--output-dir', results];
    const child = spawn(NODE, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    // Its status says whether anything failed, which the files say too, by name.
    await once(child, 'exit');
    return new Map(
      readdirSync(results).map((folder) => [scenarioOf(folder), outcomeOf(join(results, folder, 'checks.json'))]),
    );
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** `server-<scenario>-<time>`, as the suite names its folders. */
const scenarioOf = (folder: string) => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');

function outcomeOf(file: string): Outcome {
  const checks = readJson(file) as Check[];
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  const [first] = failed;
  return {
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    failed: failed.length,
    ...(first ? { said: `${first.id ?? ''}: ${first.errorMessage ?? 'failed'}` } : {}),
  };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
