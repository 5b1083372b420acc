import { systemClock } from './lib/time/clock.js';
import { runDaemon } from './run-daemon.js';

// `runWithCodeCache` calls both. The class of the error must be that of this bundle.
export { explainMissingPart } from './lib/missing-part.js';
export const run = (sha256: string): void => runDaemon(process, systemClock, sha256);
