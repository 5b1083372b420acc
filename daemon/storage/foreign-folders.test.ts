import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { describeForeignState, describeSetAside, listForeignFolders } from './foreign-folders.js';

const FOLDER = '.mesh/foreign-20260102T030405Z';
const ADOPT =
  ' `meshd adopt` shows what it holds and takes over what is yours; remove the folder when you do not need it.';

describe('the folders of state that was moved aside', () => {
  it('are those of its names, oldest first', () => {
    const mesh = temporaryFolder({
      ...{ 'foreign-20270101T000000Z/a': '', 'foreign-20260102T030405Z/a': '', 'foreign-20260102T030405Z-2/a': '' },
      ...{ 'foreign-20260102T030405Z-10000/a': '', 'xforeign-20260102T030405Z/a': '', 'foreign-2026/a': '' },
      ...{ 'foreign-20260102T030405Z.old/a': '', 'foreign-yesterday/a': '', 'team/a': '' },
      ...{ 'foreign-20260102T030405Z-/a': '', 'foreign-20250101T000000Z': 'a file' },
      [`foreign-${'2'.repeat(21)}/a`]: '',
    });
    symlinkSync(join(mesh, 'team'), join(mesh, 'foreign-20240101T000000Z'));
    expect(listForeignFolders(mesh)).toEqual([
      'foreign-20260102T030405Z',
      'foreign-20260102T030405Z-2',
      'foreign-20270101T000000Z',
    ]);
  });

  it('are none where there is no .mesh, and unknown where it cannot be read', () => {
    const root = temporaryFolder({ file: '' });
    expect(listForeignFolders(join(root, '.mesh'))).toEqual([]);
    expect(() => listForeignFolders(join(root, 'file'))).toThrow('ENOTDIR');
  });
});

describe('the sentence about state that was moved aside', () => {
  it.each([
    [
      'unknown',
      `State that this machine did not make was set aside unread in ${FOLDER}, and a fresh state was begun.${ADOPT}`,
    ],
    [
      null,
      `State that this machine did not make was set aside unread in ${FOLDER}, and a fresh state was begun.${ADOPT}`,
    ],
    [
      'copy',
      `A copy of the state of another project on this machine was set aside unread in ${FOLDER}, and a fresh state ` +
        `was begun.${ADOPT}`,
    ],
    [
      'tracked',
      `State that git tracks, and that a repository can therefore change, was set aside unread in ${FOLDER}, and a ` +
        'fresh state was begun. Take it out of git with `git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state` and a ' +
        'commit, or every start begins anew; then `meshd adopt` shows what it holds and takes over what is yours.',
    ],
  ] as const)('says for the reason %s what to do', (reason, sentence) => {
    expect(describeSetAside({ folder: FOLDER, reason })).toBe(sentence);
  });

  it('is given for each folder, with the reason of the one that this start moved aside', () => {
    const mesh = temporaryFolder({ 'foreign-20250102T030405Z/a': '', 'foreign-20260102T030405Z/a': '' });
    const earlier = '.mesh/foreign-20250102T030405Z';
    expect(describeForeignState(mesh, { folder: FOLDER, reason: 'copy' }).folders).toEqual([
      { folder: earlier, reason: null, sentence: describeSetAside({ folder: earlier, reason: null }) },
      { folder: FOLDER, reason: 'copy', sentence: describeSetAside({ folder: FOLDER, reason: 'copy' }) },
    ]);
    expect(describeForeignState(mesh, undefined).folders.map(({ reason }) => reason)).toEqual([null, null]);
  });
});
