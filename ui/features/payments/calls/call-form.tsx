import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Tier2Card } from '../../../../daemon/contract/network/site.js';
import type { CallBody, CallMode, PaymentDeclaration } from '../../../../daemon/contract/payments.js';
import { Button } from '../../../components/button.js';
import { SelectField, TextArea } from '../../../components/field.js';
import { Notice } from '../../../components/notes.js';
import { ErrorPanel } from '../../../components/states.js';
import { useDraft } from '../../../lib/drafts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatLamports } from '../../../lib/format/lamports.js';
import { getCardPayment, getInputSchema, highestPrice, listSkillPrices } from '../card-prices.js';
import { LamportsField } from '../lamports-field.js';
import { ledgerTotalsQuery } from '../ledger-totals-query.js';
import { formatAmount, formatCaps, modeLabels } from '../payment-format.js';
import styles from '../payments.module.css';
import { walletsQuery } from '../payments-queries.js';
import { PriceTerms } from '../price-terms.js';
import { InputFields } from './input-fields.js';
import { inputInJson, listFields, parseInput, splitFields, type Typed, typedFromExample } from './schema-fields.js';

type Mode = 'auto' | CallMode;
type Skill = Tier2Card['skills'][number];

interface CallFormProps {
  agentId: string;
  card: Tier2Card;
  skill: Skill;
  onCall: (body: CallBody) => void;
  isBusy: boolean;
  error: unknown;
}

/** How many calls the suggested deposit pays for. */
const CALLS_PREPAID = 10;

const listModes = (payment: Partial<PaymentDeclaration> | undefined, isPriced: boolean): Mode[] => {
  if (!isPriced) return ['auto'];
  const modes = Array.isArray(payment?.modes) ? payment.modes : ['x402' as const];
  return [
    'auto',
    ...(payment?.free_tier ? ['free' as const] : []),
    ...(modes.includes('deposit') ? ['deposit' as const] : []),
    ...(typeof payment?.postpay_min_reputation === 'number' ? ['postpay' as const] : []),
    ...(modes.includes('x402') ? ['x402' as const] : []),
  ];
};

/** The input of a call as typed: in the fields of the skill's schema, or as JSON when a form cannot represent it. */
function useTypedInput(agentId: string, skill: Skill) {
  const fields = listFields(getInputSchema(skill));
  const draft = useDraft<{ typed: Typed; json: string }>(`call.${agentId}.${skill.id}`, { typed: {}, json: '' });
  const { typed, json } = draft.value;
  const read = fields ? parseInput(fields, typed) : { ...inputInJson(json), problems: {} };
  const problems: Typed = read.problems;
  return {
    fields,
    typed,
    json,
    input: read.input,
    problems,
    jsonFault: 'fault' in read ? read.fault : undefined,
    type: (name: string, value: string) => draft.set({ typed: { ...typed, [name]: value }, json }),
    typeJson: (text: string) => draft.set({ typed, json: text }),
    startFrom: (example: string) =>
      draft.set(fields ? { typed: typedFromExample(example, fields), json } : { typed, json: example }),
  };
}

/** How a call is paid: the mode, the most it may cost, and the deposit's top-up. */
function usePaymentTerms(price: number | undefined, payment: Partial<PaymentDeclaration> | undefined) {
  const [mode, setMode] = useState<Mode>('auto');
  const [most, setMost] = useState<number | undefined>(price);
  const [isOwnMost, setIsOwnMost] = useState(false);
  const cap = isOwnMost ? most : price;
  const least = payment?.deposit?.min_lamports;
  const [ownTopup, setTopup] = useState<{ lamports: number | undefined }>();
  const suggested = Math.max(least ?? 0, (price ?? 0) * CALLS_PREPAID) || undefined;
  const topup = ownTopup ? ownTopup.lamports : suggested;
  const isDeposit = mode === 'deposit';
  return {
    mode,
    modes: listModes(payment, price !== undefined),
    setMode,
    cap,
    capFault: price !== undefined && cap === undefined ? 'A whole number of lamports.' : undefined,
    setCap: (amount: number | undefined) => {
      setIsOwnMost(true);
      setMost(amount);
    },
    isDeposit,
    topup,
    topupFault:
      isDeposit && (topup === undefined || topup < (least ?? 1))
        ? `At least ${formatLamports(least ?? 1)}, by its card.`
        : undefined,
    setTopup: (lamports: number | undefined) => setTopup({ lamports }),
  };
}

/** The form of a call: the skill's input by its schema, the payment mode, and the most it may cost. */
export function CallForm({ agentId, card, skill, onCall, isBusy, error }: CallFormProps) {
  const typedInput = useTypedInput(agentId, skill);
  const { input, problems, jsonFault } = typedInput;
  const prices = listSkillPrices(card, skill);
  const price = highestPrice(prices, input?.['tier']);
  const terms = usePaymentTerms(price, getCardPayment(card));
  const { mode, cap, isDeposit, topup } = terms;
  const [isTried, setIsTried] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(problems).length > 0 || jsonFault !== undefined || !input || terms.topupFault || terms.capFault)
      return;
    setIsTried(false);
    onCall({
      agent: agentId,
      skill: skill.id,
      input,
      mode,
      ...(price === undefined || cap === undefined ? {} : { max_lamports: cap }),
      ...(isDeposit && topup !== undefined ? { topup_lamports: topup } : {}),
    });
  };
  return (
    <form className={styles.call} onSubmit={submit} noValidate aria-label={`Call ${toDisplayText(skill.name)}`}>
      <PriceTerms rows={prices} />
      {skill.examples && skill.examples.length > 0 && (
        <ExampleField examples={skill.examples} onChoose={typedInput.startFrom} />
      )}
      <SkillInput typedInput={typedInput} isTried={isTried} />
      {price !== undefined && <PaymentFields agentId={agentId} terms={terms} isTried={isTried} />}
      {prices.some(({ currency }) => currency === 'USD') && price === undefined && (
        <Notice tone="info">
          <p>Its price is in dollars and is settled outside meshd. The call itself is made without payment.</p>
        </Notice>
      )}
      {error !== null && error !== undefined && (
        <ErrorPanel what={`${toDisplayText(skill.name)} was not called.`} error={error} />
      )}
      <p>
        <Button look="primary" type="submit" isBusy={isBusy}>
          {price === undefined ? 'Call' : `Call for up to ${cap === undefined ? '…' : formatLamports(cap)}`}
        </Button>
      </p>
    </form>
  );
}

function ExampleField({ examples, onChoose }: { examples: readonly string[]; onChoose: (example: string) => void }) {
  return (
    <SelectField
      label="Start from an example"
      value=""
      options={[
        { value: '', label: 'Choose one' },
        ...examples.slice(0, 8).map((example, at) => ({ value: String(at + 1), label: example.slice(0, 120) })),
      ]}
      onChange={(event) => {
        const example = examples[Number(event.target.value) - 1];
        if (example !== undefined) onChoose(example);
      }}
    />
  );
}

interface SkillInputProps {
  typedInput: ReturnType<typeof useTypedInput>;
  isTried: boolean;
}

/** The input of a skill: the fields to fill in at once, the others on demand; or one text of JSON. */
function SkillInput({ typedInput, isTried }: SkillInputProps) {
  const { fields, typed, json, jsonFault, type, typeJson } = typedInput;
  if (!fields)
    return (
      <TextArea
        label="Input, as JSON"
        isCode
        rows={4}
        value={json}
        error={isTried ? jsonFault : undefined}
        onChange={(event) => typeJson(event.target.value)}
      />
    );
  const { asked, more } = splitFields(fields);
  const problems: Typed = isTried ? typedInput.problems : {};
  const hasHiddenProblem = more.some(({ name }) => problems[name] !== undefined);
  return (
    <>
      <InputFields fields={asked} typed={typed} problems={problems} onType={type} />
      {more.length > 0 && (
        <details open={hasHiddenProblem || undefined}>
          <summary>
            {more.length} more {more.length === 1 ? 'input' : 'inputs'}
          </summary>
          <div className={styles.call}>
            <InputFields fields={more} typed={typed} problems={problems} onType={type} />
          </div>
        </details>
      )}
    </>
  );
}

interface PaymentFieldsProps {
  agentId: string;
  terms: ReturnType<typeof usePaymentTerms>;
  isTried: boolean;
}

/** The payment of a call that has a price in lamports, with what the wallet and the deposit hold. */
function PaymentFields({ agentId, terms, isTried }: PaymentFieldsProps) {
  const { mode, modes, setMode, cap, capFault, setCap, isDeposit, topup, topupFault, setTopup } = terms;
  const standing = useQuery(ledgerTotalsQuery()).data;
  const wallet = useQuery(walletsQuery()).data?.find(({ name }) => name === 'main');
  const balance = standing?.deposits.find(({ agent }) => agent.toLowerCase() === agentId.toLowerCase());
  return (
    <>
      <SelectField
        label="Paid"
        value={mode}
        hint={
          mode === 'auto' ? 'Free if possible, else from a deposit, else on credit, else paid per call.' : undefined
        }
        options={modes.map((one) => ({
          value: one,
          label: one === 'auto' ? 'first possible mode' : modeLabels[one],
        }))}
        onChange={(event) => setMode(modes.find((one) => one === event.target.value) ?? 'auto')}
      />
      <LamportsField
        label="At most"
        lamports={cap}
        hint="The call is not made for more than this."
        error={isTried ? capFault : undefined}
        onChange={setCap}
      />
      {isDeposit && (
        <LamportsField
          label="Top up"
          lamports={topup}
          hint={
            'When the balance is too ' +
            `small${balance ? `; it has ${formatLamports(balance.lamports)} now` : '; there is none yet'}.`
          }
          error={isTried ? topupFault : undefined}
          onChange={setTopup}
        />
      )}
      <p className="quiet small">
        {wallet && wallet.lamports !== null ? `Your wallet main has ${formatAmount(wallet.lamports)}. ` : ''}
        {standing && formatCaps(standing.caps)}{' '}
        <Link to="/ledger">{wallet?.lamports === 0 ? 'Fund it in Payments' : 'Payments'}</Link>
      </p>
    </>
  );
}
