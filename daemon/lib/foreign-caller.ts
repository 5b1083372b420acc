import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The uid of the other user of this machine on whose behalf the current work runs; empty for the operator's work. It
 * propagates through promises and timers, so that a response written later is still attributed to its caller. Nothing
 * is tracked before the first such request: the operator's requests carry no cost for it.
 */
export const foreignCaller = new AsyncLocalStorage<number>();
