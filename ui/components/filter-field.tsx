import { useChosen } from '../lib/use-chosen.js';
import { TextField, type TextFieldProps } from './field.js';

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
