import { fileURLToPath } from 'node:url';
import { runWithCodeCache } from '../../daemon/storage/code-cache.js';

// Starts the daemon for tests, as `daemon/start.ts` starts the released one.
runWithCodeCache(fileURLToPath(new URL('./test-daemon.cjs', import.meta.url)));
