import { useRef } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceField, SelectField, TextField } from '../../components/field.js';
import { Icon } from '../../components/text/icon.js';
import { lamportsIn } from '../../lib/format/lamports.js';
import { CallerView } from './calls/caller-view.js';
import { LamportsField } from './lamports-field.js';
import { freeTierByLabels } from './payment-format.js';
import styles from './payments.module.css';
import { PriceRowFields } from './price-row-fields.js';
import {
  EMPTY_PRICE,
  FREE_BY_CHOICES,
  hasPaid,
  MODE_CHOICES,
  type PaymentText,
  type PriceText,
  type PricingText,
  withAskedNetwork,
} from './pricing-values.js';

/** Keyed by the path that the daemon uses for the field. */
type PricingProblems = Record<string, string | undefined>;

interface PricingFieldsProps {
  member: string;
  values: PricingText;
  problems: PricingProblems;
  onChange: (values: PricingText) => void;
}

const ROWS_MAX = 16;
const modeLabels = {
  x402: ['Per call', 'x402: a 402 response states the price'],
  deposit: ['Deposit', 'prepaid; each call is charged to it'],
} as const;

/** The price of a member and its payment: rows by network and tier, modes, wallet, deposit, free calls, credit. */
export function PricingFields({ member, values, problems, onChange }: PricingFieldsProps) {
  const { prices, payment } = values;
  const add = useRef<HTMLButtonElement>(null);
  const setPayment = (changed: Partial<PaymentText>) => onChange({ prices, payment: { ...payment, ...changed } });
  const setRows = (rows: PriceText[]) => onChange({ prices: rows, payment: withAskedNetwork(payment, rows) });
  const setRow = (at: number, changed: Partial<PriceText>) =>
    setRows(prices.map((row, index) => (index === at ? { ...row, ...changed } : row)));
  return (
    <fieldset className={styles.pricing}>
      <legend className={styles.legend}>Price and payment</legend>
      <p className="quiet">
        {prices.length === 0
          ? 'No price: programs that have its token ask free of charge.'
          : 'With a price in lamports, every caller pays for its skills, with or without a token. Plain requests ' +
            'still need the token.'}
      </p>
      {prices.map((row, at) => (
        <PriceRowFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position in the file.
          key={at}
          row={row}
          at={at}
          problems={problems}
          onChange={(changed) => setRow(at, changed)}
          onRemove={() => {
            setRows(prices.filter((_, index) => index !== at));
            add.current?.focus();
          }}
        />
      ))}
      <p>
        <Button
          ref={add}
          isSmall
          reasonDisabled={prices.length >= ROWS_MAX ? `At most ${ROWS_MAX} prices.` : undefined}
          onClick={() =>
            onChange({
              prices: [...prices, EMPTY_PRICE],
              payment: payment.modes.length === 0 && prices.length === 0 ? { ...payment, modes: ['x402'] } : payment,
            })
          }
        >
          <Icon name="plus" />
          {prices.length === 0 ? 'Set a price' : 'Another price'}
        </Button>
      </p>
      {hasPaid(prices) && (
        <>
          <PaymentFields payment={payment} problems={problems} onChange={setPayment} />
          {problems['payment.network'] && <p className={styles.problem}>{problems['payment.network']}</p>}
          <CallerView member={member} values={values} />
        </>
      )}
    </fieldset>
  );
}

interface PaymentFieldsProps {
  payment: PaymentText;
  problems: PricingProblems;
  onChange: (changed: Partial<PaymentText>) => void;
}

/** How a price in lamports is paid: modes, least deposit, wallet, free calls and credit. */
function PaymentFields({ payment, problems, onChange }: PaymentFieldsProps) {
  return (
    <>
      <ModeFields modes={payment.modes} problem={problems['payment.modes']} onChange={(modes) => onChange({ modes })} />
      {payment.modes.includes('deposit') && (
        <LamportsField
          label="Least deposit"
          lamports={lamportsIn(payment.min_lamports)}
          hint="Empty: 1,000 lamports."
          error={problems['payment.deposit.min_lamports']}
          onChange={(lamports) => onChange({ min_lamports: lamports === undefined ? '' : String(lamports) })}
        />
      )}
      <TextField
        label="Wallet that is paid"
        className="mono"
        spellCheck={false}
        autoCapitalize="off"
        hint="Empty: this daemon’s own wallet, main."
        value={payment.wallet}
        error={problems['payment.wallet']}
        onChange={(event) => onChange({ wallet: event.target.value })}
      />
      <div className={styles.twins}>
        <TextField
          label="Free calls a day"
          inputMode="numeric"
          hint="Empty: none."
          value={payment.free_calls}
          error={problems['payment.free_tier.calls_per_day']}
          onChange={(event) => onChange({ free_calls: event.target.value })}
        />
        <SelectField
          label="Free calls are counted"
          options={FREE_BY_CHOICES.map((by) => ({ value: by, label: freeTierByLabels[by] }))}
          value={payment.free_by}
          error={problems['payment.free_tier.by']}
          onChange={(event) => onChange({ free_by: event.target.value })}
        />
      </div>
      <TextField
        label="Credit from a reputation of"
        inputMode="decimal"
        hint="0 to 1: callers with at least this much pay after the call, up to 10 unpaid. Empty: everybody pays before it."
        value={payment.postpay}
        error={problems['payment.postpay_min_reputation']}
        onChange={(event) => onChange({ postpay: event.target.value })}
      />
    </>
  );
}

interface ModeFieldsProps {
  modes: readonly string[];
  problem: string | undefined;
  onChange: (modes: string[]) => void;
}

function ModeFields({ modes, problem, onChange }: ModeFieldsProps) {
  return (
    <fieldset className={styles.modes} aria-describedby={problem ? 'payment-modes-problem' : undefined}>
      <legend className={styles.legend}>Paid by</legend>
      {MODE_CHOICES.map((mode) => (
        <ChoiceField
          key={mode}
          label={modeLabels[mode][0]}
          hint={modeLabels[mode][1]}
          checked={modes.includes(mode)}
          onChange={(event) => onChange(event.target.checked ? [...modes, mode] : modes.filter((one) => one !== mode))}
        />
      ))}
      {problem && (
        <p id="payment-modes-problem" className={styles.problem}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
