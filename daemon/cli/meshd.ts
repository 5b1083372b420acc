#!/usr/bin/env node
import { explainOldNode } from '../lib/oldest-node.js';

// Nothing else is imported before the version is known: an older Node.js fails while it loads the rest.
const refusal = explainOldNode(process.version);
if (refusal === undefined) import('./run-program.js').then(({ runProgram }) => runProgram(import.meta.url));
else {
  process.exitCode = 78;
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: 'bad_configuration', message: refusal })}\n`);
  else process.stderr.write(`meshd: ${refusal}\n`);
}
