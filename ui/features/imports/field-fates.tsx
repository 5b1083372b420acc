import type { FieldFate } from '../../../daemon/contract/imports.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './imports.module.css';

const COLUMNS = [
  { fate: 'taken', words: 'Used', none: 'Nothing.' },
  { fate: 'kept', words: 'Kept for export', none: 'Nothing.' },
  { fate: 'unused', words: 'Not used here', none: 'Nothing.' },
] as const;

/** What happens to each key of a file: used by the member, kept for export only, or without effect. */
export function FieldFates({ fields, notes }: { fields: readonly FieldFate[]; notes: readonly string[] }) {
  return (
    <>
      <div className={styles.fates}>
        {COLUMNS.map(({ fate, words, none }) => {
          const those = fields.filter((field) => field.fate === fate);
          return (
            <div key={fate}>
              <h3>
                {words} <span className="mono">{those.length}</span>
              </h3>
              {those.length === 0 ? (
                <p className={`${styles.fate} quiet`}>{none}</p>
              ) : (
                <ul>
                  {those.map((field) => (
                    <li key={field.key} className={styles.fate}>
                      <KeyList field={field} />
                      {field.shown !== '' && <p>{toDisplayText(field.shown)}</p>}
                      {field.note && <p className={styles.note}>{toDisplayText(field.note)}</p>}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          );
        })}
      </div>
      {notes
        .filter((note) => !fields.some((field) => note === `${field.key}: ${field.note}`))
        .map((note) => (
          <p key={note} className={`${styles.note} small`}>
            {toDisplayText(note)}
          </p>
        ))}
    </>
  );
}

/** The key in the file, and the member's key if it differs. The text below the keys is the prompt. */
export function KeyList({ field: { key, to } }: { field: FieldFate }) {
  if (key === 'body') return 'Initial prompt';
  return (
    <span className="mono">
      {toDisplayText(key)}
      {to !== undefined && to !== key && (
        <>
          <span aria-hidden="true"> → </span>
          <span className="visually-hidden"> becomes </span>
          {to}
        </>
      )}
    </span>
  );
}
