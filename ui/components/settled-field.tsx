import { useEffect, useState } from 'react';
import { TextField, type TextFieldProps } from './field.js';

const SETTLED_MS = 300;

export interface SettledFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'error'> {
  value: string;
  /** Takes what was typed once it stands still, on Enter, and when the field is left; only what has no fault. Must keep its identity. */
  onSettled: (value: string) => void;
  /** What the typed words come to as a value. */
  read?: (typed: string) => string;
  /** What is wrong with the words and what would be right. */
  faultOf?: (typed: string) => string | undefined;
}

const trimmed = (typed: string) => typed.trim();

/** A field whose words act when one stops typing. */
export function SettledField({ value, onSettled, read = trimmed, faultOf, ...field }: SettledFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The address changed by other means: back, a cleared filter.
  if (known !== value) {
    setKnown(value);
    if (read(typed) !== value) setTyped(value);
  }
  const fault = typed.trim() === '' ? undefined : faultOf?.(typed);
  const meant = read(typed);
  const isUnsettled = meant !== value && fault === undefined;
  useEffect(() => {
    if (!isUnsettled) return;
    const timer = setTimeout(() => onSettled(meant), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isUnsettled, meant, onSettled]);
  const settle = () => {
    if (isUnsettled) onSettled(meant);
  };
  return (
    <TextField
      {...field}
      value={typed}
      error={fault}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) settle();
      }}
      onBlur={settle}
    />
  );
}
