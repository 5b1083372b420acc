import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Member } from '../../../../daemon/contract/team.js';
import { Badge, OpenBadge } from '../../../components/badge.js';
import rows from '../../../components/rows.module.css';
import { Flag } from '../../../components/text/flag.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { HOLD_WORDS, isOpen } from '../is-open.js';
import type { RosterEntry } from './roster-entry.js';
import { describeModel } from './roster-sort.js';

interface RosterRowProps {
  entry: RosterEntry;
  isSelected: boolean;
  /** Called with `isRange` when all rows from the last selected one are meant. */
  onSelect: (id: string, isRange: boolean) => void;
  /** Position (from 0) and length of the list, of which only a part is rendered. */
  at: number;
  of: number;
}

/** A member in the roster's list: one line, or two where the list is narrow. */
export const RosterRow = memo(function RosterRow({ entry, isSelected, onSelect, at, of }: RosterRowProps) {
  const { member, isWorking = false, lastUsed, file } = entry;
  const name = toDisplayText(member.name);
  const classes = ['row', isSelected && 'selected', member.state === 'broken' && rows.trouble];
  return (
    <li className={classes.filter(Boolean).join(' ')} data-at={at} aria-posinset={at + 1} aria-setsize={of}>
      <label className="tick">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onSelect(member.id, (nativeEvent as MouseEvent).shiftKey)}
        />
      </label>
      <Flag id={member.id} size={24} isRaised={isWorking} isExposed={isOpen(member)} />
      <div className="words">
        <span className="who">
          <Link to="/team/$id" params={{ id: member.id }} className={rows.main} data-row="" data-member={member.id}>
            {name}
          </Link>
          <span className="id mono">{member.id}</span>
        </span>
        <What member={member} />
      </div>
      <p className="model truncate" title={member.serving ? describeModel(member) : undefined}>
        {member.serving && describeModel(member)}
      </p>
      <State entry={entry} />
      <p className="used">{lastUsed}</p>
      <p className="file truncate">{formatFile(file)}</p>
    </li>
  );
});

/** The state says already that a file is broken. */
const formatFile = (file: string) => (file === 'changed' ? 'file changed' : !['ok', 'broken'].includes(file) && file);

/** What the member does, or why its file cannot be read. */
function What({ member: { id, state, problem, description } }: { member: Member }) {
  if (state !== 'broken' || !problem) {
    const what = toDisplayText(description);
    return (
      <p className="what truncate" title={what}>
        {what}
      </p>
    );
  }
  const reason = toDisplayText(problem.reason);
  return (
    <p className="problem truncate" title={reason}>
      <span className="mono">
        {id}.md:{problem.line}:{problem.column}
      </span>{' '}
      {reason}
    </p>
  );
}

function State({ entry: { member, live } }: { entry: RosterEntry }) {
  return (
    <div className="state">
      {isOpen(member) && <OpenBadge />}
      {member.exposure_hold && <Badge tone="needs">{HOLD_WORDS[member.exposure_hold]}</Badge>}
      {member.state === 'broken' && <Badge tone="failed">broken</Badge>}
      {live}
      {member.kind === 'singleton' && (
        <Badge>{member.instances === 0 ? 'one conversation at a time' : 'one at a time'}</Badge>
      )}
    </div>
  );
}
