import { type FormEvent, useState } from 'react';
import type { Merged, MergePreview, NewMerge } from '../../../../daemon/contract/work/reviews.js';
import { Button } from '../../../components/button.js';
import { ChoiceField, TextArea } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { useMerge } from '../changes-mutations.js';

const METHODS = {
  fast_forward: {
    label: 'Fast-forward',
    hint: 'The branch moves to the agent’s last commit. No merge commit is made.',
  },
  merge: { label: 'Merge commit', hint: 'A commit with two parents joins both histories.' },
  squash: { label: 'Squash', hint: 'All changes become one new commit on the branch.' },
  rebase: { label: 'Rebase', hint: 'The agent’s commits are made again on top of the branch.' },
} as const satisfies Record<NewMerge['method'], { label: string; hint: string }>;

const METHOD_NAMES = Object.keys(METHODS) as NewMerge['method'][];
const hasMessage = (method: NewMerge['method']) => method === 'merge' || method === 'squash';

interface MergeFormProps {
  conv: string;
  preview: MergePreview;
  onMerged: (merged: Merged) => void;
}

/** Chooses the method and the commit's message, and merges. */
export function MergeForm({ conv, preview, onMerged }: MergeFormProps) {
  const { into, head, methods } = preview;
  const offered = METHOD_NAMES.filter((method) => methods.includes(method));
  const [chosen, setChosen] = useState<NewMerge['method']>();
  const [message, setMessage] = useState('');
  const merge = useMerge(conv);
  const method = chosen && methods.includes(chosen) ? chosen : offered[0];
  if (method === undefined) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = message.trim();
    merge.mutate(
      { into, head, method, ...(hasMessage(method) && text !== '' && { message: text }) },
      { onSuccess: onMerged },
    );
  };
  return (
    <form className="stack" onSubmit={submit}>
      <fieldset className="stack">
        <legend>Method</legend>
        {offered.map((one) => (
          <ChoiceField
            key={one}
            type="radio"
            name="method"
            value={one}
            label={METHODS[one].label}
            hint={METHODS[one].hint}
            checked={one === method}
            onChange={() => setChosen(one)}
          />
        ))}
      </fieldset>
      {hasMessage(method) && (
        <TextArea
          label="Commit message"
          hint="Without one, the conversation’s title."
          rows={2}
          maxLength={10_000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      )}
      {merge.error && <ErrorPanel what="Nothing was merged." error={merge.error} />}
      <div className="cluster">
        <Button type="submit" look="primary" isBusy={merge.isPending}>
          Merge into {toDisplayText(into)}
        </Button>
      </div>
    </form>
  );
}
