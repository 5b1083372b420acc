import { SelectField } from '../../../components/field.js';
import { SettledField } from '../../../components/settled-field.js';
import { modeLabels, stateLabels } from '../payment-format.js';
import styles from '../payments.module.css';
import { type LedgerFilters, MODES, SIDES, STATES } from './ledger-search.js';

interface LedgerFilterFieldsProps {
  filters: LedgerFilters;
  /** Must be referentially stable. */
  onChange: (changed: LedgerFilters) => void;
  onWords: (q: string) => void;
  onAgent: (agent: string) => void;
}

export function LedgerFilterFields({ filters, onChange, onWords, onAgent }: LedgerFilterFieldsProps) {
  return (
    <search className={styles.filters}>
      <SettledField
        label="Search entries"
        type="search"
        data-filter=""
        enterKeyHint="search"
        maxLength={200}
        placeholder="Agent, skill, key, nonce, signature"
        value={filters.q ?? ''}
        onSettled={onWords}
      />
      <SettledField
        label="Agent"
        spellCheck={false}
        autoCapitalize="off"
        maxLength={128}
        value={filters.agent ?? ''}
        onSettled={onAgent}
      />
      <SelectField
        label="Side"
        value={filters.side ?? ''}
        options={[{ value: '', label: 'Both' }, ...SIDES]}
        onChange={(event) => onChange({ side: SIDES.find((side) => side === event.target.value) })}
      />
      <SelectField
        label="State"
        value={filters.state ?? ''}
        options={[{ value: '', label: 'Any' }, ...STATES.map((state) => ({ value: state, label: stateLabels[state] }))]}
        onChange={(event) => onChange({ state: STATES.find((state) => state === event.target.value) })}
      />
      <SelectField
        label="Mode"
        value={filters.mode ?? ''}
        options={[{ value: '', label: 'Any' }, ...MODES.map((mode) => ({ value: mode, label: modeLabels[mode] }))]}
        onChange={(event) => onChange({ mode: MODES.find((mode) => mode === event.target.value) })}
      />
    </search>
  );
}
