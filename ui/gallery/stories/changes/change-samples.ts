import type { ChangedFile, Changes, Checkpoint, CheckpointList } from '../../../../daemon/contract/work/changes.js';
import type { MergePreview, Review, ReviewComment } from '../../../../daemon/contract/work/reviews.js';
import { isoAgo } from '../../samples.js';

export const CONV = 'conv-1';

export const changedFile = (changes: Partial<ChangedFile> = {}): ChangedFile => ({
  path: 'src/lamp.ts',
  old_path: null,
  status: 'modified',
  additions: 4,
  deletions: 2,
  binary: false,
  generated: false,
  ...changes,
});

export const PATCH = [
  '@@ -1,6 +1,8 @@ export function light(angle: number) {',
  ' /** Turns the lamp.',
  '  * The angle is in degrees. */',
  '-export const ANGLE = 30;',
  '+export const ANGLE = 45;',
  '+export const LIMIT = 90;',
  ' ',
  " const words = 'of a rather long line' + ' that continues here';",
  '-if (angle > 30) throw new Error("too far");',
  '+if (angle > LIMIT) throw new RangeError("The angle " + angle + " is over the limit");',
  '+// hidden: \u202e reversed \u200b',
  ' return words;',
  '@@ -40,2 +42,1 @@ export function dark() {',
  ' return 0;',
  '-// end',
  '\\ No newline at end of file',
].join('\n');

export const checkpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
  checkpoint: 'turn-1',
  kind: 'turn',
  turn: 'turn-1',
  commit: '3f2a91c07d',
  files: 3,
  additions: 40,
  deletions: 2,
  left_out: [],
  others: [],
  created_at: isoAgo(3_600),
  ...changes,
});

export const CHECKPOINTS: CheckpointList = {
  conv: CONV,
  checkpoints: [
    checkpoint({ checkpoint: 'start', kind: 'start', turn: null, files: 0, additions: 0, deletions: 0 }),
    checkpoint(),
    checkpoint({ checkpoint: 'kept-1', kind: 'revert', turn: null, files: 1, left_out: ['.env', 'big.bin'] }),
    checkpoint({ checkpoint: 'turn-2', turn: 'turn-2', files: 1 }),
  ],
  count: 4,
  problem: null,
};

const FILES = [
  changedFile({ path: 'assets/logo.png', status: 'added', additions: 0, deletions: 0, binary: true }),
  changedFile({ path: 'package-lock.json', additions: 812, deletions: 3, generated: true }),
  changedFile({
    path: 'src/a/rather/deep/folder/with/a/long-name-of-a-file.ts',
    old_path: 'src/b.ts',
    status: 'renamed',
  }),
  changedFile(),
];

export const CHANGES: Changes = {
  conv: CONV,
  from: 'start',
  to: 'working',
  files: FILES,
  count: FILES.length,
  left_out: 0,
  additions: 820,
  deletions: 7,
  problem: null,
};

export const comment = (changes: Partial<ReviewComment> = {}): ReviewComment => ({
  comment: 'rev-0000000000000001',
  conv: CONV,
  path: 'src/lamp.ts',
  side: 'new',
  start_line: 3,
  end_line: 4,
  quote: '+export const ANGLE = 45;\n+export const LIMIT = 90;',
  text: 'Say why the angle changed.',
  state: 'draft',
  author: null,
  turn: null,
  created_at: isoAgo(60),
  updated_at: isoAgo(60),
  ...changes,
});

export const REVIEW: Review = {
  conv: CONV,
  comments: [
    comment(),
    comment({
      comment: 'rev-2',
      author: 'commit-pr-reviewer',
      side: 'old',
      start_line: 5,
      end_line: 5,
      text: 'Test it.',
    }),
    comment({
      comment: 'rev-3',
      state: 'sent',
      side: null,
      start_line: null,
      end_line: null,
      quote: '',
      text: 'Good.',
    }),
    comment({ comment: 'rev-4', path: 'src/gone.ts', text: 'This file is no longer changed.' }),
  ],
  drafts: 3,
  reviewers: [{ id: 'commit-pr-reviewer', name: 'Commit reviewer' }],
  asked: [
    { conv: 'conv-8', member: 'commit-pr-reviewer', state: 'running', reason: null },
    { conv: 'conv-7', member: 'ui-reviewer', state: 'failed', reason: 'Its model is not connected.' },
  ],
};

export const mergePreview = (changes: Partial<MergePreview> = {}): MergePreview => ({
  conv: CONV,
  into: 'main',
  branches: ['main', 'next'],
  head: '1d41b7860c',
  ahead: 2,
  behind: 1,
  files: 4,
  conflicts: [],
  methods: ['merge', 'squash', 'rebase'],
  overlaps: [],
  checked_out: true,
  problem: null,
  pull_request: null,
  ...changes,
});
