import { fileURLToPath } from 'node:url';
import { runWithCodeCache } from './storage/code-cache.js';

// The program that people and scripts start; `main.ts` is bundled beside it as `daemon.cjs`.
runWithCodeCache(fileURLToPath(new URL('./daemon.cjs', import.meta.url)));
