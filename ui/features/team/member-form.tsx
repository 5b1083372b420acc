import { type FormEvent, useState } from 'react';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { ChoiceField, SelectField, TextArea, TextField } from '../../components/field.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/display-text.js';
import { useDraft } from '../../lib/drafts.js';
import { formatModel } from '../../lib/format-model.js';
import { PricingFields } from '../payments/pricing-fields.js';
import styles from './member-form.module.css';
import {
  CLIENT_CHOICES,
  carriedOver,
  changedKeys,
  createPatch,
  EFFORT_CHOICES,
  fieldOfPath,
  type MemberFormValues,
  problemsIn,
  TOOL_CHOICES,
  toFormValues,
} from './member-form-values.js';
import { usePatchMember } from './team-mutations.js';

interface FormDraft {
  revision: string;
  base: MemberFormValues;
  values: MemberFormValues;
}

/** Returns the daemon's error at the field that it names. */
function refusedField(error: unknown): Partial<Record<string, string>> {
  const path = error instanceof ApiError && error.status === 400 ? error.path : undefined;
  const field = path === undefined ? undefined : fieldOfPath(path);
  return field !== undefined && error instanceof ApiError ? { [field]: error.message } : {};
}

/** Draft key of the form's unsaved changes. */
export const formPlace = (id: string) => `member.${id}.form`;

/** The member file as a form. Saves only changed keys, and never overwrites another change silently. */
export function MemberForm({ member }: { member: MemberDetail }) {
  const current = toFormValues(member);
  const draft = useDraft<FormDraft>(formPlace(member.id), {
    revision: member.revision,
    base: current,
    values: current,
  });
  const { revision } = draft.value;
  // A draft may have been saved before the form had all its fields.
  const base = { ...current, ...draft.value.base };
  const values = { ...current, ...draft.value.values };
  const [isTried, setIsTried] = useState(false);
  const patch = usePatchMember(member.id);
  const say = useToast();
  const refused = refusedField(patch.error);
  const problems = { ...refused, ...(isTried ? problemsIn(values) : {}) };
  const changed = changedKeys(base, values);
  const isBehind = draft.isDirty && revision !== member.revision;

  const set = (values: MemberFormValues) => {
    patch.reset();
    if (changedKeys(base, values).length === 0) draft.clear();
    else draft.set({ revision, base, values });
  };
  const field = <K extends keyof MemberFormValues>(key: K) => ({
    value: values[key],
    error: problems[key],
    onChange: (event: { target: { value: string } }) => set({ ...values, [key]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(problemsIn(values)).length > 0) return;
    patch.mutate(
      { patch: createPatch(base, values), revision },
      {
        onSuccess: () => {
          draft.clear();
          setIsTried(false);
          say({ text: `Saved .mesh/team/${member.id}.md` });
        },
      },
    );
  };
  const hasConflict = isBehind || (patch.error instanceof ApiError && patch.error.code === 'file_changed');
  return (
    <form onSubmit={submit} noValidate aria-label={`${toDisplayText(member.name)}, as a form`}>
      <div className={styles.form}>
        <div className={styles.half}>
          <TextField label="Name" hint="Empty: the id in title case." {...field('name')} />
        </div>
        <div className={styles.half}>
          <TextField
            label="Roster order"
            inputMode="numeric"
            hint="Smaller numbers come first."
            {...field('pinned_order')}
          />
        </div>
        <TextArea
          label="Description"
          hint="One line, shown in the team list and on the card. Empty: the first paragraph of the prompt."
          rows={1}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
          {...field('description')}
        />
        <div className={styles.third}>
          <SelectField
            label="Client"
            hint={`The program that runs it. Now: ${member.client_resolved}.`}
            options={CLIENT_CHOICES}
            {...field('client')}
          />
        </div>
        <div className={styles.third}>
          <TextField
            label="Model"
            hint={`Now: ${formatModel(null, member.model_resolved)}.`}
            spellCheck={false}
            autoCapitalize="off"
            {...field('model')}
          />
        </div>
        <div className={styles.third}>
          <SelectField
            label="Effort"
            hint="How hard the model should think."
            options={EFFORT_CHOICES}
            {...field('effort')}
          />
        </div>
        <div className={styles.half}>
          <TextField label="Turn limit per run" inputMode="numeric" {...field('turns')} />
        </div>
        <div className={styles.half}>
          <TextField label="Minutes limit per run" inputMode="numeric" {...field('minutes')} />
        </div>
        <fieldset>
          <legend className={styles.legend}>Tools</legend>
          <div className={styles.tools}>
            {[...TOOL_CHOICES, ...values.tools.filter((tool) => !TOOL_CHOICES.some((known) => known === tool))].map(
              (tool) => (
                <ChoiceField
                  key={tool}
                  label={tool}
                  checked={values.tools.includes(tool)}
                  onChange={(event) =>
                    set({
                      ...values,
                      tools: event.target.checked
                        ? [...values.tools, tool]
                        : values.tools.filter((other) => other !== tool),
                    })
                  }
                />
              ),
            )}
          </div>
        </fieldset>
        <div className={styles.half}>
          <TextArea
            label="Example asks"
            hint="One per line, two to four. Shown on the card."
            rows={3}
            {...field('examples')}
          />
        </div>
        <div className={styles.half}>
          <TextArea label="References" hint="Paths or URLs it should know, one per line." rows={3} {...field('refs')} />
        </div>
        <PricingFields
          member={member.id}
          values={values}
          problems={problems}
          onChange={(changed) => set({ ...values, ...changed })}
        />
        <TextArea label="Initial prompt" hint="Markdown. Opens the first turn." isCode rows={14} {...field('body')} />
      </div>
      <div className={styles.bar}>
        {hasConflict && (
          <Notice tone="failed" isAlert>
            <p>
              <strong>The file changed on disk since you started editing.</strong> Your changes to {changed.join(', ')}{' '}
              are still here, unsaved.
            </p>
            <div className="cluster">
              <Button
                onClick={() => {
                  patch.reset();
                  draft.set({ revision: member.revision, base: current, values: carriedOver(base, values, current) });
                }}
              >
                Apply mine to the new file
              </Button>
              <Button look="danger" onClick={draft.clear}>
                Discard mine
              </Button>
            </div>
          </Notice>
        )}
        {patch.error && !hasConflict && <ErrorPanel what="The file was not saved." error={patch.error} />}
        <Button
          look="primary"
          type="submit"
          isBusy={patch.isPending}
          reasonDisabled={
            changed.length === 0 ? 'Nothing has changed.' : hasConflict ? 'Resolve the conflict first.' : undefined
          }
        >
          Save
        </Button>
        {changed.length > 0 && <Button onClick={draft.clear}>Discard</Button>}
        <span className="quiet">
          {changed.length === 0
            ? 'As on disk.'
            : `${changed.length} ${changed.length === 1 ? 'key' : 'keys'} changed. The rest of the file is not touched.`}
        </span>
      </div>
    </form>
  );
}
