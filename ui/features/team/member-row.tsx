import { Link } from '@tanstack/react-router';
import type { Member } from '../../../daemon/contract/team.js';
import { Badge, OpenBadge } from '../../components/badge.js';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatModel } from '../../lib/format/format-model.js';
import { HOLD_WORDS, isOpen } from './is-open.js';
import styles from './member-row.module.css';
import type { RosterEntry } from './roster-entry.js';

/** Returns the requested and the resolved model of a member. */
export function describeModel(member: Member): string {
  const { model, model_resolved } = member;
  return toDisplayText(formatModel(model, model_resolved));
}

/** A member in the roster's list. */
export function MemberRow({ member, isWorking = false, live, lastUsed, file }: RosterEntry) {
  const isExposed = isOpen(member);
  const isBroken = member.state === 'broken';
  return (
    <li className={isBroken ? `${styles.row} ${rows.trouble}` : styles.row}>
      <Flag id={member.id} size={28} isRaised={isWorking} isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/team/$id" params={{ id: member.id }} className={rows.main} data-row="" data-member={member.id}>
          {toDisplayText(member.name)}
        </Link>
        <span className={`${styles.id} mono`}>{member.id}</span>
        {isBroken && member.problem ? (
          <p className={styles.problem}>
            <span className="mono">
              {member.id}.md:{member.problem.line}:{member.problem.column}
            </span>{' '}
            {toDisplayText(member.problem.reason)}
          </p>
        ) : (
          <p className={`${styles.what} truncate`} title={toDisplayText(member.description)}>
            {toDisplayText(member.description)}
          </p>
        )}
      </div>
      <div className={styles.runs}>
        {member.serving && (
          <>
            <p className="truncate" title={describeModel(member)}>
              {describeModel(member)}
            </p>
            <p className="quiet truncate">
              {member.client_resolved} · effort {member.effort}
            </p>
          </>
        )}
      </div>
      <div className={styles.door}>
        {isExposed && <OpenBadge />}
        {member.exposure_hold && <Badge tone="needs">{HOLD_WORDS[member.exposure_hold]}</Badge>}
        {isBroken && <Badge tone="failed">broken</Badge>}
        {member.kind === 'singleton' && <Badge>singleton</Badge>}
        {file.startsWith('source') && <Badge>{file}</Badge>}
        {live}
      </div>
      <div className={styles.used}>
        {lastUsed && <p>{lastUsed}</p>}
        {['changed', 'not committed'].includes(file) && <p>{file === 'changed' ? 'file changed' : file}</p>}
      </div>
    </li>
  );
}
