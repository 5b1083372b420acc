import { useEffect, useState } from 'react';
import { isComposing } from '../lib/keys/is-composing.js';
import { TextField, type TextFieldProps } from './field.js';

const SETTLED_MS = 300;

export interface SettledFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'error'> {
  value: string;
  /**
   * Called with the value once typing pauses, on Enter, and on blur, unless the value has a fault. Must be
   * referentially stable.
   */
  onSettled: (value: string) => void;
  /** Converts the typed text to the value. */
  read?: (typed: string) => string;
  /** Returns what is wrong with the typed text and what would be right. */
  getFault?: (typed: string) => string | undefined;
}

const trimmed = (typed: string) => typed.trim();

/** A text field that reports its value when the user stops typing. */
export function SettledField({ value, onSettled, read = trimmed, getFault, ...field }: SettledFieldProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The value changed by other means: navigation back, or a cleared filter.
  if (known !== value) {
    setKnown(value);
    if (read(typed) !== value) setTyped(value);
  }
  const fault = typed.trim() === '' ? undefined : getFault?.(typed);
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
        if (event.key === 'Enter' && !isComposing(event.nativeEvent)) settle();
      }}
      onBlur={settle}
    />
  );
}
