import { useCallback, useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceField, SelectField } from '../../components/field.js';
import { SettledField, type SettledFieldProps } from '../../components/settled-field.js';
import { useChosen } from '../../lib/use-chosen.js';
import styles from './find.module.css';
import { DEFAULT_PAGE, foldedSet } from './find-filters.js';
import { countryIn, currencyIn, type FindSearch, PAGE_SIZES, priceIn } from './find-search.js';

interface FindFilterFieldsProps {
  search: FindSearch;
  /** Changes the query parameters. Resolves once they have changed. Must be referentially stable. */
  onChange: (changed: FindSearch) => Promise<void>;
}

const readPrice = (typed: string) => String(priceIn(typed) ?? '');
const priceFault = (typed: string) =>
  priceIn(typed) === undefined ? 'An amount, 0 or more, with a point: 0.05.' : undefined;
const readCurrency = (typed: string) => currencyIn(typed) ?? '';
const currencyFault = (typed: string) =>
  currencyIn(typed) === undefined && typed.trim().toLowerCase() !== 'usd'
    ? 'Letters, as in USD, EUR or lamports.'
    : undefined;
const readCountry = (typed: string) => countryIn(typed) ?? '';
const countryFault = (typed: string) => (countryIn(typed) === undefined ? 'Two letters, as in NO or PT.' : undefined);

/** The text and the filters of a search. Each field is a query parameter. */
export function FindFilterFields({ search, onChange }: FindFilterFieldsProps) {
  const set = foldedSet(search);
  const [isOpen, setIsOpen] = useState(set > 0);
  const [isOnlineOnly, chooseOnline] = useChosen(search.online !== 'any', (isOnly) =>
    onChange({ online: isOnly ? undefined : 'any' }),
  );
  return (
    <search className={styles.search}>
      <SearchFields search={search} onChange={onChange} />
      <div className={styles.choices}>
        <ChoiceField
          label="Online only"
          checked={isOnlineOnly}
          onChange={(event) => chooseOnline(event.target.checked)}
        />
        <Button look="quiet" isSmall aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
          {set > 0 && ` (${set} set)`}
        </Button>
      </div>
      {isOpen && <MoreFilters search={search} onChange={onChange} />}
    </search>
  );
}

/** The text, and the filters that are always shown. */
function SearchFields(props: FindFilterFieldsProps) {
  return (
    <div className={styles.words}>
      <ParameterField
        {...props}
        parameter="q"
        label="What should the agent do?"
        type="search"
        data-filter=""
        enterKeyHint="search"
        maxLength={1000}
        placeholder="paint a picture, translate to Norwegian, …"
      />
      <ParameterField
        {...props}
        parameter="price"
        label="Maximum price"
        inputMode="decimal"
        maxLength={20}
        placeholder="0.05"
        read={readPrice}
        getFault={priceFault}
      />
      <ParameterField
        {...props}
        parameter="currency"
        label="Currency"
        maxLength={16}
        placeholder="USD"
        read={readCurrency}
        getFault={currencyFault}
      />
      <ParameterField
        {...props}
        parameter="protocols"
        label="Protocols"
        maxLength={1000}
        placeholder="http, a2a, mcp"
      />
      <ParameterField
        {...props}
        parameter="country"
        label="Country"
        maxLength={2}
        placeholder="NO"
        read={readCountry}
        getFault={countryFault}
      />
    </div>
  );
}

/** The filters that are folded away until they are needed. */
function MoreFilters(props: FindFilterFieldsProps) {
  const { search, onChange } = props;
  return (
    <div className={styles.filters}>
      <ParameterField {...props} parameter="capability" label="Capability" maxLength={64} placeholder="paint" />
      <ParameterField {...props} parameter="tags" label="Tags (all)" maxLength={1000} placeholder="art, image" />
      <ParameterField {...props} parameter="category" label="Category" maxLength={100} placeholder="media.image" />
      <ParameterField {...props} parameter="input" label="Accepts" maxLength={127} placeholder="text/plain" />
      <ParameterField {...props} parameter="output" label="Produces" maxLength={127} placeholder="image/png" />
      <SelectField
        label="Results per page"
        value={String(search.limit ?? DEFAULT_PAGE)}
        options={[DEFAULT_PAGE, ...PAGE_SIZES].sort((a, b) => a - b).map(String)}
        onChange={(event) => void onChange({ limit: PAGE_SIZES.find((size) => String(size) === event.target.value) })}
      />
    </div>
  );
}

interface ParameterFieldProps
  extends Omit<SettledFieldProps, 'value' | 'onSettled' | 'onChange'>,
    FindFilterFieldsProps {
  parameter: keyof FindSearch;
}

/** A field for a query parameter. An empty one is removed. */
function ParameterField({ parameter, search, onChange, ...field }: ParameterFieldProps) {
  const settle = useCallback(
    (value: string) =>
      void onChange({ [parameter]: value === '' ? undefined : parameter === 'price' ? Number(value) : value }),
    [parameter, onChange],
  );
  return (
    <SettledField
      spellCheck={false}
      autoCapitalize="off"
      {...field}
      value={String(search[parameter] ?? '')}
      onSettled={settle}
    />
  );
}
