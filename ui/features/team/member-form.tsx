import { type FormEvent, useState } from 'react';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { ChoiceField, SelectField, TextArea, TextField } from '../../components/field.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { useChangeDraft } from '../../lib/change-draft.js';
import { useDraft } from '../../lib/drafts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatModel } from '../../lib/format/format-model.js';
import { PricingFields } from '../payments/pricing-fields.js';
import { CallingFields } from './card/calling-fields.js';
import styles from './member-form.module.css';
import {
  applyChanges,
  CLIENT_CHOICES,
  changedKeys,
  createPatch,
  EFFORT_CHOICES,
  fieldOfPath,
  type MemberFormValues,
  problemsIn,
  TOOL_CHOICES,
  toFormValues,
} from './member-form-values.js';
import { SaveBar } from './save-bar.js';
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

/** The unsaved changes of the form, kept when the page is left, and how they are saved. */
function useMemberDraft(member: MemberDetail) {
  const current = toFormValues(member);
  const draft = useDraft<FormDraft>(formPlace(member.id), {
    revision: member.revision,
    base: current,
    values: current,
  });
  const change = useChangeDraft<FormDraft>(formPlace(member.id));
  const { revision } = draft.value;
  // A draft may have been saved before the form had all its fields.
  const base = { ...current, ...draft.value.base };
  const values = { ...current, ...draft.value.values };
  const [isTried, setIsTried] = useState(false);
  const patch = usePatchMember(member.id);
  const say = useToast();
  const isBehind = draft.isDirty && revision !== member.revision;

  const set = (values: MemberFormValues) => {
    if (patch.isError) patch.reset();
    if (changedKeys(base, values).length === 0) draft.clear();
    else draft.set({ revision, base, values });
  };
  const save = () => {
    setIsTried(true);
    if (Object.keys(problemsIn(values)).length > 0) return;
    patch.mutateAsync({ patch: createPatch(base, values), revision }).then(
      (saved) => {
        // What was typed since stays, as a change of the saved file.
        change((now) =>
          now && changedKeys(values, now.values).length > 0
            ? { revision: saved.revision, base: toFormValues(saved), values: now.values }
            : undefined,
        );
        setIsTried(false);
        say({ text: `Saved .mesh/team/${member.id}.md` });
      },
      () => undefined,
    );
  };
  /** Applies the changes to the file as it is now. */
  const rebase = () => {
    patch.reset();
    draft.set({ revision: member.revision, base: current, values: applyChanges(base, values, current) });
  };
  return {
    values,
    problems: { ...refusedField(patch.error), ...(isTried ? problemsIn(values) : {}) },
    changed: changedKeys(base, values),
    hasConflict:
      (isBehind && !patch.isPending) || (patch.error instanceof ApiError && patch.error.code === 'file_changed'),
    error: patch.error,
    isSaving: patch.isPending,
    set,
    save,
    rebase,
    discard: draft.clear,
  };
}

type MemberDraft = ReturnType<typeof useMemberDraft>;

/** The props that bind an input to a value of the form. */
interface FieldProps<V> {
  value: V;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

type FieldOf = <K extends keyof MemberFormValues>(key: K) => FieldProps<MemberFormValues[K]>;

/** The member file as a form. Saves only changed keys, and never overwrites another change silently. */
export function MemberForm({ member }: { member: MemberDetail }) {
  const draft = useMemberDraft(member);
  const { values, problems, changed, set } = draft;
  const field: FieldOf = (key) => ({
    value: values[key],
    error: problems[key],
    onChange: (event) => set({ ...values, [key]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    draft.save();
  };
  return (
    <form onSubmit={submit} noValidate aria-label={`${toDisplayText(member.name)}, as a form`}>
      <div className={styles.form}>
        <RosterFields field={field} />
        <RunFields field={field} member={member} />
        <ToolChoices tools={values.tools} onChange={(tools) => set({ ...values, tools })} />
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
        <CallingFields values={values} problems={problems} onChange={(changed) => set({ ...values, ...changed })} />
        <TextArea label="Initial prompt" hint="Markdown. Opens the first turn." isCode rows={14} {...field('body')} />
      </div>
      <SaveBar
        isChanged={changed.length > 0}
        state={
          changed.length === 0
            ? 'As on disk.'
            : `${changed.length} ${changed.length === 1 ? 'key' : 'keys'} changed. The rest of the file is not touched.`
        }
        conflict={draft.hasConflict && <Conflict draft={draft} />}
        error={draft.error}
        isSaving={draft.isSaving}
        onDiscard={draft.discard}
      />
    </form>
  );
}

/** How the roster lists the member. */
function RosterFields({ field }: { field: FieldOf }) {
  return (
    <>
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
    </>
  );
}

/** What runs the member, and its limits. */
function RunFields({ field, member }: { field: FieldOf; member: MemberDetail }) {
  return (
    <>
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
    </>
  );
}

/** The tools of a member. One that is not known is listed too, so that it can be removed. */
function ToolChoices({ tools, onChange }: { tools: string[]; onChange: (tools: string[]) => void }) {
  const unknown = tools.filter((tool) => !TOOL_CHOICES.some((known) => known === tool));
  return (
    <fieldset>
      <legend className={styles.legend}>Tools</legend>
      <div className={styles.tools}>
        {[...TOOL_CHOICES, ...unknown].map((tool) => (
          <ChoiceField
            key={tool}
            label={tool}
            checked={tools.includes(tool)}
            onChange={(event) =>
              onChange(event.target.checked ? [...tools, tool] : tools.filter((other) => other !== tool))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The file changed on disk while it was edited: the choice between both versions. */
function Conflict({ draft: { changed, rebase, discard } }: { draft: MemberDraft }) {
  return (
    <>
      <p>
        <strong>The file changed on disk since you started editing.</strong> Your changes to {changed.join(', ')} are
        still here, unsaved.
      </p>
      <div className="cluster">
        <Button onClick={rebase}>Apply mine to the new file</Button>
        <Button look="danger" onClick={discard}>
          Discard mine
        </Button>
      </div>
    </>
  );
}
