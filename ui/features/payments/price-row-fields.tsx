import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { Icon } from '../../components/text/icon.js';
import { lamportsIn } from '../../lib/format/lamports.js';
import { LamportsField } from './lamports-field.js';
import { LOCAL_NETWORK, NETWORK_CHOICES } from './payment-format.js';
import styles from './payments.module.css';
import { CURRENCY_CHOICES, type PriceText } from './pricing-values.js';

const currencyLabels: Record<string, string> = { lamports: 'lamports', USD: 'US cents', free: 'free' };

interface PriceRowFieldsProps {
  row: PriceText;
  at: number;
  problems: Record<string, string | undefined>;
  onChange: (changed: Partial<PriceText>) => void;
  onRemove: () => void;
}

/** The fields of one price: amount, currency, unit, network and tier. */
export function PriceRowFields({ row, at, problems, onChange, onRemove }: PriceRowFieldsProps) {
  const { unit, amount, currency, network, tier } = row;
  const problem = (key: string) => problems[`pricing.${at}.${key}`];
  const networks = [...new Set([...NETWORK_CHOICES, ...(network === '' ? [] : [network])])];
  return (
    <fieldset className={styles.price}>
      <legend className="visually-hidden">Price {at + 1}</legend>
      <AmountField
        currency={currency}
        amount={amount}
        error={problem('amount')}
        onChange={(changed) => onChange({ amount: changed })}
      />
      <div className={styles.priceMore}>
        <SelectField
          label="In"
          value={currency}
          options={[...new Set([...CURRENCY_CHOICES, currency])].map((one) => ({
            value: one,
            label: currencyLabels[one] ?? one,
          }))}
          error={problem('currency')}
          onChange={(event) =>
            onChange({ currency: event.target.value, ...(event.target.value === 'free' ? { amount: '0' } : {}) })
          }
        />
        <TextField
          label="For a"
          value={unit}
          error={problem('unit')}
          onChange={(event) => onChange({ unit: event.target.value })}
        />
        {currency === 'lamports' && (
          <SelectField
            label="On"
            value={network}
            options={[...(network === '' ? [{ value: '', label: 'the local network' }] : []), ...networks]}
            hint={network === '' || network === LOCAL_NETWORK ? 'Not real money.' : undefined}
            error={problem('network')}
            onChange={(event) => onChange({ network: event.target.value })}
          />
        )}
        <TextField
          label="Tier, optional"
          value={tier}
          error={problem('tier')}
          onChange={(event) => onChange({ tier: event.target.value })}
        />
      </div>
      <p>
        <Button isSmall aria-label={`Remove price ${at + 1}`} onClick={onRemove}>
          <Icon name="close" />
          Remove
        </Button>
      </p>
    </fieldset>
  );
}

interface AmountFieldProps {
  currency: string;
  amount: string;
  error: string | undefined;
  onChange: (amount: string) => void;
}

/** The amount in the currency of the price. What is free has none. */
function AmountField({ currency, amount, error, onChange }: AmountFieldProps) {
  if (currency === 'free') return null;
  if (currency === 'lamports')
    return (
      <LamportsField
        label="Price"
        lamports={lamportsIn(amount)}
        error={error}
        onChange={(lamports) => onChange(lamports === undefined ? '' : String(lamports))}
      />
    );
  return (
    <TextField
      label="Price"
      inputMode="decimal"
      value={amount}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
