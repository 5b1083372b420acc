import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, temporaryRepository } from '../../testing/temporary-folder.js';
import { mayListAny } from './index-paths.js';

const SECRETS = ['.mesh/credentials', '.mesh/state'];
const read = (root: string) => readFileSync(join(root, '.git/index'));

/** A repository whose secret stands in the index after a path that shares its beginning. */
const withSecret = () => temporaryRepository({ 'a.txt': 'a', '.mesh/cred': 'c', '.mesh/credentials/x': 'secret' });

describe('mayListAny', () => {
  it('is false only for an index that lists none of the paths', () => {
    const root = temporaryRepository({ 'a.txt': 'a', '.mesh/team/one.md': '' });
    expect(mayListAny(read(root), SECRETS)).toBe(false);
    expect(mayListAny(read(root), ['.mesh/team'])).toBe(true);
    expect(mayListAny(read(withSecret()), SECRETS)).toBe(true);
  });

  it('is true for a version with shortened paths, for a split and for a sparse index', () => {
    const short = withSecret();
    git(short, 'update-index', '--index-version', '4');
    expect(read(short).includes('.mesh/credentials')).toBe(false);
    expect(mayListAny(read(short), SECRETS)).toBe(true);

    const split = withSecret();
    git(split, 'update-index', '--split-index');
    expect(read(split).includes('.mesh/credentials')).toBe(false);
    expect(mayListAny(read(split), SECRETS)).toBe(true);

    const sparse = withSecret();
    git(sparse, 'update-index', '--refresh');
    git(sparse, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'none');
    expect(read(sparse).includes('.mesh/credentials')).toBe(false);
    expect(mayListAny(read(sparse), SECRETS)).toBe(true);
  });

  it('is true for what is no index', () => {
    expect(mayListAny(Buffer.from(''), SECRETS)).toBe(true);
    expect(mayListAny(Buffer.from('not an index at all'), SECRETS)).toBe(true);
  });

  it('reads an index of version 2 or 3, also an empty one', () => {
    const header = (version: number) => Buffer.from([...Buffer.from('DIRC'), 0, 0, 0, version, 0, 0, 0, 0]);
    expect([1, 2, 3, 4, 5].map((version) => mayListAny(header(version), SECRETS))).toEqual([
      ...[true, false, false, true, true],
    ]);
    expect(mayListAny(header(2).subarray(0, 11), SECRETS)).toBe(true);
    expect(mayListAny(Buffer.concat([Buffer.from('DIRX'), header(2).subarray(4)]), SECRETS)).toBe(true);
    expect(mayListAny(Buffer.concat([header(2), Buffer.from('x/.mesh/state/y')]), SECRETS)).toBe(true);
  });
});
