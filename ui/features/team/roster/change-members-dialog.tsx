import { type FormEvent, useState } from 'react';
import type { Member, MemberPatch } from '../../../../daemon/contract/team.js';
import { Dialog, FormActions } from '../../../components/dialog.js';
import { SelectField, TextField } from '../../../components/field.js';
import { Notice } from '../../../components/notes.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { CLIENT_CHOICES, EFFORT_CHOICES } from '../member-form-values.js';
import { usePatchMembers } from '../team-mutations.js';
import { countMembers } from './count-members.js';

const AS_IT_IS = { value: '', label: 'as it is' };

/** An empty value leaves the members as they are. */
type Values = Record<'client' | 'model' | 'effort', string>;

const createPatch = ({ client, model, effort }: Values): MemberPatch =>
  ({
    ...(client !== '' && { client }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(effort !== '' && { effort }),
  }) as MemberPatch;

interface ValueFieldsProps {
  values: Values;
  onChange: (changed: Partial<Values>) => void;
}

function ValueFields({ values: { client, model, effort }, onChange }: ValueFieldsProps) {
  return (
    <>
      <SelectField
        label="Client"
        autoFocus
        value={client}
        options={[AS_IT_IS, ...CLIENT_CHOICES]}
        onChange={({ target }) => onChange({ client: target.value })}
      />
      <TextField
        label="Model"
        hint="Empty: as it is. strongest: the strongest model of the client."
        maxLength={200}
        value={model}
        onChange={({ target }) => onChange({ model: target.value })}
      />
      <SelectField
        label="Effort"
        value={effort}
        options={[AS_IT_IS, ...EFFORT_CHOICES]}
        onChange={({ target }) => onChange({ effort: target.value })}
      />
    </>
  );
}

/** Changes what runs several members. A field that is left as it is changes nothing. */
export function ChangeMembersDialog({ members, onClose }: { members: readonly Member[]; onClose: () => void }) {
  const [values, setValues] = useState<Values>({ client: '', model: '', effort: '' });
  const change = usePatchMembers();
  const say = useToast();
  const patch = createPatch(values);
  const isEmpty = Object.keys(patch).length === 0;
  const failed = change.data?.failed ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEmpty) return;
    const ids = failed.length > 0 ? failed.map(({ id }) => id) : members.map(({ id }) => id);
    change.mutate(
      { ids, patch },
      {
        onSuccess: ({ done, failed: left }) => {
          if (left.length > 0) return;
          onClose();
          say({ text: `${countMembers(done.length)} changed.` });
        },
      },
    );
  };
  return (
    <Dialog title={`Change ${countMembers(members.length)}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{members.map(({ name }) => toDisplayText(name)).join(', ')}</p>
        <ValueFields values={values} onChange={(changed) => setValues({ ...values, ...changed })} />
        {failed.length > 0 && (
          <Notice tone="failed" isAlert>
            {failed.map(({ id, why }) => (
              <p key={id}>
                {id} was not changed. {toDisplayText(why)}
              </p>
            ))}
          </Notice>
        )}
        <FormActions
          submitLabel={failed.length > 0 ? 'Try again' : 'Change'}
          isBusy={change.isPending}
          reasonDisabled={isEmpty ? 'Choose what to change.' : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
