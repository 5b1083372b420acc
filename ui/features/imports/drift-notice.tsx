import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Drift, DriftBody } from '../../../daemon/contract/imports.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { Diff } from '../../components/text/diff.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { KeyList } from './field-fates.js';
import styles from './imports.module.css';
import { type SettledDrift, useSettleDrift, useUnsettleDrift } from './imports-mutations.js';
import { driftQuery, pullPreviewQuery } from './imports-queries.js';
import { TOOL_NAMES } from './tool-names.js';

/**
 * The notice that the source of an imported member has changed: the preview of a pull, and the possible actions.
 * Renders nothing without a change.
 */
export default function DriftNotice({ id }: { id: string }) {
  const drift = useQuery(driftQuery()).data?.find((one) => one.id === id);
  return drift ? <DriftQuestion key={`${drift.state} ${drift.source}`} drift={drift} /> : null;
}

function PullDifference({ id }: { id: string }) {
  const preview = useQuery(pullPreviewQuery(id));
  return (
    <Loaded query={preview} what="The result of a pull could not be computed." rows={3}>
      {({ text, pulled }) => (
        <Diff
          label={`.mesh/team/${id}.md now, and after the pull`}
          before={text}
          after={pulled}
          sameWords="The file does not change."
        />
      )}
    </Loaded>
  );
}

/** Settles the drift of a member: a pull, or that this change is ignored. A toast offers to undo it. */
function useDriftAnswer(id: string) {
  const settle = useSettleDrift();
  const unsettle = useUnsettleDrift();
  const say = useToast();
  const takeBack = (settled: SettledDrift) =>
    unsettle.mutateAsync(settled).then(
      () => say({ text: `${id} is as it was before.` }),
      () => say({ text: `${id} was edited since and was not changed.`, tone: 'failed' }),
    );
  const act = (action: DriftBody['action']) =>
    // The notice may be unmounted before the response, because a settled member is removed from the list.
    void settle.mutateAsync({ id, action }).then(
      (settled) =>
        say({
          text: action === 'pull' ? `${id} now matches its source.` : 'This source change is ignored.',
          action: { label: 'Undo', run: () => void takeBack(settled) },
        }),
      () => undefined,
    );
  return { act, isPending: settle.isPending, error: settle.error };
}

function DriftQuestion({ drift }: { drift: Drift }) {
  const { id, source, state, format, member_edited: isEdited, fields } = drift;
  const { act, isPending, error } = useDriftAnswer(id);
  const [isOpen, setIsOpen] = useState(false);
  const previewId = useId();
  const isUnreadable = fields.length === 1 && fields[0]?.key === 'file';
  const isPullable = state === 'changed' && !isUnreadable;
  return (
    <Notice tone="info">
      <p>
        <strong>{state === 'gone' ? 'The source is gone.' : 'The source changed since the import.'}</strong>{' '}
        {TOOL_NAMES[format]}, <span className="mono">{toDisplayText(source)}</span>
      </p>
      {state === 'gone' ? (
        <p>The member is not changed. Restore the file to pull again, or ignore this.</p>
      ) : isUnreadable ? (
        <p>It cannot be pulled: {toDisplayText(fields[0]?.note ?? '')}</p>
      ) : (
        <>
          <p>A pull changes:</p>
          <PulledFields fields={fields} />
          {isOpen && (
            <div id={previewId} className={styles.whole}>
              <PullDifference id={id} />
            </div>
          )}
          {isEdited && (
            <p>
              <strong>You edited this member since.</strong> A pull replaces the description, the prompt and every key
              that the source sets or has set. Keys that only the member has are kept.
            </p>
          )}
        </>
      )}
      {error && <ErrorPanel what="Nothing was changed." error={error} />}
      <div className="cluster">
        {isPullable && (
          <Button look={isEdited ? 'danger' : 'primary'} isBusy={isPending} onClick={() => act('pull')}>
            {isEdited ? 'Pull over my edits' : 'Pull the change'}
          </Button>
        )}
        <Button isBusy={isPending} onClick={() => act('ignore')}>
          Ignore this change
        </Button>
        {isPullable && (
          <Button
            look="quiet"
            aria-expanded={isOpen}
            aria-controls={isOpen ? previewId : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide the difference' : 'See the whole difference'}
          </Button>
        )}
      </div>
    </Notice>
  );
}

function PulledFields({ fields }: Pick<Drift, 'fields'>) {
  return (
    <dl className={styles.brings} aria-label="What a pull changes">
      {fields.map((field) => (
        <div key={field.key}>
          <dt>
            <KeyList field={field} />
          </dt>
          <dd>
            {toDisplayText(field.shown)}
            {field.fate !== 'taken' && (
              <span className={styles.note}> {field.fate === 'kept' ? 'Kept for export.' : 'Not used here.'}</span>
            )}
            {field.note && <span className={styles.note}> {toDisplayText(field.note)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
