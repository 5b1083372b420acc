import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** The Node.js that the suite and other programs of the folder run on. */
export const NODE = join(FOLDER, 'node_modules/node/bin/node');
const SERVER_SCENARIO = /^ {2}- (\S+) \[([^\]]+)\]$/;

/** Result of the checks of one scenario. */
interface Outcome {
  passed: number;
  failed: number;
  /** Message of the first failed check. */
  said?: string;
}

interface Check {
  status: string;
  id?: string;
  errorMessage?: string;
}

/** Installs the suite and the Node.js that it needs, unless the pinned versions are installed. */
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

/** Returns every server scenario of the suite with the protocol versions that it applies to. */
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

/** Runs all scenarios of one protocol version against the server at `url`. Returns the outcome by scenario. */
export async function runSuite(url: string, version: string): Promise<Map<string, Outcome>> {
  const results = mkdtempSync(join(tmpdir(), 'meshd-conformance-'));
  try {
    const args = [SUITE, 'server', '--url', url, '--suite', 'all', '--spec-version', version, '--output-dir', results];
    const child = spawn(NODE, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    // The exit status only reports that something failed; the result files contain this by scenario.
    await once(child, 'exit');
    return new Map(
      readdirSync(results).map((folder) => [getScenario(folder), getOutcome(join(results, folder, 'checks.json'))]),
    );
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** The suite names its folders `server-<scenario>-<time>`. */
const getScenario = (folder: string) => folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');

function getOutcome(file: string): Outcome {
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
