import { inject } from 'vitest';

// The thread of the last mutant is used again. Its mutant must not act while the test files load.
const provided = inject as (key: string) => unknown;
const state = (globalThis as Record<string, unknown>)[String(provided('globalNamespace'))] as Record<string, unknown>;
if (provided('mutantActivation') === 'runtime') state['activeMutant'] = undefined;
