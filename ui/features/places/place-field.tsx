import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react';
import { TextField } from '../../components/field.js';
import offered from '../../components/options.module.css';
import type { Place } from './gazetteer.js';
import { gazetteerQuery } from './gazetteer-query.js';
import styles from './places.module.css';

const SHOWN = 8;

interface PlaceFieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The label of the chosen place. */
  chosen: string;
  onChoose: (place: Place | undefined) => void;
}

/** A text field with suggestions from the gazetteer. Only a suggestion can be chosen. */
export function PlaceField({ label, hint, error, chosen, onChoose }: PlaceFieldProps) {
  const [typed, setTyped] = useState(chosen);
  const [known, setKnown] = useState(chosen);
  const [at, setAt] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const [isWanted, setIsWanted] = useState(false);
  const listId = useId();
  // The value changed by other means: the map, a cleared filter, navigation back.
  if (known !== chosen) {
    setKnown(chosen);
    setTyped(chosen);
  }
  const gazetteer = useQuery({ ...gazetteerQuery(), enabled: isWanted });
  const found = useMemo(
    () => (isOpen && typed !== chosen ? (gazetteer.data?.search(typed, SHOWN) ?? []) : []),
    [gazetteer.data, typed, chosen, isOpen],
  );
  const selected = found[Math.min(at, found.length - 1)];
  const isNone =
    isOpen && typed.trim() !== '' && typed !== chosen && gazetteer.data !== undefined && found.length === 0;

  useEffect(() => {
    if (selected) document.getElementById(`${listId}-${selected.key}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected, listId]);

  const choose = (place: Place | undefined) => {
    setTyped(place?.label ?? '');
    setIsOpen(false);
    onChoose(place);
  };
  const leave = () => {
    setIsOpen(false);
    // Text that was not chosen is discarded; the field returns to the chosen place.
    if (typed.trim() === '' && chosen !== '') choose(undefined);
    else setTyped(chosen);
  };
  return (
    <div className={styles.field}>
      <TextField
        label={label}
        hint={hint}
        error={
          gazetteer.error
            ? 'The gazetteer could not be read: reload the page.'
            : isNone
              ? 'No matching place. Try a larger one nearby.'
              : error
        }
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selected ? `${listId}-${selected.key}` : undefined}
        spellCheck={false}
        maxLength={80}
        value={typed}
        onFocus={() => setIsWanted(true)}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
          setIsOpen(true);
        }}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'ArrowDown' && found.length > 0) setAt((at + 1) % found.length);
          else if (event.key === 'ArrowUp' && found.length > 0) setAt((at - 1 + found.length) % found.length);
          else if (event.key === 'Enter' && selected) choose(selected);
          else if (event.key === 'Escape' && isOpen) {
            setIsOpen(false);
            setTyped(chosen);
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={`${label}: suggestions`}
        className={`${offered.list} ${styles.below}`}
        hidden={found.length === 0}
      >
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys.
          <div
            key={place.key}
            role="option"
            id={`${listId}-${place.key}`}
            aria-selected={place === selected}
            tabIndex={-1}
            className={offered.option}
            // Keeps the focus in the field: on blur the list would close before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(place)}
            onMouseMove={() => setAt(index)}
          >
            <span>{place.name}</span>{' '}
            <span className={`quiet ${styles.country}`}>
              {place.beside === undefined ? place.country : `${place.country}, near ${place.beside}`}
            </span>
          </div>
        ))}
      </div>
      <span role="status" className="visually-hidden">
        {found.length > 0 ? `${found.length} ${found.length === 1 ? 'place' : 'places'}` : ''}
      </span>
    </div>
  );
}
