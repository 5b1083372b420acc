import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { ImportCandidate } from '../../../daemon/contract/imports.js';
import { Badge } from '../../components/badge.js';
import { TextField } from '../../components/field.js';
import rows from '../../components/rows.module.css';
import { toDisplayText } from '../../lib/format/display-text.js';
import { FieldFates } from './field-fates.js';
import { canImport } from './import-choice.js';
import styles from './imports.module.css';
import { RowTick, RowToggle } from './row-controls.js';

const STATES: Readonly<Record<ImportCandidate['state'], { words: string; tone?: 'failed' | 'well' }>> = {
  new: { words: 'new', tone: 'well' },
  same: { words: 'imported' },
  conflict: { words: 'id in use' },
  changed: { words: 'changed since import' },
  unreadable: { words: 'cannot be read', tone: 'failed' },
  not_a_member: { words: 'not a member' },
};

interface FoundRowProps {
  found: ImportCandidate;
  isTicked: boolean;
  onTick: (isTicked: boolean) => void;
  id: string;
  onId: (id: string) => void;
  fault: string | undefined;
}

/** An agent of another tool: whether to import it, its id, and what happens to each of its keys. */
export function FoundRow({ found, isTicked, onTick, id, onId, fault }: FoundRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const tickId = useId();
  const detailsId = useId();
  const { state } = found;
  const { words, tone } = found.written_for === undefined ? STATES[state] : { words: 'exported', tone: undefined };
  const name = toDisplayText(found.name);
  return (
    <li className={state === 'unreadable' ? `${styles.found} ${rows.trouble}` : styles.found}>
      <RowTick id={tickId} canBeTicked={canImport(found)} isTicked={isTicked} onTick={onTick} />
      <div className={styles.words}>
        <FoundWords found={found} name={name} tickId={tickId} />
      </div>
      <span className={styles.state}>{tone ? <Badge tone={tone}>{words}</Badge> : <Badge>{words}</Badge>}</span>
      {found.fields.length > 0 ? (
        <RowToggle label="Details" of={name} isOpen={isOpen} detailsId={detailsId} onToggle={setIsOpen} />
      ) : (
        <span />
      )}
      {state === 'conflict' && isTicked && (
        <div className={styles.whole}>
          <TextField
            label={`Id of ${name}`}
            className="mono"
            hint={`“${found.id}” is used by another member.`}
            error={fault}
            spellCheck={false}
            autoCapitalize="off"
            value={id}
            onChange={(event) => onId(event.target.value.trim())}
          />
        </div>
      )}
      {state !== 'conflict' && fault !== undefined && <p className={`${styles.whole} ${styles.wrong}`}>{fault}</p>}
      {isOpen && (
        <div className={styles.whole} id={detailsId}>
          <FieldFates fields={found.fields} notes={found.notes} />
        </div>
      )}
    </li>
  );
}

interface FoundWordsProps {
  found: ImportCandidate;
  name: string;
  tickId: string;
}

/** The name, which links to the member that was imported, the source, and what the agent is. */
function FoundWords({ found, name, tickId }: FoundWordsProps) {
  const { id, state, reason, entry, source, description } = found;
  return (
    <>
      {canImport(found) ? (
        <label htmlFor={tickId} className={styles.name}>
          {name}
        </label>
      ) : state === 'same' || state === 'changed' ? (
        <Link to="/team/$id" params={{ id }} className={styles.name} data-row="">
          {name}
        </Link>
      ) : (
        <span className={styles.name}>{name}</span>
      )}
      <span className={`${styles.source} mono`}>
        {toDisplayText(source)}
        {entry !== null && ` · ${toDisplayText(entry)}`}
      </span>
      {reason !== undefined ? (
        <p className={state === 'unreadable' ? styles.wrong : styles.note}>{toDisplayText(reason)}</p>
      ) : (
        <p className={`${styles.note} truncate`} title={toDisplayText(description)}>
          {toDisplayText(description)}
        </p>
      )}
    </>
  );
}
