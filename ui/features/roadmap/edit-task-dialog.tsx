import { type FormEvent, useState } from 'react';
import type { RoadmapTask, TaskPatch } from '../../../daemon/contract/work/roadmap.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { usePatchTask } from './roadmap-queries.js';

interface EditTaskDialogProps {
  task: RoadmapTask;
  members: readonly string[];
  onClose: () => void;
}

type WrittenState = NonNullable<TaskPatch['state']>;

interface TaskValues {
  text: string;
  member: string;
  state: WrittenState;
  reason: string;
  after: string;
  check: string;
}

const toValues = ({ text, member, state, reason, after, check }: RoadmapTask): TaskValues => ({
  text,
  member: member ?? '',
  state: state === 'running' ? 'open' : state,
  reason: reason ?? '',
  after: after.join(', '),
  check: check ?? '',
});

const CHECK_HINT = 'command <name>, test <member> or review @<member>. Without one, you mark it done.';

/** Returns only the values that were edited here, so that a concurrent edit of the file is kept. */
function createPatch(was: TaskValues, { text, member, state, reason, after, check }: TaskValues): TaskPatch {
  return {
    ...(text.trim() === was.text ? {} : { text: text.trim() }),
    ...(member === was.member ? {} : { member: member || null }),
    ...(state === was.state ? {} : { state }),
    ...(state === 'blocked' && reason !== was.reason ? { reason: reason.trim() || null } : {}),
    ...(after === was.after ? {} : { after: after.split(/[\s,]+/).filter((id) => id !== '') }),
    ...(check.trim() === was.check ? {} : { check: check.trim() || null }),
  };
}

/** What a task waits for, and what must pass before it is done. */
function OrderFields({
  after,
  check,
  onChange,
}: Pick<TaskValues, 'after' | 'check'> & { onChange: (changed: Partial<TaskValues>) => void }) {
  return (
    <>
      <TextField
        label="Waits for"
        hint="Ids of tasks that must be done before it, with commas."
        maxLength={500}
        value={after}
        onChange={(event) => onChange({ after: event.target.value })}
      />
      <TextField
        label="Check"
        hint={CHECK_HINT}
        maxLength={200}
        value={check}
        onChange={(event) => onChange({ check: event.target.value })}
      />
    </>
  );
}

/** Edits one task of the roadmap. */
export function EditTaskDialog({ task, members, onClose }: EditTaskDialogProps) {
  const patch = usePatchTask();
  // The task as it was opened: the roadmap is read again meanwhile.
  const [base] = useState(() => toValues(task));
  const [values, setValues] = useState(base);
  const { text, member, state, reason, after, check } = values;
  const set = (changed: Partial<TaskValues>) => setValues((shown) => ({ ...shown, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    const changed = createPatch(base, values);
    if (Object.keys(changed).length === 0) onClose();
    else patch.mutate({ id: task.id, patch: changed }, { onSuccess: onClose });
  };
  const known = task.member !== null && !members.includes(task.member) ? [task.member, ...members] : members;
  return (
    <Dialog title={`Edit ${task.id}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextArea
          label="Task"
          autoFocus
          rows={2}
          maxLength={2_000}
          value={text}
          error={text.trim() === '' ? 'Describe the task.' : undefined}
          onChange={(event) => set({ text: event.target.value.replace(/\n/g, ' ') })}
        />
        <SelectField
          label="Member"
          value={member}
          options={[{ value: '', label: 'none: developer does it' }, ...known]}
          onChange={(event) => set({ member: event.target.value })}
        />
        <SelectField
          label="State"
          value={state}
          options={['open', 'done', 'blocked']}
          onChange={(event) => set({ state: event.target.value as WrittenState })}
        />
        {state === 'blocked' && (
          <TextField
            label="Why it is blocked"
            maxLength={500}
            value={reason}
            onChange={(event) => set({ reason: event.target.value })}
          />
        )}
        <OrderFields after={after} check={check} onChange={set} />
        {patch.error && <ErrorPanel what="The task was not changed." error={patch.error} />}
        <FormActions submitLabel="Save" isBusy={patch.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}
