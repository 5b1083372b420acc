import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StateOwner } from '../private/state-owner.js';

/** The variables that name this user's folders while tests run: a temporary one, made by `scripts/vitest-build.ts`. */
export function userFolders(): { XDG_STATE_HOME: string } {
  const folder = process.env['XDG_STATE_HOME'];
  if (folder === undefined) throw new Error('XDG_STATE_HOME is not set: run the tests with scripts/vitest.config.ts.');
  return { XDG_STATE_HOME: folder };
}

/** Makes the state of the project at `root` this machine's own, as a start of its daemon does that has `stateHome` as XDG_STATE_HOME. */
export function ownState(root: string, stateHome = userFolders().XDG_STATE_HOME): string {
  mkdirSync(join(root, '.mesh/state'), { recursive: true, mode: 0o700 });
  new StateOwner(join(stateHome, 'meshd')).claim(root);
  return root;
}
