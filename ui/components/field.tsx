import type {
  CSSProperties,
  InputHTMLAttributes,
  ReactNode,
  Ref,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'react';
import { useId } from 'react';
import { toDisplayText } from '../lib/format/display-text.js';
import { useChosen } from '../lib/use-chosen.js';
import styles from './field.module.css';

interface Labelled {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value and what would be right. */
  error?: string | undefined;
  hidesLabel?: boolean;
}

function useDescription({ hint, error }: Labelled) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined;
  return { id, 'aria-describedby': describedBy, 'aria-invalid': error ? (true as const) : undefined };
}

function Frame({ id, label, hint, error, hidesLabel, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hidesLabel ? 'visually-hidden' : styles.label}>
        {toDisplayText(label)}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}

export type TextFieldProps = Labelled & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

export function TextField({ label, hint, error, hidesLabel, className, ...input }: TextFieldProps) {
  const described = useDescription({ label, hint, error });
  return (
    <Frame id={described.id} label={label} hint={hint} error={error} hidesLabel={hidesLabel ?? false}>
      <input
        autoComplete="off"
        dir="auto"
        {...input}
        {...described}
        className={`${styles.control} ${className ?? ''}`}
      />
    </Frame>
  );
}

interface FilterFieldProps extends Omit<TextFieldProps, 'type' | 'value' | 'onChange'> {
  value: string | undefined;
  /** Called with undefined for an empty text. Resolves once `value` has changed. */
  onChange: (text: string | undefined) => Promise<unknown>;
}

/**
 * The text filter of a page. Shortcuts find it by its `data-filter` attribute. What is typed is shown at once: a value
 * that follows later, as one in the address does, would move the caret to the end and break compositions.
 */
export function FilterField({ value, onChange, ...field }: FilterFieldProps) {
  const [shown, choose] = useChosen(value ?? '', (text) => onChange(text || undefined));
  return (
    <TextField
      {...field}
      type="search"
      data-filter=""
      enterKeyHint="search"
      value={shown}
      onChange={(event) => choose(event.target.value)}
    />
  );
}

type TextAreaProps = Labelled &
  TextareaHTMLAttributes<HTMLTextAreaElement> & { isCode?: boolean; ref?: Ref<HTMLTextAreaElement> };

export function TextArea({ label, hint, error, hidesLabel, isCode = false, className, ...area }: TextAreaProps) {
  const described = useDescription({ label, hint, error });
  return (
    <Frame id={described.id} label={label} hint={hint} error={error} hidesLabel={hidesLabel ?? false}>
      <textarea
        {...(isCode ? { spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' } : { dir: 'auto' })}
        {...area}
        {...described}
        style={{ '--rows': area.rows ?? 3 } as CSSProperties}
        className={`${styles.control} ${styles.area} ${isCode ? styles.code : ''} ${className ?? ''}`}
      />
    </Frame>
  );
}

type SelectFieldProps = Labelled &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'children'> & {
    options: readonly (string | { value: string; label: string })[];
  };

export function SelectField({ label, hint, error, hidesLabel, options, className, ...select }: SelectFieldProps) {
  const described = useDescription({ label, hint, error });
  return (
    <Frame id={described.id} label={label} hint={hint} error={error} hidesLabel={hidesLabel ?? false}>
      <select {...select} {...described} className={`${styles.control} ${className ?? ''}`}>
        {options.map((option) => {
          const { value, label: shown } = typeof option === 'string' ? { value: option, label: option } : option;
          return (
            <option key={value} value={value}>
              {toDisplayText(shown)}
            </option>
          );
        })}
      </select>
    </Frame>
  );
}

export function ChoiceField({
  label,
  hint,
  ...input
}: { label: ReactNode; hint?: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
    type?: 'checkbox' | 'radio';
  }) {
  return (
    <label className={styles.choice}>
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint && <span className={styles.hint}> {hint}</span>}
      </span>
    </label>
  );
}

export function SwitchField({
  label,
  isOn,
  onChange,
  opensOutside = false,
  isBusy = false,
}: {
  label: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** On means exposed to the outside: drawn in plum. */
  opensOutside?: boolean;
  /** In progress: pressing again does nothing, and the focus stays. */
  isBusy?: boolean;
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-disabled={isBusy || undefined}
      className={`${styles.switch} ${opensOutside ? styles.outside : ''}`}
      onClick={() => {
        if (!isBusy) onChange(!isOn);
      }}
    >
      <span className={styles.slot} aria-hidden="true" />
      <span>{label}</span>
    </button>
  );
}
