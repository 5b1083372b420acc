import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The uid of the other user of this machine for whom the current work is done; empty for the operator's. It follows the work through promises and timers, so
 * that an answer written later still counts for who asked. Nothing is tracked before the first such request: the operator's requests do not pay for it.
 */
export const foreignCaller = new AsyncLocalStorage<number>();
