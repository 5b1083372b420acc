import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StateOwner } from '../private/state-owner.js';

/**
 * Returns the variables that name this user's folders during tests. They name a temporary folder that
 * `scripts/vitest-build.ts` creates.
 */
export function userFolders(): { XDG_STATE_HOME: string } {
  const folder = process.env['XDG_STATE_HOME'];
  if (folder === undefined) throw new Error('XDG_STATE_HOME is not set: run the tests with scripts/vitest.config.ts.');
  return { XDG_STATE_HOME: folder };
}

/**
 * Marks the state of the project at `root` as this machine's own, as a start of its daemon with `stateHome` as
 * XDG_STATE_HOME does.
 */
export function ownState(root: string, stateHome = userFolders().XDG_STATE_HOME): string {
  mkdirSync(join(root, '.mesh/state'), { recursive: true, mode: 0o700 });
  new StateOwner(join(stateHome, 'meshd')).claim(root);
  return root;
}
