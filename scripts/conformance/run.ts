/**
 * Checks the daemon against other people's readings of what it speaks: its OpenAPI descriptions with redocly,
 * swagger-parser and a typed client, the Model Context Protocol with its official suite, the network's own dialects
 * with clients written from their specification, A2A and ACP with a client and an agent written from their public
 * documentation, ACP as an agent with the client acpx, and OpenTelemetry with the collector of autotel-mcp. The exit
 * code is 1 when anything is not as expected.
 *
 * `npm run conformance`, or some parts: `npm run conformance -- descriptions|mcp|network|a2a|acp|editors|telemetry`
 */
import { buildDaemon } from '../hard/drill.js';
import { a2aSuite } from './a2a/suite.js';
import { editorSuite } from './acp/editor-suite.js';
import { acpSuite } from './acp/suite.js';
import { checkDescriptions } from './descriptions.js';
import { checkNetwork } from './network/network.js';
import { checkProtocol } from './protocol.js';
import { installSuite } from './suite.js';
import { telemetrySuite } from './telemetry.js';

const PARTS = {
  descriptions: { check: checkDescriptions, needsSuite: true },
  mcp: { check: checkProtocol, needsSuite: true },
  network: { check: checkNetwork, needsSuite: false },
  a2a: { check: a2aSuite, needsSuite: false },
  acp: { check: acpSuite, needsSuite: false },
  editors: { check: editorSuite, needsSuite: true },
  telemetry: { check: telemetrySuite, needsSuite: true },
};
type Part = keyof typeof PARTS;
const isPart = (word: string): word is Part => Object.hasOwn(PARTS, word);

async function run(parts: readonly Part[]): Promise<void> {
  if (parts.some((part) => PARTS[part].needsSuite)) await installSuite();
  buildDaemon();
  const wrong: string[] = [];
  for (const part of parts) wrong.push(...(await PARTS[part].check()));
  if (wrong.length === 0) return;
  console.error(`\nNot as expected (${wrong.length}):\n  ${wrong.join('\n  ')}`);
  process.exitCode = 1;
}

const words = process.argv.slice(2);
const unknown = words.find((word) => !isPart(word));
if (unknown === undefined) await run(words.length === 0 ? (Object.keys(PARTS) as Part[]) : words.filter(isPart));
else {
  console.error(`There is no part "${unknown}": name one of ${Object.keys(PARTS).join(', ')}, or none for all.`);
  process.exitCode = 2;
}
