import { explainOldNode } from './lib/oldest-node.js';

// The program that people and scripts start. The bundle of `main.ts` is next to it as `daemon.cjs`. Nothing else is
// imported before the version is known: an older Node.js fails while it loads the rest.
const refusal = explainOldNode(process.version);
if (refusal === undefined) {
  const [{ fileURLToPath }, { runWithCodeCache }] = await Promise.all([
    import('node:url'),
    import('./storage/code-cache.js'),
  ]);
  runWithCodeCache(fileURLToPath(new URL('./daemon.cjs', import.meta.url)));
} else {
  process.stderr.write(`meshd: ${refusal}\n`);
  process.exitCode = 78;
}
