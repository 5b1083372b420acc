import { Link } from '@tanstack/react-router';
import { OpenBadge } from '../../components/badge.js';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { HOLD_WORDS, isOpen } from './is-open.js';
import { describeModel } from './member-row.js';
import styles from './member-table.module.css';
import type { RosterEntry } from './roster-entry.js';

/** The roster as a table, one row per member. On a narrow screen each cell shows its label. */
export function MemberTable({ entries }: { entries: readonly RosterEntry[] }) {
  return (
    <table className={styles.table} aria-label="Members">
      <thead>
        <tr>
          {['Member', 'Kind', 'Model', 'Effort', 'API access', 'Now', 'Last used', 'File'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map(({ member, live, lastUsed, file }) => (
          <tr key={member.id} className={member.state === 'broken' ? styles.trouble : undefined}>
            <th scope="row">
              <span className={styles.who}>
                <Flag id={member.id} size={20} isRaised={member.instances > 0} isExposed={isOpen(member)} />
                <Link to="/team/$id" params={{ id: member.id }} data-row="" data-member={member.id}>
                  {toDisplayText(member.name)}
                </Link>
                <span className={`${styles.id} mono`}>{member.id}</span>
              </span>
            </th>
            <td data-name="Kind">{member.kind}</td>
            <td data-name="Model">{describeModel(member)}</td>
            <td data-name="Effort">{member.effort}</td>
            <td data-name="API access">
              {isOpen(member) ? <OpenBadge /> : member.exposure_hold ? HOLD_WORDS[member.exposure_hold] : 'internal'}
            </td>
            <td data-name="Now">{live}</td>
            <td data-name="Last used">{lastUsed ?? 'not yet'}</td>
            <td data-name="File" className={file === 'broken' ? styles.broken : undefined}>
              {file}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
