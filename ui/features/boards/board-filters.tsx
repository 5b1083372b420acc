import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { SettledField } from '../../components/settled-field.js';
import { gazetteerQuery } from '../places/gazetteer-query.js';
import { PlaceField } from '../places/place-field.js';
import type { BoardSearch } from './board-search.js';
import { KM_DEFAULT, KM_MAX, kmIn } from './board-search.js';
import styles from './boards.module.css';
import { languageOptions } from './rules/languages.js';

const kmFault = (typed: string) =>
  kmIn(typed) === undefined ? `Kilometres, more than 0 and at most ${KM_MAX.toLocaleString('en')}.` : undefined;
const readKm = (typed: string) => String(kmIn(typed) ?? '');

/** The filters of a board's posts. Each field is a query parameter. */
export function BoardFilters({ search, onChange }: { search: BoardSearch; onChange: (changed: BoardSearch) => void }) {
  const place = useNearPlace(search.near);
  const settleKm = useCallback(
    (km: string) => onChange({ km: km === '' || Number(km) === KM_DEFAULT ? undefined : Number(km) }),
    [onChange],
  );
  const isFiltered = search.near !== undefined || search.lang !== undefined;
  return (
    <search className={styles.filters}>
      <PlaceField
        label="Near"
        chosen={place.place?.label ?? ''}
        error={place.isUnknown ? `No place named “${search.near}”.` : undefined}
        onChoose={(chosen) => onChange({ near: chosen?.key, ...(chosen ? {} : { km: undefined }) })}
      />
      <SettledField
        label="Within, in km"
        inputMode="decimal"
        maxLength={8}
        disabled={search.near === undefined}
        placeholder={String(KM_DEFAULT)}
        value={search.km === undefined ? '' : String(search.km)}
        read={readKm}
        getFault={kmFault}
        onSettled={settleKm}
      />
      <SelectField
        label="Language"
        value={search.lang ?? ''}
        options={[{ value: '', label: 'Any' }, ...languageOptions(search.lang)]}
        onChange={(event) => onChange({ lang: event.target.value || undefined })}
      />
      {isFiltered && (
        <Button look="quiet" onClick={() => onChange({ near: undefined, km: undefined, lang: undefined })}>
          Clear
        </Button>
      )}
    </search>
  );
}

/**
 * Looks up the place with this gazetteer key. `isReading` is true while the gazetteer is loading, `hasFailed` when it
 * could not be loaded.
 */
export function useNearPlace(key: string | undefined) {
  const gazetteer = useQuery({ ...gazetteerQuery(), enabled: key !== undefined });
  const place = key === undefined ? undefined : gazetteer.data?.find(key);
  return {
    place,
    isUnknown: key !== undefined && gazetteer.data !== undefined && place === undefined,
    isReading: key !== undefined && gazetteer.isPending,
    hasFailed: key !== undefined && gazetteer.isError,
  };
}
