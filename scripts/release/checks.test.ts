import { describe, expect, it } from 'vitest';
import {
  channelOf,
  findChangelogSection,
  findProblems,
  formatContents,
  type ReleaseState,
  readPacked,
  tagName,
} from './checks.js';

const CHANGELOG = `# Changelog

## Unreleased

## 1.2.0 (2026-11-25)

### Added
- Lamps.

## 1.1.0
The first version.
`;
const SOUND: ReleaseState = {
  version: '1.2.0',
  lockVersion: '1.2.0',
  changelog: CHANGELOG,
  status: '',
  branch: 'main',
  tags: ['v1.1.0'],
  tagsHere: [],
};

describe('changelog sections', () => {
  it.each([
    ['1.2.0', '### Added\n- Lamps.'],
    ['1.1.0', 'The first version.'],
    ['Unreleased', ''],
    ['1.2', undefined],
    ['2.0.0', undefined],
  ])('%s', (title, text) => {
    expect(findChangelogSection(CHANGELOG, title)).toBe(text);
  });
});

it.each([
  ['1.2.0', 'latest'],
  ['1.2.0-beta.1', 'beta'],
  ['1.2.0-rc1', 'rc'],
  ['1.2.0-1', 'next'],
])('%s is published as %s', (version, channel) => {
  expect(channelOf(version)).toBe(channel);
});

it('reads what npm packed, in an array or by its name', () => {
  for (const said of [[{ size: 1 }], { meshd: { size: 1 } }])
    expect(readPacked(JSON.stringify(said))).toEqual({ size: 1 });
  expect(() => readPacked('[]')).toThrow('npm packed nothing: []');
});

describe('release problems', () => {
  it('are empty for a valid state', () => {
    expect(findProblems(SOUND)).toEqual([]);
  });

  it('are none for a tag that an earlier attempt has put on this commit', () => {
    expect(findProblems({ ...SOUND, tags: ['v1.2.0'], tagsHere: ['v1.2.0'] })).toEqual([]);
  });

  it.each<[string, Partial<ReleaseState>, RegExp]>([
    ['a version of another form', { version: '1.2', lockVersion: '1.2', changelog: '## 1.2\nx\n' }, /not of the form/],
    ['a lock of another version', { lockVersion: '1.1.0' }, /npm install/],
    ['a tag that exists', { tags: ['v1.2.0'] }, /tag v1\.2\.0 exists/],
    ['no heading', { changelog: '# Changelog\n' }, /nothing under a heading "## 1\.2\.0"/],
    ['an empty section', { changelog: '## 1.2.0\n\n## 1.1.0\nx\n' }, /nothing under a heading/],
    [
      'lines left under Unreleased',
      { changelog: CHANGELOG.replace('Unreleased\n', 'Unreleased\n- More.\n') },
      /still has lines/,
    ],
    ['another branch', { branch: 'work' }, /branch is work/],
    ['no branch', { branch: '' }, /branch is detached/],
    ['files that are not committed', { status: ' M a.ts\n?? b.ts' }, /2 files are not committed/],
  ])('%s', (_name, change, problem) => {
    expect(findProblems({ ...SOUND, ...change })).toEqual([expect.stringMatching(problem)]);
  });
});

it('contents are summed by folder, largest first', () => {
  const files = [
    { path: 'package.json', size: 1_500 },
    { path: 'dist/meshd.js', size: 300_000 },
    { path: 'dist/chunks/a.js', size: 400_000 },
    { path: 'dist/chunks/b.js', size: 100_000 },
  ];
  expect(formatContents(files).map((row) => row.trim())).toEqual([
    '500.0 kB  dist/chunks/ (2)',
    '300.0 kB  dist/meshd.js',
    '1.5 kB  package.json',
  ]);
  expect(tagName('1.2.0')).toBe('v1.2.0');
});
