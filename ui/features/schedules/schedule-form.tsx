import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Schedule } from '../../../daemon/contract/work/schedules.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useNow } from '../../lib/use-now.js';
import { roadmapQuery } from '../roadmap/roadmap-queries.js';
import { teamQuery } from '../team/team-queries.js';
import { formatFieldError, formatUntil } from './schedule-format.js';
import { createPatch, type ScheduleValues, toNew, toValues } from './schedule-values.js';
import styles from './schedules.module.css';
import { previewQuery, useAddSchedule, usePatchSchedule } from './schedules-queries.js';

/** Who does the tasks that name nobody. */
const DEFAULT_MEMBER = 'developer';
const MISSED = [
  { value: 'once', label: 'Run once for all of them' },
  { value: 'skip', label: 'Skip them' },
  { value: 'all', label: 'Run each of them, at most 20' },
];
const EXAMPLES = [
  { value: '0 9 * * 1-5', label: '9:00 from Monday to Friday' },
  { value: '0 9 * * *', label: '9:00 every day' },
  { value: '0 * * * *', label: 'every hour' },
  { value: '0 8 * * 1', label: '8:00 every Monday' },
  { value: '0 7 1 * *', label: '7:00 on the first of the month' },
];

interface FieldsProps {
  values: ScheduleValues;
  set: (changed: Partial<ScheduleValues>) => void;
}

/** Adds a schedule, or edits one. */
export function ScheduleForm({ schedule, onClose }: { schedule?: Schedule | undefined; onClose: () => void }) {
  const add = useAddSchedule();
  const patch = usePatchSchedule();
  const team = useQuery(teamQuery()).data;
  const serving = (team?.members ?? []).filter((one) => one.serving);
  // The schedule as it was opened: it may change meanwhile.
  const [base] = useState(() => toValues(schedule));
  const [values, setValues] = useState(base);
  const set = (changed: Partial<ScheduleValues>) => setValues((shown) => ({ ...shown, ...changed }));
  const [isTried, setIsTried] = useState(false);
  const member = values.member || (serving.find(({ id }) => id === DEFAULT_MEMBER) ?? serving[0])?.id || '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (values.text.trim() === '' || (values.kind === 'times' && values.cron.trim() === '')) return;
    if (!schedule) add.mutate(toNew({ ...values, member }), { onSuccess: onClose });
    else patch.mutate({ id: schedule.id, patch: createPatch(base, { ...values, member }) }, { onSuccess: onClose });
  };
  const error = add.error ?? patch.error;
  return (
    <Dialog title={schedule ? `Edit ${schedule.title}` : 'New schedule'} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <SelectField
          label="Member"
          value={member}
          options={serving.map((one) => ({ value: one.id, label: `${one.name} (${one.id})` }))}
          onChange={(event) => set({ member: event.target.value })}
        />
        <TextArea
          label="What to do"
          rows={3}
          value={values.text}
          error={isTried && values.text.trim() === '' ? 'Describe what the member is to do.' : undefined}
          onChange={(event) => set({ text: event.target.value })}
        />
        <SelectField
          label="When"
          value={values.kind}
          options={[
            { value: 'times', label: 'At set times' },
            { value: 'task', label: 'After a task of the roadmap' },
          ]}
          onChange={(event) => set({ kind: event.target.value === 'task' ? 'task' : 'times' })}
        />
        {values.kind === 'times' ? (
          <TimesFields values={values} set={set} isTried={isTried} />
        ) : (
          <TaskField values={values} set={set} />
        )}
        <MoreFields values={values} set={set} />
        {error && <ErrorPanel what="The schedule was not saved." error={error} />}
        <FormActions
          submitLabel={schedule ? 'Save' : 'Add'}
          isBusy={add.isPending || patch.isPending}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function TimesFields({ values: { cron, zone }, set, isTried }: FieldsProps & { isTried: boolean }) {
  const preview = useQuery(previewQuery(cron, zone));
  const now = useNow(30_000);
  const isEmpty = cron.trim() === '';
  const wrong = isEmpty || !preview.error ? undefined : formatFieldError(preview.error.message);
  const next = isEmpty || wrong !== undefined ? [] : (preview.data?.next_runs ?? []);
  return (
    <>
      <div className={styles.times}>
        <TextField
          label="Times, as a cron expression"
          hint="Minute, hour, day of month, month, day of week."
          className="mono"
          maxLength={200}
          value={cron}
          error={isEmpty && isTried ? 'Give the times, for example 0 9 * * 1-5.' : wrong}
          onChange={(event) => set({ cron: event.target.value })}
        />
        <SelectField
          label="Or one of these"
          value={EXAMPLES.some(({ value }) => value === cron) ? cron : ''}
          options={[{ value: '', label: 'other times' }, ...EXAMPLES]}
          onChange={(event) => {
            if (event.target.value !== '') set({ cron: event.target.value });
          }}
        />
      </div>
      <SelectField
        label="Time zone"
        value={zone}
        options={[...new Set([zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()}
        onChange={(event) => set({ zone: event.target.value })}
      />
      <div role="status" className={styles.preview}>
        {next.length > 0 && (
          <>
            <p className="small">Next runs</p>
            <ol>
              {next.map(({ at, local, offset }) => (
                <li key={at}>
                  <time dateTime={at} className="mono">
                    {local}
                  </time>{' '}
                  <span className="small quiet">
                    {offset}, {formatUntil(Date.parse(at), now)}
                  </span>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </>
  );
}

function TaskField({ values: { task }, set }: FieldsProps) {
  const tasks = useQuery(roadmapQuery()).data?.tasks ?? [];
  const open = tasks.filter(({ id, state }) => state !== 'done' || id === task);
  return (
    <SelectField
      label="Task"
      hint={
        open.length === 0
          ? 'The roadmap has no task that is not done.'
          : 'It runs each time that this task becomes done.'
      }
      value={task}
      options={[
        { value: '', label: 'Choose a task' },
        ...open.map(({ id, text }) => ({ value: id, label: `${id}: ${text}` })),
      ]}
      onChange={(event) => set({ task: event.target.value })}
    />
  );
}

function MoreFields({ values: { kind, title, missed, minutes }, set }: FieldsProps) {
  return (
    <details>
      <summary>More</summary>
      <div className={`stack ${styles.more}`}>
        <TextField
          label="Name"
          hint="Empty: the start of the text."
          maxLength={100}
          value={title}
          onChange={(event) => set({ title: event.target.value })}
        />
        {kind === 'times' && (
          <SelectField
            label="Missed times"
            hint="When the daemon did not run or the machine slept."
            value={missed}
            options={MISSED}
            onChange={(event) => set({ missed: event.target.value as ScheduleValues['missed'] })}
          />
        )}
        <TextField
          label="Minutes until a permission is denied"
          hint="When nobody answers. At most 60."
          type="number"
          min={1}
          max={60}
          value={minutes}
          onChange={(event) => set({ minutes: event.target.value })}
        />
      </div>
    </details>
  );
}
