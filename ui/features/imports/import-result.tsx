import { Link } from '@tanstack/react-router';
import type { Imported } from '../../../daemon/contract/imports.js';
import { Button, buttonClass } from '../../components/button.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './imports.module.css';

/** The result of an import: the new members, and what was skipped and why. */
export function ImportResult({ result: { imported, skipped }, onMore }: { result: Imported; onMore: () => void }) {
  return (
    <div className="sections">
      {imported.length > 0 && (
        <Section title="Imported" count={imported.length}>
          <ul className={rows.rows} aria-label="Imported members">
            {imported.map(({ id, source, notes }) => (
              <li key={id} className={styles.imported}>
                <Flag id={id} size={28} />
                <div>
                  <Link to="/team/$id" params={{ id }} className={rows.main} data-row="">
                    {id}
                  </Link>
                  <span className={`${styles.source} mono`}>{toDisplayText(source)}</span>
                  {notes.map((note) => (
                    <p key={note} className={styles.note}>
                      {toDisplayText(note)}
                    </p>
                  ))}
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {skipped.length > 0 && (
        <Section title="Skipped" count={skipped.length}>
          <ul className={rows.rows} aria-label="Skipped">
            {skipped.map(({ source, code, reason }) => (
              <li key={`${source} ${reason}`} className={rows.trouble}>
                <div>
                  <span className="mono">{toDisplayText(source)}</span>
                  <p className={styles.note}>
                    {toDisplayText(reason)} <code className="small quiet">{code}</code>
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <div className="cluster">
        <Link to="/team" className={buttonClass('primary')}>
          Show the team
        </Link>
        <Button onClick={onMore}>Back to the scan</Button>
      </div>
    </div>
  );
}
