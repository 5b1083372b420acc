/**
 * Checks the daemon's OpenAPI descriptions with redocly, swagger-parser and a typed client, then runs the official
 * conformance suite of the Model Context Protocol against its implementation, in the current and the previous revision.
 * The exit code is 1 when a description is wrong, when a scenario fails that is not listed as an exception, or when an
 * exception passes.
 *
 * `npm run conformance`
 */
import { buildDaemon } from '../hard/drill.js';
import { checkDescriptions } from './descriptions.js';
import { EXCEPTIONS } from './exceptions.js';
import { conformanceServer } from './server.js';
import { installSuite, listScenarios, runSuite } from './suite.js';

const VERSIONS = ['2026-07-28', '2025-11-25'];

await installSuite();
const scenarios = await listScenarios();
buildDaemon();
const wrong = await checkDescriptions();
const excepted = new Map<string, string>();
const server = await conformanceServer();
try {
  for (const version of VERSIONS) {
    const outcomes = await runSuite(server.url, version);
    const meant = [...scenarios].filter(([, versions]) => versions.includes(version)).map(([name]) => name);
    for (const name of meant.filter((one) => !outcomes.has(one))) wrong.push(`${version} ${name}: did not run`);
    let passed = 0;
    let checks = 0;
    for (const [name, outcome] of outcomes) {
      const isPassed = outcome.failed === 0 && outcome.passed > 0;
      const reason = EXCEPTIONS[name];
      if (isPassed && reason !== undefined)
        wrong.push(`${version} ${name}: passes, so that it is no exception any more`);
      else if (isPassed) passed += 1;
      else if (reason === undefined) wrong.push(`${version} ${name}: ${outcome.said ?? 'checked nothing'}`);
      else excepted.set(name, reason);
      checks += outcome.passed;
    }
    console.log(`${version}: ${passed} of ${outcomes.size} scenarios pass, ${checks} checks.`);
  }
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
if (wrong.length > 0) {
  console.error(`\nNot as expected (${wrong.length}):\n  ${wrong.join('\n  ')}`);
  process.exitCode = 1;
}
