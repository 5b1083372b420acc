import rows from '../../../components/rows.module.css';
import type { RosterEntry } from '../../../features/team/roster/roster-entry.js';
import { RosterList } from '../../../features/team/roster/roster-list.js';
import { SelectionActions } from '../../../features/team/roster/selection-actions.js';
import { member } from '../../samples.js';
import type { Story } from '../../story.js';

const ENTRIES: readonly RosterEntry[] = [
  { file: 'changed', member: member(), lastUsed: '3 min ago' },
  {
    file: 'ok',
    isWorking: true,
    member: member({ id: 'developer', name: 'Developer', kind: 'profile', instances: 2 }),
    lastUsed: 'now',
  },
  {
    file: 'ok',
    member: member({
      id: 'librarian',
      name: 'Librarian',
      exposure: 'external',
      token_last4: '9f2c',
      description: 'Long'.repeat(60),
    }),
  },
  {
    file: 'broken',
    member: member({
      id: 'reviewer',
      name: 'Reviewer',
      state: 'broken',
      problem: { line: 3, column: 7, reason: 'This is no YAML.' },
    }),
  },
];

function Roster({ hasOneModel, selected }: { hasOneModel: boolean; selected: readonly string[] }) {
  return (
    <RosterList
      entries={ENTRIES}
      sort={hasOneModel ? '-used' : 'name'}
      onSort={() => undefined}
      selection={{ selected: new Set(selected), set: () => undefined, toggle: () => undefined }}
      hasOneModel={hasOneModel}
      actions={
        <SelectionActions
          members={ENTRIES.flatMap(({ member }) => (selected.includes(member.id) ? member : []))}
          onClear={() => undefined}
        />
      }
    />
  );
}

export const story: Story = {
  title: 'Rows',
  states: {
    members: <Roster hasOneModel={false} selected={[]} />,
    membersOfOneModel: <Roster hasOneModel selected={['developer', 'reviewer']} />,
    plain: (
      <ul className={rows.rows} aria-label="Plain rows">
        <li>
          <a href="#rows" className={rows.main}>
            The whole row is the link
          </a>
        </li>
        <li className={rows.trouble}>In trouble</li>
        <li className={rows.needs}>Needs you</li>
      </ul>
    ),
  },
};
