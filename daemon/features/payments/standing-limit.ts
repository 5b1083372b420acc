import { foreignCaller } from '../../lib/foreign-caller.js';

/** Other users of this machine leave half of what an agent may have to the operator's programs. */
export const shareOf = (most: number) => (foreignCaller.getStore() === undefined ? most : Math.floor(most / 2));
