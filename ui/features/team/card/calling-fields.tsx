import { ChoiceField, TextArea, TextField } from '../../../components/field.js';
import styles from '../member-form.module.css';
import { type CallingText, RATE_KEYS } from './calling-values.js';

interface CallingFieldsProps {
  values: CallingText;
  problems: Partial<Record<string, string>>;
  onChange: (changed: Partial<CallingText>) => void;
}

const rateLabels = {
  per_ip_per_minute: 'Calls of one address a minute',
  per_ip_per_hour: 'Calls of one address an hour',
  per_ip_per_day: 'Calls of one address a day',
  per_day: 'Calls of all addresses a day',
} as const satisfies Record<(typeof RATE_KEYS)[number], string>;

/** What other programs read on the card: when the member answers, where to write, and how often they may call. */
export function CallingFields({ values, problems, onChange }: CallingFieldsProps) {
  const field = (key: Exclude<keyof CallingText, 'is_away'>) => ({
    value: values[key],
    error: problems[key],
    onChange: (event: { target: { value: string } }) => onChange({ [key]: event.target.value }),
  });
  return (
    <fieldset>
      <legend className={styles.legend}>Availability, contact and limits</legend>
      <div className={styles.form}>
        <p className="quiet">Other programs read these on its card. Empty fields are left out.</p>
        <ChoiceField
          label="Away for now"
          hint="Agent search shows it as offline. It still answers."
          checked={values.is_away}
          onChange={(event) => onChange({ is_away: event.target.checked })}
        />
        <div className={styles.half}>
          <TextField label="Hours" hint="When it answers: “Mon-Fri 08:00-18:00 UTC”." {...field('window_hours')} />
        </div>
        <div className={styles.half}>
          <TextField label="Usual time to an answer" hint="In words: “within 2 minutes”." {...field('sla')} />
        </div>
        <TextArea
          label="Contact"
          hint="Protocol and endpoint, one per line: “email: ops@example.org”."
          rows={2}
          spellCheck={false}
          autoCapitalize="off"
          {...field('contact')}
        />
        {RATE_KEYS.map((key) => (
          <div key={key} className={styles.half}>
            <TextField label={rateLabels[key]} inputMode="numeric" hint="Empty: no limit." {...field(key)} />
          </div>
        ))}
      </div>
    </fieldset>
  );
}
