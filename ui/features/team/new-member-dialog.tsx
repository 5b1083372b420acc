import { type FormEvent, useState } from 'react';
import type { Draft } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { ApiError } from '../../lib/api.js';
import { useDraft } from '../../lib/drafts.js';
import { EMPTY_MEMBER, idFromName, type NewMemberValues, problemsOf, toNewMember } from './new-member.js';
import { useCreateMember, useDraftMember } from './team-mutations.js';

interface NewMemberDialogProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

/** A new member from a form. What is typed survives closing the dialog. */
export function NewMemberDialog({ onClose, onCreated }: NewMemberDialogProps) {
  const draft = useDraft<NewMemberValues>('team.new', EMPTY_MEMBER);
  return (
    <Dialog title="New member" onClose={onClose} isWide>
      <NewMemberForm
        values={draft.value}
        onChange={draft.set}
        onClose={onClose}
        onCreated={(id) => {
          draft.clear();
          onCreated(id);
        }}
      />
    </Dialog>
  );
}

/** A new member from a description: the daemon drafts, the operator reads and changes, and only then is a file written. */
export function DraftMemberDialog({ onClose, onCreated }: NewMemberDialogProps) {
  const words = useDraft('team.draft', { text: '', name: '' });
  const draftMember = useDraftMember();
  const [drafted, setDrafted] = useState<{ draft: Draft; values: NewMemberValues }>();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (words.value.text.trim() === '') return;
    const name = words.value.name.trim();
    draftMember.mutate(
      { text: words.value.text, ...(name ? { name } : {}) },
      {
        onSuccess: (draft) =>
          setDrafted({
            draft,
            values: {
              name: draft.name,
              id: draft.id,
              description: draft.description ?? '',
              kind: draft.kind ?? 'profile',
              body: draft.body,
            },
          }),
      },
    );
  };

  if (drafted) {
    return (
      <Dialog title="Draft" onClose={onClose} isWide>
        <Notice tone="info">
          <p>
            {drafted.draft.drafted_by === 'template'
              ? 'Drafted from a template.'
              : `Drafted by ${drafted.draft.drafted_by}.`}{' '}
            Nothing is written yet.
          </p>
          {drafted.draft.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
        <NewMemberForm
          values={drafted.values}
          onChange={(values) => setDrafted({ ...drafted, values })}
          onClose={() => setDrafted(undefined)}
          closeWords="Back to the words"
          onCreated={(id) => {
            words.clear();
            onCreated(id);
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog title="Draft a member from words" onClose={onClose} isWide>
      <form className="stack" onSubmit={submit} noValidate>
        <TextArea
          label="What should it be and do?"
          rows={7}
          maxLength={16_384}
          autoFocus
          value={words.value.text}
          onChange={(event) => words.set({ ...words.value, text: event.target.value })}
        />
        <TextField
          label="Name"
          hint="Leave it empty and the draft proposes one."
          maxLength={80}
          value={words.value.name}
          onChange={(event) => words.set({ ...words.value, name: event.target.value })}
        />
        {draftMember.error && <ErrorPanel what="There is no draft." error={draftMember.error} />}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button
            look="primary"
            type="submit"
            isBusy={draftMember.isPending}
            reasonDisabled={words.value.text.trim() ? undefined : 'Write some words first.'}
          >
            {draftMember.isPending ? 'Drafting' : 'Draft it'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function NewMemberForm({
  values,
  onChange,
  onClose,
  closeWords = 'Close',
  onCreated,
}: NewMemberDialogProps & {
  values: NewMemberValues;
  onChange: (values: NewMemberValues) => void;
  closeWords?: string;
}) {
  const create = useCreateMember();
  const [isTried, setIsTried] = useState(false);
  const problems = isTried ? problemsOf(values) : {};
  const refusal = create.error instanceof ApiError ? create.error : undefined;
  const suggested = typeof refusal?.details['suggested'] === 'string' ? refusal.details['suggested'] : undefined;
  const set = (changed: Partial<NewMemberValues>) => {
    create.reset();
    onChange({ ...values, ...changed });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(problemsOf(values)).length > 0) return;
    create.mutate(toNewMember(values), { onSuccess: (member) => onCreated(member.id) });
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        label="Name"
        autoFocus
        value={values.name}
        error={problems.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Id"
        className="mono"
        hint={`The file will be .mesh/team/${values.id || idFromName(values.name) || '<id>'}.md`}
        placeholder={idFromName(values.name)}
        value={values.id}
        error={problems.id}
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => set({ id: event.target.value })}
      />
      <TextField
        label="What it is for"
        hint="One line, shown on the roster and on its card."
        value={values.description}
        error={problems.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <SelectField
        label="Kind"
        hint="A singleton has one live conversation at most and cannot be deleted here. The kind cannot be changed later."
        options={['profile', 'singleton']}
        value={values.kind}
        onChange={(event) => set({ kind: event.target.value === 'singleton' ? 'singleton' : 'profile' })}
      />
      <TextArea
        label="Initial prompt"
        hint="Markdown: purpose, way of working, limits, what a finished answer looks like."
        isCode
        rows={10}
        value={values.body}
        onChange={(event) => set({ body: event.target.value })}
      />
      {create.error && <ErrorPanel what="The member was not created." error={create.error} />}
      {suggested && (
        <p>
          <Button onClick={() => set({ id: suggested })}>Take the id {suggested}</Button>
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{closeWords}</Button>
        <Button look="primary" type="submit" isBusy={create.isPending}>
          Create member
        </Button>
      </DialogActions>
    </form>
  );
}
