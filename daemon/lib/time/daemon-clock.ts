import { type Clock, systemClock } from './clock.js';

/**
 * The clock of a daemon process. The test build replaces this module with another; a released daemon contains no other
 * clock.
 */
export const daemonClock: Clock = systemClock;
