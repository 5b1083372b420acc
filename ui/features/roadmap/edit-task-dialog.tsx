import { type FormEvent, useState } from 'react';
import type { RoadmapTask, TaskPatch } from '../../../daemon/contract/roadmap.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { usePatchTask } from './roadmap-queries.js';

type WrittenState = NonNullable<TaskPatch['state']>;

/** Edits one task of the roadmap. Only changed values are sent, so that a concurrent edit of the file is kept. */
export function EditTaskDialog({
  task,
  members,
  onClose,
}: {
  task: RoadmapTask;
  members: readonly string[];
  onClose: () => void;
}) {
  const patch = usePatchTask();
  const was: WrittenState = task.state === 'running' ? 'open' : task.state;
  const [text, setText] = useState(task.text);
  const [member, setMember] = useState(task.member ?? '');
  const [state, setState] = useState<WrittenState>(was);
  const [reason, setReason] = useState(task.reason ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    const changed: TaskPatch = {
      ...(text.trim() === task.text ? {} : { text: text.trim() }),
      ...(member === (task.member ?? '') ? {} : { member: member || null }),
      ...(state === was ? {} : { state }),
      ...(state === 'blocked' && reason !== (task.reason ?? '') ? { reason: reason.trim() || null } : {}),
    };
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
          onChange={(event) => setText(event.target.value.replace(/\n/g, ' '))}
        />
        <SelectField
          label="Member"
          value={member}
          options={[{ value: '', label: 'none: developer does it' }, ...known]}
          onChange={(event) => setMember(event.target.value)}
        />
        <SelectField
          label="State"
          value={state}
          options={['open', 'done', 'blocked']}
          onChange={(event) => setState(event.target.value as WrittenState)}
        />
        {state === 'blocked' && (
          <TextField
            label="Why it is blocked"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        {patch.error && <ErrorPanel what="The task was not changed." error={patch.error} />}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" isBusy={patch.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
