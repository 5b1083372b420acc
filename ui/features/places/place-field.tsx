import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react';
import { TextField } from '../../components/field.js';
import offered from '../../components/options.module.css';
import { isComposing } from '../../lib/keys/is-composing.js';
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

/** The text of the field and the suggestions for it. `isNone` means that no place matches the text. */
function useSuggestions(chosen: string, onChoose: PlaceFieldProps['onChoose']) {
  const [typed, setTyped] = useState(chosen);
  const [known, setKnown] = useState(chosen);
  const [at, setAt] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const [isWanted, setIsWanted] = useState(false);
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
  const choose = (place: Place | undefined) => {
    setTyped(place?.label ?? '');
    setIsOpen(false);
    onChoose(place);
  };
  const cancel = () => {
    setIsOpen(false);
    setTyped(chosen);
  };
  return {
    typed,
    found,
    selected: found[Math.min(at, found.length - 1)],
    isOpen,
    isNone: isOpen && typed.trim() !== '' && typed !== chosen && gazetteer.data !== undefined && found.length === 0,
    isFailed: gazetteer.error !== null,
    load: () => setIsWanted(true),
    type: (text: string) => {
      setTyped(text);
      setAt(0);
      setIsOpen(true);
    },
    point: setAt,
    step: (by: 1 | -1) => setAt((at + by + found.length) % found.length),
    choose,
    cancel,
    /** Text that was not chosen is discarded; the field returns to the chosen place. An empty text chooses none. */
    leave: () => {
      if (typed.trim() === '' && chosen !== '') choose(undefined);
      else cancel();
    },
  };
}

/** A text field with suggestions from the gazetteer. Only a suggestion can be chosen. */
export function PlaceField({ label, hint, error, chosen, onChoose }: PlaceFieldProps) {
  const suggestions = useSuggestions(chosen, onChoose);
  const { typed, found, selected, isOpen } = suggestions;
  const listId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'ArrowDown' && found.length > 0) suggestions.step(1);
    else if (event.key === 'ArrowUp' && found.length > 0) suggestions.step(-1);
    else if (event.key === 'Enter' && selected) suggestions.choose(selected);
    else if (event.key === 'Escape' && isOpen) suggestions.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={styles.field}>
      <TextField
        label={label}
        hint={hint}
        error={
          suggestions.isFailed
            ? 'The gazetteer could not be read: reload the page.'
            : suggestions.isNone
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
        onFocus={suggestions.load}
        onChange={(event) => suggestions.type(event.target.value)}
        onBlur={suggestions.leave}
        onKeyDown={onKeyDown}
      />
      <Suggestions id={listId} label={label} suggestions={suggestions} />
      <span role="status" className="visually-hidden">
        {found.length > 0 ? `${found.length} ${found.length === 1 ? 'place' : 'places'}` : ''}
      </span>
    </div>
  );
}

interface SuggestionsProps {
  id: string;
  label: string;
  suggestions: ReturnType<typeof useSuggestions>;
}

/** The list of suggestions below the field. */
function Suggestions({ id, label, suggestions: { found, selected, choose, point } }: SuggestionsProps) {
  useEffect(() => {
    if (selected) document.getElementById(`${id}-${selected.key}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected, id]);
  return (
    <div
      id={id}
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
          id={`${id}-${place.key}`}
          aria-selected={place === selected}
          tabIndex={-1}
          className={offered.option}
          // Keeps the focus in the field: on blur the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(place)}
          onMouseMove={() => point(index)}
        >
          <span>{place.name}</span>{' '}
          <span className={`quiet ${styles.country}`}>
            {place.beside === undefined ? place.country : `${place.country}, near ${place.beside}`}
          </span>
        </div>
      ))}
    </div>
  );
}
