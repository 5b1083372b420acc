import { useQuery } from '@tanstack/react-query';
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
  const preview = useQuery({ ...mergeQuery(conv, into), enabled: merged === undefined });
  return (
    <Dialog title="Merge" isWide onClose={onClose}>
      {merged ? (
        <MergedNotice merged={merged} onClose={onClose} />
      ) : (
        <Loaded query={preview} what="What a merge would do could not be read." rows={5}>
          {(data) => (
            <div className="stack">
              <Target preview={data} onInto={setInto} />
              {data.problem !== null && (
                <Notice tone="info">
                  <p>{toDisplayText(data.problem)}</p>
                </Notice>
              )}
              <Conflicts conv={conv} name={name} preview={data} />
              <Overlaps overlaps={data.overlaps} />
              {data.methods.length > 0 && data.problem === null && data.conflicts.length === 0 && (
                <MergeForm key={data.into} conv={conv} preview={data} onMerged={setMerged} />
              )}
              {data.pull_request && (
                <PullRequestPanel conv={conv} into={data.into} commands={data.pull_request.commands} />
              )}
            </div>
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

function Target({ preview, onInto }: { preview: MergePreview; onInto: (into: string) => void }) {
  const { into, branches, ahead, behind, files, checked_out } = preview;
  if (branches.length === 0) return null;
  const options = branches.includes(into) ? branches : [into, ...branches];
  return (
    <>
      <SelectField
        label="Into branch"
        value={into}
        options={options}
        onChange={(event) => onInto(event.target.value)}
      />
      <p>
        {countWords(files, 'changed file')}, {countWords(ahead, 'commit')} that {toDisplayText(into)} lacks
        {behind > 0 && `; ${toDisplayText(into)} has ${countWords(behind, 'commit')} since the work began`}.
        {checked_out && ` ${toDisplayText(into)} is checked out in the project folder, whose files change, too.`}
      </p>
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
