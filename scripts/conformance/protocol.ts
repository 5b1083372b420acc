import { EXCEPTIONS } from './exceptions.js';
import { conformanceServer } from './server.js';
import { listScenarios, runSuite } from './suite.js';

const VERSIONS = ['2026-07-28', '2025-11-25'];

/**
 * Runs the official suite of the Model Context Protocol, in the current and the previous revision, and prints the
 * exceptions. Returns each scenario that fails without being an exception, and each exception that passes.
 */
export async function checkProtocol(): Promise<string[]> {
  const wrong: string[] = [];
  const scenarios = await listScenarios();
  const excepted = new Map<string, string>();
  const server = await conformanceServer();
  try {
    for (const version of VERSIONS) await checkVersion(server.url, version, { scenarios, excepted, wrong });
  } finally {
    await server.close();
  }
  const isForNone = (versions: readonly string[]) => !versions.some((version) => VERSIONS.includes(version));
  for (const [name] of [...scenarios].filter(([, versions]) => isForNone(versions))) {
    const reason = EXCEPTIONS[name];
    if (reason === undefined) wrong.push(`${name}: is neither run nor an exception`);
    else excepted.set(name, reason);
  }
  for (const name of Object.keys(EXCEPTIONS).filter((one) => !scenarios.has(one)))
    wrong.push(`${name}: the suite has no such scenario`);
  console.log(`\nExceptions (${excepted.size}):`);
  for (const [name, reason] of excepted) console.log(`  ${name}\n    ${reason}`);
  return wrong;
}

interface Findings {
  scenarios: ReadonlyMap<string, readonly string[]>;
  excepted: Map<string, string>;
  wrong: string[];
}

async function checkVersion(url: string, version: string, { scenarios, excepted, wrong }: Findings): Promise<void> {
  const outcomes = await runSuite(url, version);
  const meant = [...scenarios].filter(([, versions]) => versions.includes(version)).map(([name]) => name);
  for (const name of meant.filter((one) => !outcomes.has(one))) wrong.push(`${version} ${name}: did not run`);
  let passed = 0;
  let checks = 0;
  for (const [name, outcome] of outcomes) {
    const isPassed = outcome.failed === 0 && outcome.passed > 0;
    const reason = EXCEPTIONS[name];
    if (isPassed && reason !== undefined) wrong.push(`${version} ${name}: passes, so that it is no exception any more`);
    else if (isPassed) passed += 1;
    else if (reason === undefined) wrong.push(`${version} ${name}: ${outcome.said ?? 'checked nothing'}`);
    else excepted.set(name, reason);
    checks += outcome.passed;
  }
  console.log(`${version}: ${passed} of ${outcomes.size} scenarios pass, ${checks} checks.`);
}
