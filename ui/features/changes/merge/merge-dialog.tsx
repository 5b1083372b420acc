import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Merged, MergePreview } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { Dialog, DialogActions } from '../../../components/dialog.js';
import { SelectField } from '../../../components/field.js';
import { Loaded } from '../../../components/loaded.js';
import { Notice } from '../../../components/notes.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { countWords } from '../changes-format.js';
import { mergeQuery } from '../changes-queries.js';
import { Conflicts, Overlaps } from './merge-conflicts.js';
import { MergeForm } from './merge-form.js';
import { PullRequestPanel } from './pull-request-panel.js';

interface MergeDialogProps {
  conv: string;
  /** The name of the member that resolves conflicts. */
  name: string;
  onClose: () => void;
}

/** Merges what the conversation changed into a branch, or opens a pull request. Says beforehand what would happen. */
export function MergeDialog({ conv, name, onClose }: MergeDialogProps) {
  const [into, setInto] = useState<string>();
  const [merged, setMerged] = useState<Merged>();
  // The choice of a branch stays, with the focus, while another one is compared.
  const preview = useQuery({
    ...mergeQuery(conv, into),
    enabled: merged === undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog title="Merge" isWide onClose={onClose}>
      {merged ? (
        <MergedNotice merged={merged} onClose={onClose} />
      ) : (
        <Loaded query={preview} what="What a merge would do could not be read." rows={5}>
          {(data) => (
            <div className="stack">
              <Target preview={data} into={into ?? data.into} onInto={setInto} />
              {preview.isPlaceholderData ? (
                <p role="status">Comparing with {toDisplayText(into ?? data.into)}…</p>
              ) : (
                <MergePreviewView conv={conv} name={name} preview={data} onMerged={setMerged} />
              )}
            </div>
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

interface TargetProps {
  preview: MergePreview;
  /** The chosen branch, which is not yet that of the preview while it is compared. */
  into: string;
  onInto: (into: string) => void;
}

function Target({ preview, into, onInto }: TargetProps) {
  const { branches } = preview;
  if (branches.length === 0) return null;
  const options = branches.includes(into) ? branches : [into, ...branches];
  return (
    <SelectField label="Into branch" value={into} options={options} onChange={(event) => onInto(event.target.value)} />
  );
}

interface MergePreviewProps {
  conv: string;
  name: string;
  preview: MergePreview;
  onMerged: (merged: Merged) => void;
}

/** What a merge would do, and what is in its way. */
function MergePreviewView({ conv, name, preview, onMerged }: MergePreviewProps) {
  const { into, branches, ahead, behind, files, checked_out, problem, conflicts, overlaps, methods } = preview;
  return (
    <>
      {branches.length > 0 && (
        <p>
          {countWords(files, 'changed file')}, {countWords(ahead, 'commit')} that {toDisplayText(into)} lacks
          {behind > 0 && `; ${toDisplayText(into)} has ${countWords(behind, 'commit')} since the work began`}.
          {files > 0 && ' To merge only a part, revert the other files or hunks first.'}
          {checked_out && ` ${toDisplayText(into)} is checked out in the project folder, whose files change, too.`}
        </p>
      )}
      {problem !== null && (
        <Notice tone="info">
          <p>{toDisplayText(problem)}</p>
        </Notice>
      )}
      <Conflicts conv={conv} name={name} preview={preview} />
      <Overlaps overlaps={overlaps} />
      {methods.length > 0 && problem === null && conflicts.length === 0 && (
        <MergeForm key={into} conv={conv} preview={preview} onMerged={onMerged} />
      )}
      {preview.pull_request && <PullRequestPanel conv={conv} into={into} commands={preview.pull_request.commands} />}
    </>
  );
}

function MergedNotice({ merged, onClose }: { merged: Merged; onClose: () => void }) {
  return (
    <div className="stack">
      <Notice tone="well" isAlert>
        <p>
          Merged into {toDisplayText(merged.into)}, which is now at <code>{merged.commit.slice(0, 10)}</code>.
        </p>
      </Notice>
      <p>To undo it, run:</p>
      <div className="command">
        <code>{toDisplayText(merged.undo)}</code>
        <CopyButton text={merged.undo} label="Copy command" />
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
