import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CodePlaces, CodeQuery } from '../../../daemon/contract/code.js';
import type { FileLines } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { call, query } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './file-panel.module.css';
import { isKeyword } from './keywords.js';

const NAMES_MAX = 8;
const NAME = /[A-Za-z_$][\w$]{2,}/g;

interface SymbolsProps {
  file: FileLines;
  /** The first selected line, whose names are offered. */
  line: number;
  chosen: string | undefined;
  onChoose: (name: string) => void;
}

/** The names of the selected line, and where the chosen one is defined and used. */
export function Symbols({ file, line, chosen, onChoose }: SymbolsProps) {
  const text = file.lines[line - file.start_line] ?? '';
  const names = [...new Set(text.match(NAME))].filter((name) => !isKeyword(file.path, name)).slice(0, NAMES_MAX);
  return (
    <div className={styles.symbols}>
      <p className="cluster small">
        <span className="quiet">Names in line {line}:</span>
        {names.map((name) => (
          <Button key={name} isSmall look="quiet" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
            {name}
          </Button>
        ))}
        {names.length === 0 && 'none'}
      </p>
      {chosen !== undefined && <Places key={chosen} name={chosen} />}
    </div>
  );
}

const usePlaces = (kind: CodeQuery, name: string) =>
  useQuery({
    queryKey: ['code', kind, name],
    queryFn: ({ signal }) => call<CodePlaces>(`/project/code${query({ query: kind, name })}`, { signal }),
  });

function Places({ name }: { name: string }) {
  const defs = usePlaces('defs', name);
  const refs = usePlaces('refs', name);
  const error = defs.error ?? refs.error;
  if (error) return <p role="status">{error.message}</p>;
  if (!defs.data || !refs.data) return <p role="status">Looking for {name}…</p>;
  if (defs.data.state !== 'ready') return <p role="status">The structure of the code is still being read.</p>;
  const places = [
    ...defs.data.places.map((place) => ({ place, word: 'defined' })),
    ...refs.data.places.map((place) => ({ place, word: 'used' })),
  ];
  return (
    <>
      <p role="status">
        {name}: {defs.data.total} {defs.data.total === 1 ? 'definition' : 'definitions'}, {refs.data.total}{' '}
        {refs.data.total === 1 ? 'use' : 'uses'}
      </p>
      <ul aria-label={`Places of ${name}`}>
        {places.map(({ place: { path, start_line, end_line }, word }) => (
          <li key={`${word} ${path} ${start_line}`}>
            <Link
              to="."
              search={(was) => ({ ...was, file: path, from: start_line, to: end_line })}
              resetScroll={false}
              className="mono small"
            >
              {toDisplayText(path)}:{start_line}
            </Link>{' '}
            <span className="small quiet">{word}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
