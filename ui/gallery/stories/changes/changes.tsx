import '../../../features/changes/changes-styles.js';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ChangesBar } from '../../../features/changes/changes-bar.js';
import { changesKeys } from '../../../features/changes/changes-queries.js';
import { ChangesView } from '../../../features/changes/changes-view.js';
import { Conflicts, Overlaps } from '../../../features/changes/merge/merge-conflicts.js';
import { MergeForm } from '../../../features/changes/merge/merge-form.js';
import { PullRequestPanel } from '../../../features/changes/merge/pull-request-panel.js';
import { AskReviewMenu } from '../../../features/changes/review/ask-review.js';
import { Drafts, DraftsContext } from '../../../lib/drafts.js';
import { getStorage } from '../../../lib/storage/browser-storage.js';
import type { Story } from '../../story.js';
import { CHANGES, CHECKPOINTS, CONV, changedFile, mergePreview, PATCH, REVIEW } from './change-samples.js';

const RANGE = { from: undefined, to: undefined };
const drafts = new Drafts(getStorage('sessionStorage'));

/** Holds the responses of the daemon, which does not run here. */
const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
for (const file of [...CHANGES.files, changedFile({ path: 'src/dusk.ts' })])
  client.setQueryData(changesKeys.file(CONV, RANGE, file.path, undefined), {
    ...{ file, from: 'start', to: 'working', cut: false },
    patch: file.binary ? '' : PATCH,
  });

const Frame = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>
    <DraftsContext value={drafts}>
      <div className="changes">{children}</div>
    </DraftsContext>
  </QueryClientProvider>
);

const view = (look: 'unified' | 'split', changes: Partial<typeof CHANGES> = {}) => (
  <Frame>
    <ChangesView
      conv={CONV}
      name="Developer"
      changes={{ ...CHANGES, ...changes }}
      review={look === 'split' ? { ...REVIEW, comments: [], drafts: 0, asked: [] } : REVIEW}
      checkpoints={look === 'split' ? undefined : CHECKPOINTS}
      look={{ range: RANGE, view: look, spaces: undefined, canRevert: true }}
      hidesViewed={look === 'split'}
      rewindProblem={undefined}
      sendProblem={undefined}
      onRange={() => undefined}
    />
  </Frame>
);

function Bar() {
  const [range, setRange] = useState<{ from: string | undefined; to: string | undefined }>(RANGE);
  return (
    <Frame>
      <ChangesBar
        checkpoints={CHECKPOINTS.checkpoints}
        {...{ range, view: 'unified', isNarrow: false, ignoresSpaces: false, hidesViewed: false }}
        onChange={(changed) => changed.range && setRange(changed.range)}
      />
      <AskReviewMenu review={REVIEW} problem={undefined} />
    </Frame>
  );
}

export const story: Story = {
  title: 'Changes of a conversation',
  states: {
    'what is compared': <Bar />,
    'unified, with comments': view('unified'),
    'side by side': view('split', { files: [changedFile({ path: 'src/dusk.ts' })], count: 1, left_out: 12 }),
    'nothing changed': view('split', { files: [], count: 0 }),
    merging: (
      <Frame>
        <MergeForm conv="conv-1" preview={mergePreview()} onMerged={() => undefined} />
        <PullRequestPanel
          conv="conv-1"
          into="main"
          commands={['git push origin meshd/developer/turn-the-lamp', 'gh pr create --base main --fill']}
        />
      </Frame>
    ),
    'conflicts and overlaps': (
      <Frame>
        <Conflicts conv="conv-1" name="Developer" preview={mergePreview({ conflicts: ['src/lamp.ts', 'README.md'] })} />
        <Overlaps overlaps={[{ conv: 'conv-2', title: 'Draw the quay', paths: ['src/lamp.ts'] }]} />
      </Frame>
    ),
  },
};
