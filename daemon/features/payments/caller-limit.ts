import { foreignCaller } from '../../lib/foreign-caller.js';

/**
 * Returns the share of a limit that applies to the current caller. Other users of this machine get half, so that the
 * operator's programs always have the rest.
 */
export const limitForCaller = (most: number) => (foreignCaller.getStore() === undefined ? most : Math.floor(most / 2));
