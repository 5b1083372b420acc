import { useId, useState } from 'react';
import type { Where } from '../../../daemon/contract/clusters.js';
import { Button } from '../../components/button.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { Skeleton } from '../../components/states.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { PlaceField } from './place-field.js';
import styles from './places.module.css';
import { isLocated, LABEL_MAX_CHARS, type LocatedPlace, type WhereChoice } from './where-choice.js';
import { formatWhere } from './where-format.js';

const PlacePicker = fetched(() => import('./place-picker.js'), <Skeleton rows={4} />);

interface WhereFieldProps {
  legend: string;
  choice: WhereChoice;
  onChange: (choice: WhereChoice) => void;
  /** The inherited place and its level: `from the board`. */
  inherited?: { where: Where; said: string } | undefined;
  error?: string | undefined;
}

const located = ({ label, lat, lon }: LocatedPlace): LocatedPlace => ({ label, lat, lon });

/** A choice of place: inherited, a place by name or on the map, words, or none. */
export function WhereField({ legend, choice, onChange, inherited, error }: WhereFieldProps) {
  const name = useId();
  const [isMapOpen, setIsMapOpen] = useState(false);
  const radio = (kind: WhereChoice['kind']) => ({
    type: 'radio' as const,
    name,
    checked: choice.kind === kind,
    onChange: () => onChange(kind === 'words' ? { kind, label: '' } : { kind }),
  });
  return (
    <fieldset className={styles.where}>
      <legend>{legend}</legend>
      <ChoiceField
        {...radio('inherit')}
        label={
          <span className={styles.inherited}>
            {inherited ? `${toDisplayText(formatWhere(inherited.where))}, ${inherited.said}` : 'Not given'}
          </span>
        }
      />
      <ChoiceField {...radio('place')} label="A place" />
      {choice.kind === 'place' && (
        <LocatedField
          place={choice.place}
          error={error}
          onChange={(place) => onChange({ kind: 'place', place })}
          isMapOpen={isMapOpen}
          onMapOpen={setIsMapOpen}
        />
      )}
      <ChoiceField {...radio('words')} label="Text only" hint="such as “online”; not found by distance" />
      {choice.kind === 'words' && (
        <div className={styles.inner}>
          <TextField
            label="Where, as text"
            maxLength={LABEL_MAX_CHARS}
            value={choice.label}
            error={error}
            onChange={(event) => onChange({ kind: 'words', label: event.target.value })}
          />
        </div>
      )}
      <ChoiceField
        {...radio('none')}
        label="No place"
        hint={inherited ? `not ${toDisplayText(formatWhere(inherited.where))} either` : 'location does not matter'}
      />
      <PublishedPlace choice={choice} inherited={inherited?.where} />
    </fieldset>
  );
}

interface LocatedFieldProps {
  place: LocatedPlace | undefined;
  error: string | undefined;
  onChange: (place: LocatedPlace | undefined) => void;
  isMapOpen: boolean;
  onMapOpen: (isOpen: boolean) => void;
}

/** The name of a place, and a map to pick it on. */
function LocatedField({ place: chosen, error, onChange, isMapOpen, onMapOpen }: LocatedFieldProps) {
  return (
    <div className={styles.inner}>
      <PlaceField
        label="Name of the place"
        chosen={chosen?.label ?? ''}
        error={error}
        onChoose={(place) => onChange(place && located(place))}
      />
      <Button isSmall aria-expanded={isMapOpen} onClick={() => onMapOpen(!isMapOpen)}>
        {isMapOpen ? 'Hide the map' : 'Pick on the map'}
      </Button>
      {isMapOpen && <PlacePicker chosen={chosen} onChoose={(place) => onChange(located(place))} />}
    </div>
  );
}

/** What others see of the place. */
function PublishedPlace({ choice, inherited }: { choice: WhereChoice; inherited: Where | undefined }) {
  const where = choice.kind === 'inherit' ? inherited : choice.kind === 'place' ? choice.place : undefined;
  const words = choice.kind === 'words' ? choice.label.trim() : where && where !== 'none' ? formatWhere(where) : '';
  return (
    <p className={styles.published} role="status">
      {words === '' ? (
        'No place is shown.'
      ) : (
        <>
          Shown as <strong>{toDisplayText(words)}</strong>.
          {isLocated(where) && ' Its coordinates are used for distance search and are not shown.'}
        </>
      )}
    </p>
  );
}
