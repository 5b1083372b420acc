import { systemClock } from './lib/time/clock.js';
import { runDaemon } from './run-daemon.js';

runDaemon(process, systemClock);
