import { fileURLToPath } from 'node:url';
import { runWithCodeCache } from '../../daemon/storage/code-cache.js';

// The daemon for tests, as `daemon/start.ts` starts the one that is shipped.
runWithCodeCache(fileURLToPath(new URL('./test-daemon.cjs', import.meta.url)));
