import { useState } from 'react';
import { formatSol } from '../../../daemon/lib/text/sol-amount.js';
import { TextField } from '../../components/field.js';
import { lamportsIn, lamportsOfSol } from '../../lib/format/lamports.js';
import styles from './payments.module.css';

interface LamportsFieldProps {
  label: string;
  /** Undefined while the typed text is not an amount. */
  lamports: number | undefined;
  onChange: (lamports: number | undefined) => void;
  hint?: string;
  error?: string | undefined;
}

const sol = (lamports: number | undefined) => (lamports === undefined ? '' : formatSol(lamports));
const whole = (lamports: number | undefined) => (lamports === undefined ? '' : String(lamports));

/** An amount in lamports and in SOL. Typing in one field updates the other exactly. */
export function LamportsField({ label, lamports, onChange, hint, error }: LamportsFieldProps) {
  const [typed, setTyped] = useState({ whole: whole(lamports), sol: sol(lamports) });
  const [known, setKnown] = useState(lamports);
  // The value was changed by the parent.
  if (known !== lamports) {
    setKnown(lamports);
    setTyped({ whole: whole(lamports), sol: sol(lamports) });
  }
  const take = (next: typeof typed, amount: number | undefined) => {
    setTyped(next);
    setKnown(amount);
    onChange(amount);
  };
  return (
    <div className={styles.twins}>
      <TextField
        label={`${label}, lamports`}
        inputMode="numeric"
        value={typed.whole}
        hint={hint}
        error={error}
        onChange={({ target: { value } }) => {
          const amount = lamportsIn(value);
          take({ whole: value, sol: sol(amount) }, amount);
        }}
      />
      <TextField
        label={`${label}, SOL`}
        inputMode="decimal"
        value={typed.sol}
        onChange={({ target: { value } }) => {
          const amount = lamportsOfSol(value);
          take({ whole: whole(amount), sol: value }, amount);
        }}
      />
    </div>
  );
}
