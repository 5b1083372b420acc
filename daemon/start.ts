import { fileURLToPath } from 'node:url';
import { runWithCodeCache } from './storage/code-cache.js';

// The program that people and scripts start. The bundle of `main.ts` is next to it as `daemon.cjs`.
runWithCodeCache(fileURLToPath(new URL('./daemon.cjs', import.meta.url)));
