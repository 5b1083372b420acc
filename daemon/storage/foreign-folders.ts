import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ForeignState, SetAsideReason } from '../contract/foreign-state.js';
import { systemCode } from '../lib/errors.js';
import { UNTRACK_COMMAND } from '../private/tracked-path.js';
import type { SetAside } from './claim-state.js';

const NAME = /^foreign-[0-9TZ]{8,20}(-\d{1,4})?$/;

const WHY: Readonly<Record<SetAsideReason, string>> = {
  unknown: 'State that this machine did not make',
  copy: 'A copy of the state of another project on this machine',
  tracked: 'State that git tracks, and that a repository can therefore change,',
};

/** Returns the folders below `.mesh` into which state was moved aside, oldest first. Their content is not read. */
export function listForeignFolders(mesh: string): string[] {
  try {
    return readdirSync(mesh)
      .filter((name) => NAME.test(name) && lstatSync(join(mesh, name)).isDirectory())
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Describes what happened and how to adopt the state. `reason` is null for state that an earlier start moved aside. */
export function describeSetAside({ folder, reason }: { folder: string; reason: SetAsideReason | null }): string {
  const said = `${WHY[reason ?? 'unknown']} was set aside unread in ${folder}, and a fresh state was begun.`;
  if (reason === 'tracked')
    return (
      `${said} Take it out of git with \`${UNTRACK_COMMAND}\` and a commit, or ` +
      'every start begins anew; then `meshd adopt` shows what it holds and takes over what is yours.'
    );
  return (
    `${said} \`meshd adopt\` shows what it holds and takes over what is yours; remove the folder when you do ` +
    'not need it.'
  );
}

/**
 * Returns the state that was moved aside and still exists, each with a sentence for the operator. `latest` is
 * what this start moved aside.
 */
export function describeForeignState(mesh: string, latest: SetAside | undefined): ForeignState {
  return {
    folders: listForeignFolders(mesh).map((name) => {
      const folder = `.mesh/${name}`;
      const reason = latest?.folder === folder ? latest.reason : null;
      return { folder, reason, sentence: describeSetAside({ folder, reason }) };
    }),
  };
}
