import { type Clock, systemClock } from './clock.js';

/** The clock of a daemon's process. The build for tests has another module in the place of this one: no daemon that is shipped knows of any other clock. */
export const daemonClock: Clock = systemClock;
