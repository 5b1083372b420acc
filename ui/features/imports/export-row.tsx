import { useId, useState } from 'react';
import type { Exported } from '../../../daemon/contract/imports.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { ChoiceField } from '../../components/field.js';
import rows from '../../components/rows.module.css';
import { CodeBlock } from '../../components/text/code-block.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { Diff } from '../../components/text/diff.js';
import { download } from '../../lib/download.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { canBeWritten, findObstacle } from './export-choice.js';
import styles from './imports.module.css';
import { RowTick, RowToggle } from './row-controls.js';

const STATES: Readonly<Record<Exported['state'], string>> = {
  new: 'new file',
  same: 'up to date',
  changed: 'to be updated',
  foreign: 'another file exists',
};

interface ExportRowProps {
  file: Exported;
  isTicked: boolean;
  onTick: (isTicked: boolean) => void;
  mayReplace: boolean;
  onReplace: (mayReplace: boolean) => void;
  wasWritten: boolean;
  isOpenAtFirst: boolean;
}

/** A member in another tool's format: path, existing file, losses and text. */
export function ExportRow({
  file,
  isTicked,
  onTick,
  mayReplace,
  onReplace,
  wasWritten,
  isOpenAtFirst,
}: ExportRowProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const tickId = useId();
  const detailsId = useId();
  const { id, path, state, losses } = file;
  const obstacle = findObstacle(file);
  const lost = losses.filter(({ why }) => why !== obstacle);
  return (
    <li className={obstacle ? `${styles.found} ${rows.trouble}` : styles.found}>
      <RowTick id={tickId} canBeTicked={canBeWritten(file)} isTicked={isTicked} onTick={onTick} />
      <div className={styles.words}>
        <FileWords file={file} lost={lost} tickId={tickId} />
      </div>
      <span className={styles.state}>
        {wasWritten ? (
          <Badge tone="well">written</Badge>
        ) : state === 'new' ? (
          <Badge tone="well">{STATES.new}</Badge>
        ) : (
          <Badge>{STATES[state]}</Badge>
        )}
      </span>
      <RowToggle label="Preview" of={id} isOpen={isOpen} detailsId={detailsId} onToggle={setIsOpen} />
      {isTicked && state === 'foreign' && (
        <div className={styles.whole}>
          <ChoiceField
            label={`Replace ${path}`}
            hint="meshd did not write this file. Check the preview first: its content will be lost."
            checked={mayReplace}
            onChange={(event) => onReplace(event.target.checked)}
          />
        </div>
      )}
      {isOpen && (
        <div className={styles.whole} id={detailsId}>
          <Preview file={file} lost={lost} />
        </div>
      )}
    </li>
  );
}

interface DroppedFieldsProps {
  file: Exported;
  /** The losses, without the obstacle to writing the file. */
  lost: Exported['losses'];
}

function FileWords({ file, lost, tickId }: DroppedFieldsProps & { tickId: string }) {
  const { id, path } = file;
  const obstacle = findObstacle(file);
  return (
    <>
      {canBeWritten(file) ? (
        <label htmlFor={tickId} className={styles.name}>
          {id}
        </label>
      ) : (
        <span className={styles.name}>{id}</span>
      )}
      <span className={`${styles.source} mono`}>{toDisplayText(path)}</span>
      {obstacle ? (
        <p className={styles.wrong}>{toDisplayText(obstacle)}</p>
      ) : (
        <p className={`${styles.note} truncate`}>
          {lost.length === 0 ? 'Nothing is lost.' : `Left out: ${[...new Set(lost.map(({ key }) => key))].join(', ')}`}
        </p>
      )}
    </>
  );
}

function Preview({ file: { id, path, content, current }, lost }: DroppedFieldsProps) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const save = () => download(name, content);
  return (
    <div className={styles.preview}>
      {lost.length > 0 && (
        <ul className={styles.losses} aria-label={`Not exported of ${id}`}>
          {lost.map(({ key, why }) => (
            <li key={`${key} ${why}`}>
              <span className="mono">{toDisplayText(key)}</span> {toDisplayText(why)}
            </li>
          ))}
        </ul>
      )}
      {current === null || current === content ? (
        <CodeBlock
          label={path}
          text={content}
          wraps
          actions={
            <Button look="quiet" isSmall onClick={save}>
              Download
            </Button>
          }
        />
      ) : (
        <>
          <Diff
            label={`What is in ${path} compared with the new text`}
            before={current}
            after={content}
            sameWords="The file already has this text."
          />
          <div className="cluster">
            <CopyButton text={content} label="Copy the new text" />
            <Button isSmall onClick={save}>
              Download it
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
