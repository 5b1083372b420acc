import { systemClock } from './lib/time/clock.js';
import { runDaemon } from './run-daemon.js';

// `runWithCodeCache` calls it. The class of its error must be that of this bundle.
export { explainMissingPart } from './lib/missing-part.js';

runDaemon(process, systemClock);
